//! Afterwards: the faults have stopped, and everything has to come out.

use axum::http::Method;
use fencepost_domain::{alert::longest_silence_ms, time::DAY_MS};
use fencepost_ports::Job;
use serde_json::{Value, json};

use crate::{
    actors::{read, report_of_run, request},
    cast::Worker,
    oracle::{Item, Rule, State},
    plan::{HOUR_MS, Page},
    world::{ActorId, Sim},
};

/// Longer than any lease, and than any rest after a failure.
const REST_MS: i64 = 2 * HOUR_MS;

/// Lets whatever is due come out, and looks at the whole site once more.
pub(crate) async fn settle(sim: Sim, workers: Vec<Worker>, actor: ActorId) {
    let worker = &workers[0];
    sim.pass(REST_MS).await;
    request(worker, Method::POST, "/admin/api/resume", None).await;
    let catch_up = json!({ "publish_late": true, "skip_older_than_seconds": null });
    request(worker, Method::POST, "/admin/api/policy", Some(catch_up)).await;
    let blocked: Vec<_> = {
        let state = sim.world().oracle.state();
        state.items.iter().filter(|item| item.state == "blocked").map(|item| item.id).collect()
    };
    for id in blocked {
        // Somebody has seen to what was in the way.
        request(worker, Method::POST, &format!("/admin/api/items/{id}/republish"), None).await;
    }
    bring_out(&sim, worker, actor).await;
    judge_rest(&sim);
    take_back_while_paused(&sim, worker, actor).await;
    fall_silent(&sim, worker, actor).await;
    for worker in &workers {
        read_everything(&sim, worker).await;
    }
    let violations = worker.site_for_people().verify().await;
    let mut world = sim.world();
    let unexpected = violations.map(|mut violations| {
        // Whoever deletes the row of a lease lets its fence begin anew, and that is told.
        violations.retain(|it| !(it.rule.ends_with("fence_fell") && world.oracle.is_forgotten(&it.subject)));
        violations
    });
    let clean = unexpected.as_ref().is_ok_and(Vec::is_empty);
    world.check(Rule::VerifierAgrees, clean, || format!("{unexpected:?}"));
}

/// What is due and not out. That an item is `blocked` is no way out of it: once it is calm,
/// there is nothing that it could be blocked by.
fn due(state: &State, clock: i64) -> impl Iterator<Item = &Item> {
    let waits = |state: &str| matches!(state, "scheduled" | "processing" | "blocked");
    state.items.iter().filter(move |item| item.due_at <= clock && waits(&item.state))
}

/// Of that, what is in nobody's hands and has rested. A lease that outlived its holder, and a
/// rest after a failure, begin anew when the clock has jumped back and gets there again.
fn free(state: &State, clock: i64) -> impl Iterator<Item = &Item> {
    let is_live = move |key: &str| state.lease(key).is_some_and(|lease| lease.is_live(clock));
    due(state, clock).filter(move |item| {
        !is_live(&item.lease_key()) && !is_live(&format!("image:{}", item.id)) && !item.rests(clock)
    })
}

/// Runs once an hour. Each run brings out all that is due, as far as its budget and the
/// day's quota go.
async fn bring_out(sim: &Sim, worker: &Worker, actor: ActorId) {
    loop {
        let (state, clock) = {
            let world = sim.world();
            (world.oracle.state(), world.clock())
        };
        // After the clock has jumped back, what is in hand has to become due again.
        let in_hand = state.items.iter().any(|item| item.state == "processing");
        if due(&state, clock).next().is_none() && !in_hand {
            return;
        }
        for told in report_of_run(sim, worker, actor, Job::Compensate).await {
            sim.world().hear_of_deed(&told);
        }
        if !judge_run(sim, worker, &state, clock) {
            return;
        }
        sim.pass(HOUR_MS).await;
    }
}

/// Whether a run brought out what it had to, given what there was before it.
fn judge_run(sim: &Sim, worker: &Worker, state: &State, clock: i64) -> bool {
    let mut world = sim.world();
    world.stats.calm_runs += 1;
    let left_over = world.oracle.state();
    let before = free(state, clock).count();
    let is_left = |item: &Item| due(&left_over, clock).any(|left| left.id == item.id);
    let came_out = free(state, clock).filter(|item| !is_left(item)).count();
    let quota = state.quotas.iter().find(|row| row.day == clock.div_euclid(DAY_MS));
    let daily = worker.plan.daily_quota;
    let left = quota.map_or(daily, |row| row.left(daily));
    // Fifty calls are two pages whose photos have to be fetched.
    let most = if worker.plan.budget.is_some() { 2 } else { before };
    let expected = before.min(most).min(usize::try_from(left).unwrap_or(0));
    let fast_enough = came_out >= expected;
    world.check(Rule::EverythingComesOut, fast_enough, || {
        format!("{came_out} of {before} came out, and {left} were left of the quota")
    });
    fast_enough
}

fn judge_rest(sim: &Sim) {
    let mut world = sim.world();
    let state = world.oracle.state();
    let in_hand = state.items.iter().find(|item| item.state == "processing");
    world.check(Rule::NothingStaysInHand, in_hand.is_none(), || format!("{in_hand:?}"));
}

/// Neither a pause nor a used-up quota keeps an operator from taking a page back.
async fn take_back_while_paused(sim: &Sim, worker: &Worker, actor: ActorId) {
    let state = sim.world().oracle.state();
    let own = format!("{actor}-");
    // Whoever has brought a page out does not change it a second time.
    let page = state.pages.iter().find(|page| !page.withdrawn && !page.token.starts_with(&own));
    let Some(id) = page.map(|page| page.id) else { return };
    request(worker, Method::POST, "/admin/api/pause", None).await;
    request(worker, Method::POST, &format!("/admin/api/items/{id}/withdraw"), None).await;
    let mut world = sim.world();
    let state = world.oracle.state();
    let is_gone = state.paused && state.page(id).is_some_and(|page| page.withdrawn);
    world.check(Rule::TakenBackWhilePaused, is_gone, || {
        format!("paused {}, {:?}", state.paused, state.page(id))
    });
}

/// No cron fires for two intervals, and then one does.
async fn fall_silent(sim: &Sim, worker: &Worker, actor: ActorId) {
    let job = Job::Compensate;
    let mut told = Vec::new();
    for silence in [0, longest_silence_ms(job) + 1, 0] {
        if silence > 0 {
            sim.pass(silence).await;
        } else {
            report_of_run(sim, worker, actor, job).await;
        }
        let (_, _, body) = request(worker, Method::GET, "/admin/api/status", None).await;
        let status: Value = serde_json::from_slice(&body).unwrap_or_default();
        let is_of_job = |alert: &&Value| alert["kind"] == "no_heartbeat" && alert["job"] == job.as_str();
        told.push(status["alerts"].as_array().is_some_and(|alerts| alerts.iter().any(|it| is_of_job(&it))));
    }
    sim.world().check(Rule::SilenceTold, told == [false, true, false], || format!("{told:?}"));
}

/// Every page, out of caches that have forgotten nothing.
async fn read_everything(sim: &Sim, worker: &Worker) {
    let ids: Vec<_> = sim.world().oracle.state().puzzles.iter().map(|puzzle| puzzle.id).collect();
    for page in [Page::Home, Page::Answers, Page::Feed, Page::Sitemap] {
        read(sim, worker, page).await;
    }
    for id in ids {
        read(sim, worker, Page::Answer(id)).await;
        read(sim, worker, Page::Photo(id)).await;
    }
}
