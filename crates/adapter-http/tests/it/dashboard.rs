//! The dashboard: who gets in, and what an operator can do there.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use axum::{
    body::Body,
    http::{Method, request::Parts},
};
use fencepost_adapter_http::{AdminToken, RateLimit, Secret};
use fencepost_application::Expected;
use fencepost_domain::id::{OwnerId, RunId};
use fencepost_ports::Job;
use serde_json::json;

use crate::world::{
    Answer, FUTURE, OPEN, OVERDUE, PUBLISHED, SECRET, TOKEN, UNKNOWN, WITHDRAWN, World, editor, id,
};

/// Every page of the dashboard.
const PAGES: [&str; 10] = [
    "/admin",
    "/admin/items",
    "/admin/items/1118",
    "/admin/items/1118/edit",
    "/admin/items/new",
    "/admin/runs",
    "/admin/outbox",
    "/admin/actions",
    "/admin/bank",
    "/admin/nope",
];

/// Somebody who is signed in.
pub(crate) struct Operator<'a> {
    world: &'a World,
    pub(crate) cookie: String,
}

impl World {
    pub(crate) async fn signed_in(&self) -> Operator<'_> {
        let answer = self.submit("/admin/sign-in", &[], &[("name", "Ada"), ("token", TOKEN)]).await;
        assert_eq!((answer.status.as_u16(), answer.header("location")), (303, "/admin"));
        let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
        Operator { world: self, cookie }
    }
}

impl Operator<'_> {
    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.world.get_with(path, &[("cookie", &self.cookie)]).await
    }

    /// The mark of this session's forms.
    pub(crate) async fn mark(&self) -> String {
        let page = self.get("/admin").await.text();
        page.split("name=\"mark\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    }

    /// Sends the form of a page of this session.
    pub(crate) async fn press(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let mark = self.mark().await;
        let fields: Vec<_> = fields.iter().copied().chain([("mark", mark.as_str())]).collect();
        self.world.submit(path, &[("cookie", &self.cookie)], &fields).await
    }

    /// The page that an answer leads to.
    pub(crate) async fn after(&self, answer: &Answer) -> String {
        assert_eq!(answer.status.as_u16(), 303, "{}", answer.text());
        self.get(answer.header("location")).await.text()
    }
}

/// Checks that a stranger is asked to sign in and told nothing.
#[track_caller]
fn check_shut(answer: &Answer, what: &str) {
    let html = answer.text();
    assert_eq!(answer.status.as_u16(), 401, "{what}: {html}");
    assert!(html.contains("Admin token") && !html.contains("Sign out"), "{what}: {html}");
    let got = ["cache-control", "x-robots-tag", "set-cookie"].map(|name| answer.header(name));
    assert_eq!(got, ["no-store", "noindex", "-"], "{what}");
}

#[tokio::test]
async fn a_stranger_gets_the_door_at_every_address_alike() {
    let world = World::new().await;
    let door = world.get("/admin").await;
    check_shut(&door, "/admin");
    for path in PAGES {
        assert_eq!(world.get(path).await, door, "{path}");
        for (name, value) in [("cookie", "fencepost-admin=1.2.3"), ("authorization", "Bearer correct-horse")]
        {
            assert_eq!(world.get_with(path, &[(name, value)]).await, door, "{path} with {name}");
        }
    }
    for path in
        ["/admin/pause", "/admin/items/1118/withdraw", "/admin/jobs/publish", "/admin/bank", "/admin/x"]
    {
        assert_eq!(world.submit(path, &[], &[("mark", "x")]).await, door, "POST {path}");
        assert_eq!(world.send(Method::PUT, path, &[], Body::empty()).await, door, "PUT {path}");
    }
    assert_eq!(world.get("/answers/1118").await.status.as_u16(), 200, "nothing was withdrawn");
}

#[tokio::test]
async fn whoever_has_the_token_and_says_who_they_are_gets_in() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    for path in PAGES {
        let page = operator.get(path).await;
        let expected = if path == "/admin/nope" { 404 } else { 200 };
        assert_eq!(page.status.as_u16(), expected, "{path}");
        assert!(page.text().contains("<bdi>Ada</bdi>"), "{path}");
        let got = ["cache-control", "x-robots-tag", "referrer-policy"].map(|name| page.header(name));
        assert_eq!(got, ["no-store", "noindex", "same-origin"], "{path}");
    }
    let wrong = [
        [("name", "Ada"), ("token", "wrong")],
        [("name", "Ada"), ("token", "")],
        [("name", ""), ("token", "wrong")],
    ];
    for fields in wrong {
        let answer = world.submit("/admin/sign-in", &[], &fields).await;
        check_shut(&answer, "a wrong token");
        assert!(answer.text().contains("That is not the admin token."));
    }
    for name in ["", "  ", "line\nbreak", &"x".repeat(41)] {
        let answer = world.submit("/admin/sign-in", &[], &[("name", name), ("token", TOKEN)]).await;
        check_shut(&answer, name);
        assert!(answer.text().contains("Please say who you are"), "{name:?}");
    }
}

