//! What one stimulus leads to: a run, a request of a reader, an action of an editor.

use axum::{
    body::{Body, to_bytes},
    http::{HeaderMap, HeaderValue, Method, Request, header},
};
use fencepost_application::{ItemReport, Stop};
use fencepost_domain::outcome::Outcome;
use fencepost_ports::Job;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::{
    cast::{TOKEN, Worker},
    fault::Fault,
    oracle::{Reading, Rule, SentRow, Target, Told, price_cents, spell},
    plan::{Action, HOUR_MS, Page, Row, Stimulus, What},
    world::{ActorId, Sim},
};

/// The largest body that is read.
const LARGEST_BODY: usize = 1 << 20;

/// Does what the stimulus asks for.
pub(crate) async fn perform(sim: Sim, worker: Worker, actor: ActorId, stimulus: Stimulus) {
    match stimulus.what {
        What::Cron(job) => {
            if let Some(wait) = cron_fires(&sim, stimulus.worker, job) {
                sim.pass(wait).await;
                run(&sim, &worker, actor, job).await;
            }
        }
        What::Run(job) => run(&sim, &worker, actor, job).await,
        What::Read(page) => read(&sim, &worker, page).await,
        What::Edit(action) => edit(&sim, &worker, actor, action).await,
        What::Clock => jump(&sim),
        What::Overload => {
            let mut world = sim.world();
            let length = world.dice().between(500, 40_000);
            if world.strikes(Fault::Overloaded) {
                world.overloaded_until = world.now + length;
            }
        }
        What::Forget(puzzle) => sim.world().forget_lease(puzzle),
    }
}

/// In how many milliseconds the cron really fires, if it does; it may fire again.
fn cron_fires(sim: &Sim, worker: usize, job: Job) -> Option<i64> {
    let mut world = sim.world();
    let (late, skew, copies) =
        (world.dice().between(1_000, HOUR_MS), world.dice().between(1, 6), world.dice().between(1, 3));
    if world.strikes(Fault::CronMissed) {
        return None;
    }
    if world.strikes(Fault::CronRepeated) {
        let at = world.now;
        for copy in 0..copies {
            world.add(Stimulus { at: at + copy, worker, what: What::Run(job) });
        }
    }
    let late = if world.strikes(Fault::CronLate) { late } else { 0 };
    // A clock that is ahead would fire before there was anything; one that is behind fires later.
    Some(late + if world.strikes(Fault::ClockSkewed) { skew * HOUR_MS } else { 0 })
}

fn jump(sim: &Sim) {
    let mut world = sim.world();
    let far = world.dice().pick(&[2_000, 60_000, 200_000, 700_000, HOUR_MS, 5 * HOUR_MS, 30 * HOUR_MS]);
    if world.strikes(Fault::ClockJumpsForward) {
        world.jump(far);
    } else if world.strikes(Fault::ClockJumpsBack) {
        world.jump(-far);
    }
}

async fn run(sim: &Sim, worker: &Worker, actor: ActorId, job: Job) {
    for told in report_of_run(sim, worker, actor, job).await {
        sim.world().hear(told);
    }
}

/// Runs a job, and tells what came of it.
pub(crate) async fn report_of_run(sim: &Sim, worker: &Worker, actor: ActorId, job: Job) -> Vec<Told> {
    let window = sim.world().open_window();
    let report = worker.site_of_a_run().run_job(job, &Stop::default()).await;
    let mut world = sim.world();
    match report {
        Ok(report) => {
            world.note(|| format!("run ends: {:?}, {} left", report.counts, report.left));
            let told = |item: &ItemReport| Told {
                actor,
                puzzle: item.puzzle_id.get(),
                outcome: item.outcome,
                revision: item.revision.map(|revision| revision.get()),
                version: item.content_version.map(|version| version.get()),
                window,
            };
            report.items.iter().map(told).collect()
        }
        Err(error) => {
            world.note(|| format!("run fails: {error}"));
            let troubled = world.actor().troubled;
            world.check(Rule::LoudOnlyWhenTroubled, troubled, || format!("a run fails: {error}"));
            Vec::new()
        }
    }
}

