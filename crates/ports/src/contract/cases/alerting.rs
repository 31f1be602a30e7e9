//! Alerts as others are told of them: what is seen, what it moves, and what is enqueued.

use std::collections::BTreeMap;

use fencepost_domain::{
    action::ActionKind,
    alert::{AlertKind, Severity},
    episode::{AlertLook, CALM_MS, Edge, FRESH_MS, OpenEpisode, Turned, Turns},
    id::RunId,
    ledger::Ending,
    outbox::{DeliveryEnd, EventKind, EventState, Subject},
    outcome::Outcome,
    time::{DAY_MS, UnixMillis},
};
use serde_json::{Value, json};

use crate::{
    Job,
    contract::{
        Fixture,
        lines::{NULL, appears, becomes},
        steps::{DAILY_QUOTA, due, entry, ok, opens, owner, row},
    },
};

const ALL: &[EventKind] = &EventKind::ALL;

async fn look(f: &Fixture) -> AlertLook {
    f.keeps(f.stores.alerts.look()).await
}

async fn turns(f: &Fixture) -> Turns {
    look(f).await.turns(DAILY_QUOTA)
}

/// Looks, and writes down what follows.
async fn watch(f: &Fixture, name: &str) -> Turned {
    let turns = turns(f).await;
    ok(f.stores.alerts.turn(&turns, ALL, &owner(name)).await)
}

/// The alert of these cases is the pause: it begins and ends when somebody says so.
async fn pause(f: &Fixture, paused: bool) {
    let action = if paused { ActionKind::Pause } else { ActionKind::Resume };
    ok(f.stores.ledger.set_paused(paused, &entry(action)).await);
}

/// The names of all events, in the order in which they were enqueued.
async fn names(f: &Fixture) -> Vec<String> {
    let entries = f.keeps(f.stores.outbox.events(None, None, 99)).await;
    entries.into_iter().rev().map(|entry| entry.event.event_id.to_string()).collect()
}

/// The row of the event of an alert that was enqueued at `now`.
fn event(kind: EventKind, name: &str, episode: i64, now: UnixMillis) -> Value {
    json!({
        "event_id": name,
        "kind": kind,
        "puzzle_id": NULL,
        "content_version": NULL,
        "revision": NULL,
        "happened_at": now,
        "created_at": now,
        "state": "pending",
        "attempts": 0,
        "next_attempt_at": now,
        "claimed_by": NULL,
        "claimed_until": 0,
        "last_error": NULL,
        "delivered_at": NULL,
        "episode": episode,
    })
}

const RAISED: Turned = Turned { raised: 1, cleared: 0 };
const CLEARED: Turned = Turned { raised: 0, cleared: 1 };
const NOTHING: Turned = Turned { raised: 0, cleared: 0 };