#[tokio::test]
async fn the_cookie_is_kept_from_scripts_other_sites_and_open_lines() {
    let mut world = World::new().await;
    let set = |answer: Answer| answer.header("set-cookie").to_owned();
    let fields = [("name", "Ada"), ("token", TOKEN)];
    let cookie = set(world.submit("/admin/sign-in", &[], &fields).await);
    assert!(cookie.starts_with("__Secure-fencepost-admin="), "{cookie}");
    assert!(cookie.ends_with("; Path=/admin; Max-Age=43200; HttpOnly; SameSite=Strict; Secure"), "{cookie}");
    world.config.origin = Some("http://127.0.0.1:8787".to_owned());
    let cookie = set(world.submit("/admin/sign-in", &[], &fields).await);
    assert!(cookie.starts_with("fencepost-admin=") && !cookie.contains("Secure"), "{cookie}");
}

#[tokio::test]
async fn a_session_ends_with_its_time_its_token_its_secret_and_its_environment() {
    let mut world = World::new().await;
    let cookie = world.signed_in().await.cookie;
    let now = world.clock.now();
    let is_in = async |world: &World, cookie: &str| {
        world.get_with("/admin", &[("cookie", cookie)]).await.status.as_u16() == 200
    };
    assert!(is_in(&world, &cookie).await);
    world.clock.set(now.plus(12 * 3_600_000 - 1));
    assert!(is_in(&world, &cookie).await);
    world.clock.set(now.plus(12 * 3_600_000));
    assert!(!is_in(&world, &cookie).await, "after twelve hours");
    world.clock.set(now);
    for at in 0..cookie.len() {
        let changed = format!(
            "{}{}{}",
            &cookie[..at],
            if &cookie[at..=at] == "1" { "2" } else { "1" },
            &cookie[at + 1..]
        );
        assert!(!is_in(&world, &changed).await, "{changed}");
    }
    assert!(!is_in(&world, &format!("{cookie}; {cookie}")).await, "two of a name");
    let config = world.config.clone();
    world.config.admin_token = Some(AdminToken::new("another").unwrap());
    assert!(!is_in(&world, &cookie).await, "another token");
    world.config = config.clone();
    world.config.secret = Some(Secret::new(&SECRET.replace('3', "4")).unwrap());
    assert!(!is_in(&world, &cookie).await, "another secret");
    world.config = config.clone();
    world.config.environment = "staging".to_owned();
    assert!(!is_in(&world, &cookie).await, "another environment");
    world.config = config;
    assert!(is_in(&world, &cookie).await);
}