/// Asks for a page, and judges the answer.
pub(crate) async fn read(sim: &Sim, worker: &Worker, page: Page) {
    let target = match page {
        Page::Home => Target::Home,
        Page::Answers => Target::Answers,
        Page::Answer(id) => Target::Answer(id),
        Page::Feed => Target::Feed,
        Page::Sitemap => Target::Sitemap,
        Page::Photo(id) => match sim.world().photo_of(id) {
            Some(key) => Target::Image(key),
            None => Target::Answer(id),
        },
    };
    let path = target.path();
    let copy = copy_of(sim, &path);
    let tag = copy.as_ref().map(|(tag, _)| tag.clone());
    let window = sim.world().open_window();
    let (status, headers, body) = send(worker, get(&path, tag)).await;
    let (status, body) = match copy {
        Some((_, copy)) if status == 304 => (200, copy),
        _ => (status, body),
    };
    if let Some(tag) = headers.get(header::ETAG) {
        sim.world().copies.insert(path, (tag.clone(), body.clone()));
    }
    let number = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()?.parse().ok());
    let reading = Reading {
        target,
        status,
        retry: headers.contains_key(header::RETRY_AFTER),
        revision: number("x-publication-revision"),
        body,
        troubled: sim.world().actor().troubled,
    };
    sim.world().judge_reading(&reading, &window);
}

/// What readers have of an address already, if this one is among those who kept it.
fn copy_of(sim: &Sim, path: &str) -> Option<(HeaderValue, Vec<u8>)> {
    let mut world = sim.world();
    let keeps = world.dice().happens(5_000);
    world.copies.get(path).filter(|_| keeps).cloned()
}

/// The request of a reader, who has no token, and asks with the tag of his copy.
fn get(path: &str, tag: Option<HeaderValue>) -> Request<Body> {
    let mut request = Request::get(path).body(Body::empty()).expect("the paths of pages are valid");
    request.headers_mut().extend(tag.map(|tag| (header::IF_NONE_MATCH, tag)));
    request
}