pub(super) async fn a_look_sees_what_the_overview_does(f: &Fixture) {
    let check = async |what: &str| {
        let mut expected = ok(f.stores.runs.overview(DAILY_QUOTA).await).vitals();
        let mut seen = look(f).await.vitals;
        expected.heartbeats.sort_by_key(|beat| beat.job.as_str());
        seen.heartbeats.sort_by_key(|beat| beat.job.as_str());
        assert_eq!(seen, expected, "{what}");
    };
    check("a new site").await;
    f.import("e1", (1..=6).map(row)).await;
    check("something is to come").await;
    f.clock.set(due(4));
    check("something is due").await;
    f.publish(1).await;
    let hand = f.take(2, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no photo".to_owned() }).await);
    f.take(3, "ada").await;
    pause(f, true).await;
    check("one is out, one blocked, one in hand, and the site is paused").await;
    let run = RunId::new("r1");
    ok(f.stores.runs.start(&run, Job::Compensate, &owner("ada"), "1.0", None).await);
    check("a run has begun").await;
    let counts = BTreeMap::from([(Outcome::Published, 1), (Outcome::Unknown, 2)]);
    ok(f.stores.runs.finish(&run, &counts, None, None).await);
    check("it has ended").await;
    let unknown: Vec<_> = look(f).await.vitals.heartbeats.iter().map(|beat| beat.unknown).collect();
    assert_eq!(unknown, [2], "and did not learn what became of two items");
    f.clock.set(due(9));
    check("days later").await;
}

pub(super) async fn an_alert_that_begins_is_one_episode_and_one_event(f: &Fixture) {
    assert!(turns(f).await.is_empty(), "all is well");
    pause(f, true).await;
    let now = opens(1);
    let turns = turns(f).await;
    let [alert] = &turns.raised[..] else { panic!("one alert was to begin: {turns:?}") };
    let episode = json!({
        "kind": "paused",
        "job": NULL,
        "since": NULL,
        "count": 1,
        "meaning": alert.meaning,
        "remedy": alert.remedy,
        "raised_at": now,
        "raised_by": "ada",
        "calm_since": NULL,
        "cleared_at": NULL,
        "cleared_by": NULL,
    });
    let lines = [
        appears("alert_episodes", 1, &episode),
        appears("outbox", 1, &event(EventKind::AlertRaised, "alert-1-raised", 1, now)),
    ];
    let turned = f.changes(f.stores.alerts.turn(&turns, ALL, &owner("ada")), lines).await;
    assert_eq!(turned, RAISED);
    let again = f.keeps(f.stores.alerts.turn(&turns, ALL, &owner("ada"))).await;
    assert_eq!(again, RAISED, "saying it twice changes nothing");
    let open = OpenEpisode { number: 1, kind: AlertKind::Paused, job: None, calm_since: None };
    let seen = look(f).await;
    assert_eq!(seen.open, [open]);
    assert!(seen.turns(DAILY_QUOTA).is_empty(), "it was told");
}

pub(super) async fn of_two_that_see_the_same_edge_one_writes_it(f: &Fixture) {
    pause(f, true).await;
    let seen = turns(f).await;
    assert_eq!(ok(f.stores.alerts.turn(&seen, ALL, &owner("ada")).await), RAISED);
    assert_eq!(f.keeps(f.stores.alerts.turn(&seen, ALL, &owner("bob"))).await, NOTHING);
    pause(f, false).await;
    let seen = turns(f).await;
    ok(f.stores.alerts.turn(&seen, ALL, &owner("cy")).await);
    f.clock.advance(1);
    f.keeps(f.stores.alerts.turn(&seen, ALL, &owner("dan"))).await;
    f.clock.advance(CALM_MS);
    let seen = turns(f).await;
    assert_eq!(ok(f.stores.alerts.turn(&seen, ALL, &owner("eve")).await), CLEARED);
    assert_eq!(f.keeps(f.stores.alerts.turn(&seen, ALL, &owner("fay"))).await, NOTHING);
    assert_eq!(names(f).await, ["alert-1-raised", "alert-1-cleared"]);
}

pub(super) async fn an_alert_that_comes_and_goes_is_one_episode(f: &Fixture) {
    pause(f, true).await;
    watch(f, "ada").await;
    for _ in 0..20 {
        f.clock.advance(CALM_MS - 1);
        pause(f, false).await;
        let gone = f.clock.now();
        let calm = turns(f).await;
        let lines = [becomes("alert_episodes", 1, "calm_since", NULL, gone)];
        f.changes(f.stores.alerts.turn(&calm, ALL, &owner("ada")), lines).await;
        f.clock.advance(CALM_MS - 1);
        assert!(turns(f).await.is_empty(), "it may come back");
        pause(f, true).await;
        let back = turns(f).await;
        let lines = [becomes("alert_episodes", 1, "calm_since", gone, NULL)];
        f.changes(f.stores.alerts.turn(&back, ALL, &owner("ada")), lines).await;
    }
    assert_eq!(names(f).await, ["alert-1-raised"]);
}

pub(super) async fn an_alert_ends_when_it_was_gone_for_long_enough(f: &Fixture) {
    pause(f, true).await;
    watch(f, "ada").await;
    pause(f, false).await;
    watch(f, "ada").await;
    f.clock.advance(CALM_MS);
    let now = f.clock.now();
    let turns = turns(f).await;
    let lines = [
        becomes("alert_episodes", 1, "cleared_at", NULL, now),
        becomes("alert_episodes", 1, "cleared_by", NULL, "bob"),
        appears("outbox", 2, &event(EventKind::AlertCleared, "alert-1-cleared", 1, now)),
    ];
    let turned = f.changes(f.stores.alerts.turn(&turns, ALL, &owner("bob")), lines).await;
    assert_eq!(turned, CLEARED);
    assert_eq!(f.keeps(f.stores.alerts.turn(&turns, ALL, &owner("bob"))).await, CLEARED);
    assert_eq!(look(f).await.open, []);
}

pub(super) async fn an_alert_that_begins_again_is_another_episode(f: &Fixture) {
    for round in ["1", "2", "3"] {
        pause(f, true).await;
        assert_eq!(watch(f, &format!("raiser-{round}")).await, RAISED);
        pause(f, false).await;
        watch(f, "ada").await;
        f.clock.advance(CALM_MS);
        assert_eq!(watch(f, &format!("clearer-{round}")).await, CLEARED);
    }
    let expected = ["raised", "cleared"].map(|edge| [1, 2, 3].map(|n| format!("alert-{n}-{edge}")));
    let mut found = names(f).await;
    found.sort();
    let mut expected = expected.concat();
    expected.sort();
    assert_eq!(found, expected);
}

pub(super) async fn what_was_seen_too_long_ago_moves_nothing(f: &Fixture) {
    pause(f, true).await;
    let raise = turns(f).await;
    f.clock.advance(FRESH_MS + 1);
    assert_eq!(f.keeps(f.stores.alerts.turn(&raise, ALL, &owner("late"))).await, NOTHING);
    f.clock.advance(-1);
    assert_eq!(ok(f.stores.alerts.turn(&raise, ALL, &owner("in-time")).await), RAISED);
    pause(f, false).await;
    let calm = turns(f).await;
    f.clock.advance(FRESH_MS + 1);
    f.keeps(f.stores.alerts.turn(&calm, ALL, &owner("late"))).await;
}

pub(super) async fn an_episode_moves_on_only_from_where_it_was_seen(f: &Fixture) {
    pause(f, true).await;
    watch(f, "ada").await;
    pause(f, false).await;
    watch(f, "ada").await;
    f.clock.advance(CALM_MS);
    let clear = turns(f).await;
    pause(f, true).await;
    watch(f, "bob").await;
    assert_eq!(f.keeps(f.stores.alerts.turn(&clear, ALL, &owner("late"))).await, NOTHING, "it is back");
    pause(f, false).await;
    watch(f, "bob").await;
    f.clock.advance(1);
    assert_eq!(f.keeps(f.stores.alerts.turn(&clear, ALL, &owner("late"))).await, NOTHING, "gone anew");
}

pub(super) async fn an_edge_that_nobody_is_told_of_is_remembered_all_the_same(f: &Fixture) {
    let only_ends = [EventKind::Published, EventKind::AlertCleared];
    pause(f, true).await;
    let seen = turns(f).await;
    assert_eq!(ok(f.stores.alerts.turn(&seen, &only_ends, &owner("ada")).await), RAISED);
    assert_eq!(names(f).await, [""; 0]);
    assert!(turns(f).await.is_empty(), "nor is it told later");
    pause(f, false).await;
    watch(f, "cy").await;
    f.clock.advance(CALM_MS);
    let seen = turns(f).await;
    assert_eq!(ok(f.stores.alerts.turn(&seen, &only_ends, &owner("bob")).await), CLEARED);
    assert_eq!(names(f).await, ["alert-1-cleared"]);
}

pub(super) async fn jobs_that_are_silent_are_alerts_of_their_own(f: &Fixture) {
    for job in Job::ALL {
        let run = RunId::new(job.as_str());
        ok(f.stores.runs.start(&run, job, &owner("ada"), "1.0", None).await);
        ok(f.stores.runs.finish(&run, &BTreeMap::new(), None, None).await);
    }
    f.clock.advance(DAY_MS);
    assert_eq!(watch(f, "ada").await, RAISED);
    f.clock.advance(2 * DAY_MS);
    assert_eq!(watch(f, "bob").await, RAISED);
    let open: Vec<_> = look(f).await.open.iter().map(|it| (it.number, it.kind, it.job)).collect();
    let silent = |number, job| (number, AlertKind::NoHeartbeat, Some(job));
    assert_eq!(open, [silent(1, Job::Compensate), silent(2, Job::Publish)]);
}

pub(super) async fn an_event_of_an_alert_is_claimed_and_listed_with_what_it_tells(f: &Fixture) {
    let run = RunId::new("r1");
    ok(f.stores.runs.start(&run, Job::Compensate, &owner("ada"), "1.0", None).await);
    ok(f.stores.runs.finish(&run, &BTreeMap::new(), None, None).await);
    let ended = f.clock.now();
    f.clock.advance(DAY_MS);
    let now = f.clock.now();
    let expected = turns(f).await.raised;
    watch(f, "ada").await;
    assert_eq!(f.keeps(f.stores.outbox.claim(&EventKind::PAGES, &owner("ada"))).await, None);
    let claimed = ok(f.stores.outbox.claim(ALL, &owner("ada")).await);
    let claimed = claimed.unwrap_or_else(|| panic!("there is an event"));
    let Subject::Alert(told) = &claimed.event.subject else { panic!("not of an alert: {claimed:?}") };
    assert_eq!((told.edge, told.episode.number, told.episode.raised_at), (Edge::Raised, 1, now));
    assert_eq!(std::slice::from_ref(&told.episode.alert), expected);
    assert_eq!((told.episode.alert.job, told.episode.alert.since), (Some(Job::Compensate), Some(ended)));
    assert_eq!(told.episode.alert.severity, Severity::Alert);
    assert_eq!((claimed.event.kind(), claimed.event.happened_at), (EventKind::AlertRaised, now));
    let end = DeliveryEnd::of_status(410);
    assert_eq!(ok(f.stores.outbox.record(&claimed, &end).await), Some(EventState::Dead));
    let listed = f.keeps(f.stores.outbox.events(Some(EventState::Dead), None, 9)).await;
    let listed: Vec<_> = listed.into_iter().map(|entry| entry.event).collect();
    assert_eq!(listed, std::slice::from_ref(&claimed.event));
    let retried = ok(f.stores.outbox.retry(&claimed.event.event_id, &entry(ActionKind::Resend)).await);
    assert_eq!(retried.map(|entry| entry.event), Some(claimed.event));
}