#[tokio::test]
async fn a_form_counts_from_a_page_of_its_session_alone() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let with = [("cookie", operator.cookie.as_str())];
    for mark in ["", "x", &"0".repeat(64)] {
        let answer = world.submit("/admin/pause", &with, &[("mark", mark)]).await;
        assert_eq!(answer.status.as_u16(), 403, "{mark:?}");
    }
    world.clock.advance(1_000);
    let other = world.signed_in().await;
    let page = other.get("/admin").await.text();
    let foreign = page.split("name=\"mark\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let answer = world.submit("/admin/pause", &with, &[("mark", foreign)]).await;
    assert_eq!(answer.status.as_u16(), 403, "the mark of another session");
    let cross = [with[0], ("sec-fetch-site", "cross-site")];
    let page = operator.get("/admin").await.text();
    let mark = page.split("name=\"mark\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(world.submit("/admin/pause", &cross, &[("mark", mark)]).await.status.as_u16(), 403);
    let json = world.send(Method::POST, "/admin/pause", &with, Body::from("{}")).await;
    assert_eq!(json.status.as_u16(), 415);
    assert!(!world.site.status().await.unwrap().paused, "nothing of it was done");
    assert_eq!(world.submit("/admin/pause", &with, &[("mark", mark)]).await.status.as_u16(), 303);
    assert!(world.site.status().await.unwrap().paused);
}

#[tokio::test]
async fn a_site_that_cannot_let_anybody_in_says_what_it_lacks() {
    let mut world = World::new().await;
    let config = world.config.clone();
    world.config.secret = None;
    let answer = world.get("/admin").await;
    assert_eq!(answer.status.as_u16(), 403);
    assert!(answer.text().contains("FENCEPOST_SECRET") && !answer.text().contains("<form"));
    world.config = config;
    world.config.admin_token = None;
    let answer = world.submit("/admin/sign-in", &[], &[("name", "Ada"), ("token", "")]).await;
    assert_eq!(answer.status.as_u16(), 403);
    assert!(answer.text().contains("FENCEPOST_ADMIN_TOKEN"));
}

/// Says how long to wait to whoever comes more often than twice.
struct Twice(Mutex<u32>);

#[async_trait]
impl RateLimit for Twice {
    async fn seconds_to_wait(&self, _: &Parts) -> Option<u64> {
        let mut asked = self.0.lock().unwrap();
        *asked += 1;
        (*asked > 2).then_some(42)
    }
}

#[tokio::test]
async fn tries_to_sign_in_are_limited_and_nothing_else() {
    let mut world = World::new().await;
    world.config.sign_in_limit = Some(Arc::new(Twice(Mutex::new(0))));
    let operator = world.signed_in().await;
    let wrong = [("name", "Eve"), ("token", "guess")];
    check_shut(&world.submit("/admin/sign-in", &[], &wrong).await, "the second try");
    let third = world.submit("/admin/sign-in", &[], &[("name", "Ada"), ("token", TOKEN)]).await;
    assert_eq!((third.status.as_u16(), third.header("retry-after")), (429, "42"));
    assert!(third.text().contains("in 42 seconds"), "{}", third.text());
    assert_eq!(operator.get("/admin").await.status.as_u16(), 200);
}

#[tokio::test]
async fn the_overview_tells_how_much_is_left_to_a_run_that_is_at_work() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    assert!(!operator.get("/admin").await.text().contains("has not ended"));
    let (run_id, owner) = (RunId::new("at-work"), OwnerId::new("somebody"));
    world.site.stores.runs.start(&run_id, Job::Compensate, &owner, "1.0", None).await.unwrap();
    let page = operator.get("/admin").await.text();
    assert!(page.contains("has not ended. Due and not out yet: 1."), "{page}");
}