async fn edit(sim: &Sim, worker: &Worker, actor: ActorId, action: Action) {
    let post = async |path: String, body: Option<Value>| {
        let (status, _, answer) = request(worker, Method::POST, &format!("/admin/api/{path}"), body).await;
        let answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
        let mut world = sim.world();
        world.note(|| format!("POST {path}: {status} {}", answer["detail"].as_str().unwrap_or_default()));
        let excused = status < 500 || world.actor().troubled;
        world.check(Rule::LoudOnlyWhenTroubled, excused, || format!("POST {path}: {status} {answer}"));
        drop(world);
        answer
    };
    let import = async |rows: Vec<Row>, expected: Option<i64>| {
        let window = sim.world().open_window();
        let sent: Vec<_> =
            rows.iter().map(|row| SentRow { mark: row.mark, day: row.day, expected }).collect();
        let rows: Vec<_> = rows.iter().map(|row| row_json(row, expected)).collect();
        let answer = post("puzzles".to_owned(), Some(json!({ "puzzles": rows }))).await;
        let done = answer["bank_revision"].is_i64();
        let refused = answer["type"] == "urn:fencepost:problem:import-refused";
        if done || refused {
            sim.world().judge_import(&sent, done, &window);
        }
    };
    let act = async |puzzle: i64, what: &str| {
        let window = sim.world().open_window();
        let answer = post(format!("items/{puzzle}/{what}"), None).await;
        if let Some(outcome) = outcome_of(&answer) {
            let told = Told {
                actor,
                puzzle,
                outcome,
                revision: answer["revision"].as_i64(),
                version: answer["content_version"].as_i64(),
                window,
            };
            sim.world().hear(told);
        }
    };
    let correct = async |row: Row| {
        let path = format!("/admin/api/items/{}", row.mark.puzzle);
        let (_, _, answer) = request(worker, Method::GET, &path, None).await;
        let answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
        if let Some(version) = answer["puzzle"]["bank_version"].as_i64() {
            sim.world().oracle.expect(row.mark.puzzle, row.mark.edit, version);
            import(vec![row], Some(version)).await;
        }
    };
    match action {
        Action::Import(rows) => import(rows, None).await,
        Action::Correct(row) => correct(row).await,
        Action::Revise(row) => {
            let puzzle = row.mark.puzzle;
            correct(row).await;
            act(puzzle, "republish").await;
        }
        Action::Reschedule { puzzle, by_ms } => {
            let due_at = sim.world().oracle.state().item(puzzle).map(|item| item.due_at);
            if let Some(due_at) = due_at {
                let mut body = json!({ "due_at": due_at + by_ms });
                if sim.world().dice().happens(7_500) {
                    body["expected_due_at"] = due_at.into();
                    sim.world().oracle.expect_due(actor, due_at);
                    // Whoever looks first takes his time.
                    let hesitates = sim.world().dice().between(0, 120_000);
                    sim.pass(hesitates).await;
                }
                post(format!("items/{puzzle}/reschedule"), Some(body)).await;
            }
        }
        Action::Withdraw(puzzle) => act(puzzle, "withdraw").await,
        Action::Reinstate(puzzle) => act(puzzle, "reinstate").await,
        Action::Republish(puzzle) => act(puzzle, "republish").await,
        Action::Pause => drop(post("pause".to_owned(), None).await),
        Action::Resume => drop(post("resume".to_owned(), None).await),
        Action::Policy { publish_late, skip_seconds } => {
            let body = json!({ "publish_late": publish_late, "skip_older_than_seconds": skip_seconds });
            drop(post("policy".to_owned(), Some(body)).await);
        }
        Action::Quota(quota) => drop(post("quota".to_owned(), Some(json!({ "quota": quota }))).await),
    }
}

fn outcome_of(answer: &Value) -> Option<Outcome> {
    serde_json::from_value(answer["outcome"].clone()).ok()
}

/// A row as it is sent.
fn row_json(row: &Row, expected_version: Option<i64>) -> Value {
    let image_url = row.photo.map(|photo| format!("https://photos.example/{}/{photo}.jpg", row.mark.puzzle));
    let mut json = json!({
        "id": row.mark.puzzle,
        "play_date": row.play_date(),
        "name": format!("Item {}", spell('z', row.mark)),
        "price_cents": price_cents(row.mark),
        "description": format!("About *it* {}.", spell('y', row.mark)),
        "image_url": image_url,
    });
    if let Some(version) = expected_version {
        json["expected_version"] = version.into();
    }
    json
}

/// One request of an operator.
pub(crate) async fn request(
    worker: &Worker,
    method: Method,
    path: &str,
    body: Option<Value>,
) -> (u16, HeaderMap, Vec<u8>) {
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::AUTHORIZATION, format!("Bearer {TOKEN}"))
        .header(header::CONTENT_TYPE, "application/json")
        .body(body.map_or_else(Body::empty, |body| Body::from(body.to_string())))
        .expect("the parts of a simulated request are valid");
    send(worker, request).await
}

/// Hands a request to the router, as a socket would.
async fn send(worker: &Worker, request: Request<Body>) -> (u16, HeaderMap, Vec<u8>) {
    let Ok(response) = worker.router.clone().oneshot(request).await;
    let (head, body) = response.into_parts();
    let body = to_bytes(body, LARGEST_BODY).await.map(|bytes| bytes.to_vec()).unwrap_or_default();
    (head.status.as_u16(), head.headers, body)
}