#[tokio::test]
async fn the_overview_shows_how_things_are_and_switches_the_site() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let page = operator.get("/admin").await.text();
    for words in
        ["<b>1</b> overdue", "<b>2</b> published", "3 of at most 100", "Has never run.", "3 published"]
    {
        assert!(page.contains(words), "{words:?} is not on the page: {page}");
    }
    assert!(page.contains("1 item is due and not out.") && page.contains("has ever ended"), "{page}");
    let paused = operator.press("/admin/pause", &[]).await;
    assert!(operator.after(&paused).await.contains("The site is paused"));
    let resumed = operator.press("/admin/resume", &[]).await;
    assert!(operator.after(&resumed).await.contains("The site goes on."));
    let ran = operator.press("/admin/jobs/compensate", &[]).await;
    assert_eq!(ran.status.as_u16(), 200);
    assert!(ran.text().contains("What the run did"), "{}", ran.text());
    assert!(operator.get("/admin/runs").await.text().contains("compensate"));
    assert_eq!(operator.press("/admin/jobs/nope", &[]).await.status.as_u16(), 404);
}

#[tokio::test]
async fn one_item_is_explained_and_changed() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let page = operator.get(&format!("/admin/items/{OVERDUE}")).await.text();
    assert!(page.contains("<code>image_ready</code>"), "{page}");
    let open = operator.get(&format!("/admin/items/{OPEN}")).await.text();
    assert!(open.contains("<code>item_due</code>") && open.contains("$11.19"), "{open}");
    for puzzle in [UNKNOWN.to_string(), "x".to_owned(), "01118".to_owned()] {
        assert_eq!(operator.get(&format!("/admin/items/{puzzle}")).await.status.as_u16(), 404, "{puzzle}");
    }

    let withdrawn = operator.press(&format!("/admin/items/{PUBLISHED}/withdraw"), &[]).await;
    let page = operator.after(&withdrawn).await;
    assert!(page.contains("The answer is withdrawn.") && page.contains("<td>withdraw</td>"), "{page}");
    assert_eq!(world.get(&format!("/answers/{PUBLISHED}")).await.status.as_u16(), 410);
    let reinstated = operator.press(&format!("/admin/items/{PUBLISHED}/reinstate"), &[]).await;
    assert!(operator.after(&reinstated).await.contains("The answer is reinstated."));
    assert_eq!(world.get(&format!("/answers/{PUBLISHED}")).await.status.as_u16(), 200);
    let refused = operator.press(&format!("/admin/items/{WITHDRAWN}/republish"), &[]).await;
    assert_eq!(refused.status.as_u16(), 409);
    assert!(refused.text().contains("reinstate it first"), "{}", refused.text());
    let early = operator.press(&format!("/admin/items/{OPEN}/republish"), &[]).await;
    assert_eq!(early.status.as_u16(), 409, "never before its embargo ends");
    let preview = operator.press(&format!("/admin/items/{FUTURE}/preview"), &[]).await;
    assert!(operator.after(&preview).await.contains("A preview."));
    assert_eq!(operator.press(&format!("/admin/items/{FUTURE}/nope"), &[]).await.status.as_u16(), 404);
}

#[tokio::test]
async fn an_answer_is_moved_unless_somebody_else_has_moved_it() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let path = format!("/admin/items/{OPEN}/reschedule");
    let due = world.site.item(id(OPEN)).await.unwrap().item.unwrap().due_at;
    let expected = due.get().to_string();
    let fields = [("due_at", "2026-12-01T10:00"), ("expected_due_at", expected.as_str())];
    let moved = operator.press(&path, &fields).await;
    let page = operator.after(&moved).await;
    assert!(page.contains("10:00 UTC on 1 December 2026"), "{page}");
    let stale = operator.press(&path, &[("due_at", "2026-12-02T10:00"), fields[1]]).await;
    assert_eq!(stale.status.as_u16(), 409);
    let early = operator.press(&path, &[("due_at", "2026-11-28T16:00:00")]).await;
    assert_eq!(early.status.as_u16(), 409);
    assert!(early.text().contains("not due before the end of play"), "{}", early.text());
    for typed in ["", "soon", "2026-13-01T00:00"] {
        assert_eq!(operator.press(&path, &[("due_at", typed)]).await.status.as_u16(), 422, "{typed:?}");
    }
}

#[tokio::test]
async fn an_import_is_looked_at_before_it_is_done() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let row = |id: i64, date: &str, cents: i64| json!({ "id": id, "play_date": date, "name": "A <lamp>", "price_cents": cents, "description": "" });
    let bad = json!({ "puzzles": [row(5, "2027-01-01", 100), row(6, "2027-01-02", 0)] }).to_string();
    let refused = operator.press("/admin/bank", &[("puzzles", &bad)]).await;
    assert_eq!(refused.status.as_u16(), 422);
    assert!(refused.text().contains("Row 2, price_cents"), "{}", refused.text());
    for text in ["", "{", "[]", "{\"puzzles\": 1}"] {
        assert_eq!(operator.press("/admin/bank", &[("puzzles", text)]).await.status.as_u16(), 422, "{text}");
    }

    let good = json!({ "puzzles": [row(5, "2027-01-01", 100), row(PUBLISHED, "2026-11-27", 1_200)] });
    let looked = operator.press("/admin/bank", &[("puzzles", &good.to_string())]).await.text();
    for words in ["A &#60;lamp&#62;", "is new: 1 January 2027, $1.00", "costs $12.00 instead of $11.18"] {
        assert!(looked.contains(words), "{words:?} is not on the page: {looked}");
    }
    assert_eq!(operator.get("/admin/items/5").await.status.as_u16(), 404, "nothing was imported yet");
    let (_, form) = looked.split_once("readonly>").unwrap();
    let rows = form
        .split("</textarea>")
        .next()
        .unwrap()
        .replace("&#34;", "\"")
        .replace("&#60;", "<")
        .replace("&#62;", ">");
    // Somebody else is faster, once.
    let mut faster = json!(row(PUBLISHED, "2026-11-27", 1_300));
    faster["image_url"] = json!(null);
    world.import(json!([faster])).await;
    let overtaken = operator.press("/admin/bank/import", &[("puzzles", &rows)]).await;
    assert_eq!(overtaken.status.as_u16(), 409);
    assert!(overtaken.text().contains("somebody else has changed it"), "{}", overtaken.text());
    assert_eq!(operator.get("/admin/items/5").await.status.as_u16(), 404, "all rows or none");

    let looked = operator.press("/admin/bank", &[("puzzles", &good.to_string())]).await.text();
    let (_, form) = looked.split_once("readonly>").unwrap();
    let rows = form
        .split("</textarea>")
        .next()
        .unwrap()
        .replace("&#34;", "\"")
        .replace("&#60;", "<")
        .replace("&#62;", ">");
    let imported = operator.press("/admin/bank/import", &[("puzzles", &rows)]).await;
    assert_eq!(imported.status.as_u16(), 200);
    assert!(imported.text().contains("Imported: 1 new, 1 changed, 0 as they were."), "{}", imported.text());
    let again = operator.press("/admin/bank", &[("puzzles", &good.to_string())]).await.text();
    assert!(again.contains("Nothing: the bank has all of it like this."), "{again}");
}

#[tokio::test]
async fn what_is_the_number_of_no_row_is_no_place_in_a_list() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    for path in ["/admin/runs", "/admin/outbox"] {
        let whole = operator.get(path).await.text();
        for number in ["x", "0", "-9223372036854775808", "9007199254740992", "9223372036854775808"] {
            let page = operator.get(&format!("{path}?before={number}")).await;
            assert_eq!((page.status.as_u16(), page.text()), (200, whole.clone()), "{path}, {number}");
        }
    }
}

#[tokio::test]
async fn whoever_signs_out_is_out() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let answer = operator.press("/admin/sign-out", &[]).await;
    assert_eq!(answer.status.as_u16(), 303);
    assert!(answer.header("set-cookie").contains("=; Path=/admin; Max-Age=0; HttpOnly"));
}

#[tokio::test]
async fn an_event_that_is_dead_is_tried_again_from_the_dashboard() {
    let (world, receiver) = crate::outbox::listening().await;
    let operator = world.signed_in().await;
    let page = operator.get("/admin/outbox").await.text();
    assert!(page.contains("There is no event.") && !page.contains("no webhook"), "{page}");
    receiver.answer(410);
    world.site.withdraw(&editor(), id(PUBLISHED), Expected::ANYTHING).await.unwrap();
    world.site.deliver_events(&world.config.stop).await.unwrap();

    let page = operator.get("/admin/outbox?state=dead").await.text();
    for part in [
        "withdraw-1118-v2",
        "it wants no more",
        "Dead: 1.",
        "action=\"/admin/outbox/withdraw-1118-v2/retry\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    receiver.answer(200);
    let pressed = operator.press("/admin/outbox/withdraw-1118-v2/retry", &[]).await;
    assert!(operator.after(&pressed).await.contains("The event is tried again."));
    crate::outbox::settle().await;
    let page = operator.get("/admin/outbox").await.text();
    assert!(page.contains("<td>delivered") && !page.contains("/retry\""), "{page}");

    let again = operator.press("/admin/outbox/withdraw-1118-v2/retry", &[]).await;
    assert_eq!(again.status.as_u16(), 409);
    assert!(again.text().contains("the receiver has that event"));
    let unknown = operator.press("/admin/outbox/publish-9-v9/retry", &[]).await;
    assert_eq!(unknown.status.as_u16(), 404);
}

#[tokio::test]
async fn an_event_of_an_alert_says_what_it_means() {
    let (world, _) = crate::outbox::listening_to(Some("alert_raised")).await;
    let page = world.signed_in().await.get("/admin/outbox").await.text();
    for part in
        ["alert_raised <a href=\"/admin\">no_heartbeat of compensate</a>", "has ever ended", "alert-1-raised"]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[tokio::test]
async fn a_site_that_tells_nobody_says_so() {
    let world = World::new().await;
    let page = world.signed_in().await.get("/admin/outbox").await.text();
    assert!(page.contains("this site has no webhook"), "{page}");
}

#[tokio::test]
async fn what_is_done_here_stands_under_the_name_and_the_reason_of_whoever_did_it() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let path = format!("/admin/items/{PUBLISHED}/withdraw");
    let seen = [("expected_state", "published"), ("expected_content_version", "1")];
    let because = |reason| [seen.as_slice(), &[("reason", reason)]].concat();
    let long = "x".repeat(501);
    let refused = operator.press(&path, &because(long.as_str())).await;
    assert_eq!(refused.status.as_u16(), 422, "{}", refused.text());
    let done = operator.press(&path, &because("<b>recalled</b>")).await;
    let page = operator.after(&done).await;
    assert!(page.contains("The answer is withdrawn.") && page.contains("&#60;b&#62;recalled"), "{page}");
    let log = operator.get("/admin/actions").await.text();
    assert!(log.contains("<bdi>Ada</bdi>") && log.contains("&#60;b&#62;recalled"), "{log}");
    let late = operator.press(&format!("/admin/items/{PUBLISHED}/reinstate"), &seen).await;
    assert_eq!(late.status.as_u16(), 409, "{}", late.text());

    let set = operator.press("/admin/quota", &[("quota", "3")]).await;
    assert!(operator.after(&set).await.contains("of at most 3"));
    let set = operator.press("/admin/policy", &[("skip_older_than_hours", "48")]).await;
    let page = operator.after(&set).await;
    assert!(page.contains("value=\"48\"") && !page.contains(" checked"), "{page}");
    for (path, field) in
        [("/admin/quota", ("quota", "many")), ("/admin/policy", ("skip_older_than_hours", "0"))]
    {
        assert_eq!(operator.press(path, &[field]).await.status.as_u16(), 422, "{path}");
    }
}

/// What a field of the overview holds.
async fn shown(operator: &Operator<'_>, name: &str) -> String {
    let page = operator.get("/admin").await.text();
    let field = page.split(&format!("name=\"{name}\" ")).nth(1).unwrap();
    field.split("value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

/// Sends a form of the overview as it was shown, with some fields typed over.
async fn press_shown(
    operator: &Operator<'_>,
    path: &str,
    shown: &[(&'static str, String)],
    typed: &[(&str, &str)],
) -> Answer {
    let left: Vec<_> =
        shown.iter().filter(|(name, _)| typed.iter().all(|(other, _)| other != name)).collect();
    let mut fields: Vec<_> = left.iter().map(|(name, value)| (*name, value.as_str())).collect();
    fields.extend(typed);
    operator.press(path, &fields).await
}

async fn form_of_quota(operator: &Operator<'_>) -> [(&'static str, String); 2] {
    [("quota", shown(operator, "quota").await), ("expected_quota", shown(operator, "expected_quota").await)]
}

async fn form_of_policy(operator: &Operator<'_>) -> [(&'static str, String); 4] {
    let value = async |name| (name, shown(operator, name).await);
    [
        value("publish_late").await,
        value("skip_older_than_hours").await,
        value("expected_publish_late").await,
        value("expected_skip_older_than").await,
    ]
}

#[tokio::test]
async fn of_two_operators_the_second_is_told_what_the_first_has_set() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let seen = form_of_quota(&operator).await;
    let first = press_shown(&operator, "/admin/quota", &seen, &[("quota", "7")]).await;
    assert!(operator.after(&first).await.contains("of at most 7"));
    let second = press_shown(&operator, "/admin/quota", &seen, &[("quota", "9")]).await;
    assert_eq!(second.status.as_u16(), 409);
    let told = second.text();
    assert!(told.contains("somebody else has set it meanwhile. The quota of today is 7 now."), "{told}");
    let seen = form_of_quota(&operator).await;
    assert_eq!(seen.each_ref().map(|(_, value)| value.as_str()), ["7", "7"]);
    assert_eq!(press_shown(&operator, "/admin/quota", &seen, &[("quota", "9")]).await.status.as_u16(), 303);

    let seen = form_of_policy(&operator).await;
    let path = "/admin/policy";
    let first = press_shown(&operator, path, &seen, &[("skip_older_than_hours", "48")]).await;
    assert_eq!(first.status.as_u16(), 303, "{}", first.text());
    let second = press_shown(&operator, path, &seen, &[("skip_older_than_hours", "24")]).await;
    assert_eq!(second.status.as_u16(), 409);
    assert!(second.text().contains("more than 172800 seconds ago"), "{}", second.text());
    assert_eq!(shown(&operator, "skip_older_than_hours").await, "48");
}

#[tokio::test]
async fn a_policy_that_is_shown_in_whole_hours_is_kept_to_the_second() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let set = json!({ "publish_late": true, "skip_older_than_seconds": 5_400 });
    let set = world.admin(Method::POST, "/policy", Some(set)).await;
    assert_eq!(set.status.as_u16(), 200, "{}", set.text());
    let seen = form_of_policy(&operator).await;
    assert_eq!((seen[1].1.as_str(), seen[3].1.as_str()), ("1", "5400000"));
    let before = operator.get("/admin/actions").await.text();
    let untouched = press_shown(&operator, "/admin/policy", &seen, &[]).await;
    assert_eq!(untouched.status.as_u16(), 303, "{}", untouched.text());
    assert_eq!(shown(&operator, "expected_skip_older_than").await, "5400000");
    assert_eq!(operator.get("/admin/actions").await.text(), before, "nothing was changed");
    let typed = press_shown(&operator, "/admin/policy", &seen, &[("skip_older_than_hours", "2")]).await;
    assert_eq!(typed.status.as_u16(), 303, "{}", typed.text());
    assert_eq!(shown(&operator, "expected_skip_older_than").await, "7200000");
}
