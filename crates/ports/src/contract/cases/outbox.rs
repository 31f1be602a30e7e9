//! The outbox: what is enqueued, who may send it, and what is recorded of it.

use fencepost_domain::{
    action::ActionKind,
    commit::{Change, CommitKind},
    id::ContentVersion,
    outbox::{
        CLAIM_MS, ClaimedEvent, DeliveryEnd, Event, EventId, EventKind, EventState, LONGEST_WAIT_MS,
        MOST_ATTEMPTS, OutboxTally, OutboxWork, PageChange, Subject, wait_ms,
    },
    page::AnswerContent,
    revision::Revision,
    time::UnixMillis,
};
use serde_json::json;

use crate::contract::{
    Fixture,
    lines::{NULL, appears, becomes},
    steps::{content, due, entry, id, ok, owner, row, trace},
};

const ALL: &[EventKind] = &EventKind::ALL;
const NONE: &[EventKind] = &[];

/// Somebody has a receiver from now on.
async fn listen(f: &Fixture) {
    ok(f.stores.outbox.enqueue(ALL).await);
}

/// Publishes puzzles `1..=last`, of whose events the outbox then has one each, and says when.
async fn enqueued(f: &Fixture, last: i64) -> UnixMillis {
    f.import("e1", (1..=last).map(row)).await;
    listen(f).await;
    f.clock.set(due(last));
    for n in 1..=last {
        f.publish(n).await;
    }
    listen(f).await;
    due(last)
}

fn event_id(kind: &str, n: i64, version: i64) -> EventId {
    format!("{kind}-{}-v{version}", id(n)).parse().expect("the cases name events as they are named")
}

/// The names of all events, in the order in which they were enqueued.
async fn names(f: &Fixture) -> Vec<String> {
    let entries = f.keeps(f.stores.outbox.events(None, None, 99)).await;
    entries.into_iter().rev().map(|entry| entry.event.event_id.to_string()).collect()
}

/// Claims whatever is due, for somebody.
async fn claim(f: &Fixture, name: &str) -> Option<ClaimedEvent> {
    ok(f.stores.outbox.claim(ALL, &owner(name)).await)
}

async fn must_claim(f: &Fixture, name: &str) -> ClaimedEvent {
    claim(f, name).await.unwrap_or_else(|| panic!("{name} was to claim an event"))
}

fn failed() -> DeliveryEnd {
    DeliveryEnd::of_status(500)
}

pub(super) async fn nothing_of_the_past_is_enqueued(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(2));
    f.publish(1).await;
    f.changes(f.stores.outbox.enqueue(ALL), [appears("outbox_cursor", 1, &json!({ "revision": 1 }))]).await;
    f.keeps(f.stores.outbox.enqueue(ALL)).await;
    f.publish(2).await;
    listen(f).await;
    assert_eq!(names(f).await, ["publish-1002-v1"]);
}

pub(super) async fn a_commit_is_enqueued_once_with_what_its_receipt_says(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    listen(f).await;
    f.clock.set(due(1));
    f.publish(1).await;
    f.clock.set(due(2));
    let columns = json!({
        "event_id": "publish-1001-v1",
        "kind": "published",
        "puzzle_id": 1_001,
        "content_version": 1,
        "revision": 1,
        "happened_at": due(1),
        "created_at": due(2),
        "state": "pending",
        "attempts": 0,
        "next_attempt_at": due(2),
        "claimed_by": NULL,
        "claimed_until": 0,
        "last_error": NULL,
        "delivered_at": NULL,
        "episode": NULL,
    });
    let lines = [appears("outbox", 1, &columns), becomes("outbox_cursor", 1, "revision", 0, 1)];
    f.changes(f.stores.outbox.enqueue(ALL), lines).await;
    f.clock.set(due(3));
    f.keeps(f.stores.outbox.enqueue(ALL)).await;
    let entries = f.keeps(f.stores.outbox.events(None, None, 9)).await;
    let expected = Event {
        event_id: event_id("publish", 1, 1),
        subject: Subject::Page(PageChange {
            change: CommitKind::Publish,
            puzzle_id: id(1),
            content_version: ContentVersion::new(1),
            revision: Revision::new(1),
        }),
        happened_at: due(1),
    };
    let found: Vec<_> =
        entries.into_iter().map(|entry| (entry.number, entry.event, entry.created_at)).collect();
    assert_eq!(found, [(1, expected, due(2))]);
}

pub(super) async fn every_kind_of_commit_is_told_in_the_order_of_revisions(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    listen(f).await;
    f.clock.set(due(1));
    f.publish(1).await;
    let hand = f.take_over(1, "editor").await;
    let changed = AnswerContent { name: "Another".to_owned(), ..content(1) };
    f.land(&hand.commit("update", Change::Update(changed))).await;
    f.withdraw(1).await;
    let hand = f.take_over(1, "editor").await;
    f.land(&hand.commit("reinstate", Change::Reinstate)).await;
    listen(f).await;
    assert_eq!(
        names(f).await,
        ["publish-1001-v1", "update-1001-v2", "withdraw-1001-v3", "reinstate-1001-v4"]
    );
    let entries = ok(f.stores.outbox.events(None, None, 9).await);
    let kinds: Vec<_> = entries.iter().rev().map(|entry| entry.event.kind()).collect();
    assert_eq!(kinds, EventKind::PAGES);
}

pub(super) async fn a_kind_that_is_not_wanted_is_passed_over_for_good(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    listen(f).await;
    f.clock.set(due(2));
    f.publish(1).await;
    f.withdraw(1).await;
    ok(f.stores.outbox.enqueue(&[EventKind::Withdrawn]).await);
    assert_eq!(names(f).await, ["withdraw-1001-v2"]);
    f.publish(2).await;
    listen(f).await;
    assert_eq!(names(f).await, ["withdraw-1001-v2", "publish-1002-v1"]);
}

pub(super) async fn a_commit_that_was_refused_has_no_event(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    listen(f).await;
    f.clock.set(due(1));
    let hand = f.take(1, "press").await;
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    ok(f.stores.ledger.commit(&hand.commit("c1", Change::Publish(content(1)))).await);
    f.keeps(f.stores.outbox.enqueue(ALL)).await;
    assert_eq!(names(f).await, [""; 0]);
}

pub(super) async fn an_event_is_claimed_by_one(f: &Fixture) {
    let now = enqueued(f, 1).await;
    let lines = [
        becomes("outbox", 1, "attempts", 0, 1),
        becomes("outbox", 1, "next_attempt_at", now, now.plus(wait_ms(1))),
        becomes("outbox", 1, "claimed_by", NULL, "ada"),
        becomes("outbox", 1, "claimed_until", 0, now.plus(CLAIM_MS)),
    ];
    let claimed = f.changes(f.stores.outbox.claim(ALL, &owner("ada")), lines).await;
    let claimed = claimed.unwrap_or_else(|| panic!("ada was to claim the event"));
    assert_eq!((claimed.now, claimed.attempt, claimed.owner.as_str()), (now, 1, "ada"));
    assert_eq!(claimed.event.event_id, event_id("publish", 1, 1));
    f.clock.set(now.plus(CLAIM_MS - 1));
    assert_eq!(f.keeps(f.stores.outbox.claim(ALL, &owner("bob"))).await, None);
    let again = f.keeps(f.stores.outbox.claim(ALL, &owner("ada"))).await;
    let expected = ClaimedEvent { now: now.plus(CLAIM_MS - 1), ..claimed };
    assert_eq!(again, Some(expected), "who asks again is told again");
}

pub(super) async fn an_event_of_a_dead_worker_is_claimed_by_the_next(f: &Fixture) {
    let now = enqueued(f, 1).await;
    let dead = must_claim(f, "ada").await;
    f.clock.set(now.plus(CLAIM_MS));
    let claimed = must_claim(f, "bob").await;
    assert_eq!((claimed.attempt, &claimed.event), (2, &dead.event), "the same key");
    assert_eq!(f.keeps(f.stores.outbox.record(&dead, &failed())).await, Some(EventState::Pending));
    assert_eq!(
        f.keeps(f.stores.outbox.record(&dead, &DeliveryEnd::Delivered)).await,
        Some(EventState::Pending),
        "what a late worker says is not recorded"
    );
}

pub(super) async fn each_has_an_event_of_its_own_and_the_one_due_longest_comes_first(f: &Fixture) {
    enqueued(f, 3).await;
    let mut claimed = Vec::new();
    for name in ["ada", "bob", "cy"] {
        claimed.push(must_claim(f, name).await.event.event_id.to_string());
    }
    assert_eq!(claimed, ["publish-1001-v1", "publish-1002-v1", "publish-1003-v1"]);
    assert_eq!(claim(f, "dan").await, None);
}

pub(super) async fn only_kinds_that_are_told_are_claimed(f: &Fixture) {
    let now = enqueued(f, 1).await;
    for kinds in [NONE, &[EventKind::Withdrawn, EventKind::Updated]] {
        assert_eq!(f.keeps(f.stores.outbox.claim(kinds, &owner("ada"))).await, None);
        let work = f.keeps(f.stores.outbox.work(kinds)).await;
        assert_eq!(work, OutboxWork { now, is_behind: false, next_at: None });
    }
    let kinds = [EventKind::Withdrawn, EventKind::Published];
    assert!(ok(f.stores.outbox.claim(&kinds, &owner("ada")).await).is_some());
}

pub(super) async fn a_delivery_is_recorded_and_ends_it(f: &Fixture) {
    let now = enqueued(f, 1).await;
    let claimed = must_claim(f, "ada").await;
    f.clock.set(now.plus(7));
    let lines = [
        becomes("outbox", 1, "state", "pending", "delivered"),
        becomes("outbox", 1, "delivered_at", NULL, now.plus(7)),
        becomes("outbox", 1, "claimed_by", "ada", NULL),
        becomes("outbox", 1, "claimed_until", now.plus(CLAIM_MS), 0),
    ];
    let state = f.changes(f.stores.outbox.record(&claimed, &DeliveryEnd::Delivered), lines).await;
    assert_eq!(state, Some(EventState::Delivered));
    f.clock.set(now.plus(LONGEST_WAIT_MS * 100));
    assert_eq!(f.keeps(f.stores.outbox.record(&claimed, &failed())).await, Some(EventState::Delivered));
    assert_eq!(f.keeps(f.stores.outbox.claim(ALL, &owner("bob"))).await, None);
    f.keeps(f.stores.outbox.enqueue(ALL)).await;
    let kept = f.keeps(f.stores.outbox.retry(&event_id("publish", 1, 1), &entry(ActionKind::Resend))).await;
    assert_eq!(kept.map(|entry| entry.state), Some(EventState::Delivered), "what is delivered stays so");
}

pub(super) async fn a_failure_waits_twice_as_long_each_time_until_the_event_is_dead(f: &Fixture) {
    let mut now = enqueued(f, 1).await;
    for attempt in 1..=MOST_ATTEMPTS {
        let claimed = must_claim(f, "ada").await;
        assert_eq!((claimed.attempt, claimed.now), (attempt, now));
        let state = ok(f.stores.outbox.record(&claimed, &failed()).await);
        if attempt == MOST_ATTEMPTS {
            assert_eq!(state, Some(EventState::Dead));
            break;
        }
        assert_eq!(state, Some(EventState::Pending));
        now = now.plus(wait_ms(attempt));
        f.clock.set(now.plus(-1));
        assert_eq!(f.keeps(f.stores.outbox.claim(ALL, &owner("ada"))).await, None, "after {attempt}");
        let work = f.keeps(f.stores.outbox.work(ALL)).await;
        assert_eq!((work.next_at, work.is_due()), (Some(now), false));
        f.clock.set(now);
        assert!(ok(f.stores.outbox.work(ALL).await).is_due());
    }
    f.clock.set(now.plus(LONGEST_WAIT_MS * 100));
    assert_eq!(f.keeps(f.stores.outbox.claim(ALL, &owner("ada"))).await, None, "dead is dead");
    let entries = f.keeps(f.stores.outbox.events(Some(EventState::Dead), None, 9)).await;
    let errors: Vec<_> = entries.iter().map(|entry| entry.last_error.as_deref()).collect();
    assert_eq!(errors, [Some("the receiver answered 500")]);
}

pub(super) async fn an_attempt_that_nobody_reports_of_counts_as_one_that_failed(f: &Fixture) {
    let mut now = enqueued(f, 1).await;
    for attempt in 1..=5 {
        assert_eq!(must_claim(f, &format!("killed-{attempt}")).await.attempt, attempt);
        now = now.plus(wait_ms(attempt).max(CLAIM_MS));
        f.clock.set(now.plus(-1));
        assert_eq!(f.keeps(f.stores.outbox.claim(ALL, &owner("ada"))).await, None, "after {attempt}");
        f.clock.set(now);
    }
}

pub(super) async fn a_dead_event_keeps_no_other_waiting(f: &Fixture) {
    enqueued(f, 2).await;
    let claimed = must_claim(f, "ada").await;
    assert_eq!(
        ok(f.stores.outbox.record(&claimed, &DeliveryEnd::of_status(410)).await),
        Some(EventState::Dead)
    );
    assert_eq!(must_claim(f, "ada").await.event.event_id, event_id("publish", 2, 1));
}

pub(super) async fn a_person_lets_an_event_be_tried_again_from_the_beginning(f: &Fixture) {
    let now = enqueued(f, 1).await;
    let claimed = must_claim(f, "ada").await;
    ok(f.stores.outbox.record(&claimed, &DeliveryEnd::of_status(410)).await);
    f.clock.set(now.plus(5));
    let resend = entry(ActionKind::Resend);
    let lines = [
        trace(f, &resend, Some(1), r#"{"event":"publish-1001-v1","from":"dead"}"#),
        becomes("outbox", 1, "state", "dead", "pending"),
        becomes("outbox", 1, "attempts", 1, 0),
        becomes("outbox", 1, "next_attempt_at", now.plus(wait_ms(1)), now.plus(5)),
    ];
    let name = event_id("publish", 1, 1);
    let shown = f.changes_traced(f.stores.outbox.retry(&name, &resend), lines).await;
    let shown = shown.unwrap_or_else(|| panic!("there is such an event"));
    assert_eq!((shown.state, shown.attempts, shown.next_attempt_at), (EventState::Pending, 0, now.plus(5)));
    let again = must_claim(f, "bob").await;
    assert_eq!((again.attempt, again.event), (1, claimed.event));
    f.clock.set(now.plus(9));
    f.keeps(f.stores.outbox.retry(&name, &resend)).await;
    let unknown =
        f.keeps(f.stores.outbox.retry(&event_id("publish", 9, 1), &entry(ActionKind::Resend))).await;
    assert_eq!(unknown, None, "there is none of this name");
}

pub(super) async fn a_retry_of_what_is_to_be_tried_at_once_changes_nothing(f: &Fixture) {
    let now = enqueued(f, 1).await;
    let name = event_id("publish", 1, 1);
    let shown = f.keeps(f.stores.outbox.retry(&name, &entry(ActionKind::Resend))).await;
    let shown = shown.unwrap_or_else(|| panic!("there is such an event"));
    assert_eq!((shown.state, shown.attempts, shown.next_attempt_at), (EventState::Pending, 0, now));
    let claimed = must_claim(f, "ada").await;
    ok(f.stores.outbox.record(&claimed, &DeliveryEnd::of_status(410)).await);
    ok(f.stores.outbox.retry(&name, &entry(ActionKind::Resend)).await);
    for later in [0, 7] {
        f.clock.set(now.plus(later));
        f.keeps(f.stores.outbox.retry(&name, &entry(ActionKind::Resend))).await;
    }
    // One that waits after a failure is another matter.
    let claimed = must_claim(f, "ada").await;
    ok(f.stores.outbox.record(&claimed, &failed()).await);
    let resend = entry(ActionKind::Resend);
    let lines = [
        trace(f, &resend, Some(1), r#"{"event":"publish-1001-v1","from":"pending"}"#),
        becomes("outbox", 1, "attempts", 1, 0),
        becomes("outbox", 1, "next_attempt_at", now.plus(7 + wait_ms(1)), now.plus(7)),
    ];
    f.changes_traced(f.stores.outbox.retry(&name, &resend), lines).await;
}

pub(super) async fn an_event_in_hand_is_not_taken_away_by_a_retry(f: &Fixture) {
    enqueued(f, 1).await;
    let claimed = must_claim(f, "ada").await;
    ok(f.stores.outbox.retry(&claimed.event.event_id, &entry(ActionKind::Resend)).await);
    assert_eq!(claim(f, "bob").await, None);
    let state = ok(f.stores.outbox.record(&claimed, &DeliveryEnd::Delivered).await);
    assert_eq!(state, Some(EventState::Delivered));
}

pub(super) async fn work_tells_what_is_behind_and_when_to_look_again(f: &Fixture) {
    let check = async |is_behind, next_at, case| {
        let work = f.keeps(f.stores.outbox.work(ALL)).await;
        assert_eq!((work.is_behind, work.next_at), (is_behind, next_at), "{case}");
    };
    f.import("e1", [row(1)]).await;
    check(true, None, "nobody has begun to listen").await;
    listen(f).await;
    check(false, None, "nothing was published").await;
    f.clock.set(due(1));
    f.publish(1).await;
    check(true, None, "published and not enqueued").await;
    listen(f).await;
    check(false, Some(due(1)), "enqueued").await;
    let claimed = must_claim(f, "ada").await;
    check(false, Some(due(1).plus(CLAIM_MS)), "in hand").await;
    ok(f.stores.outbox.record(&claimed, &failed()).await);
    check(false, Some(due(1).plus(wait_ms(1))), "failed").await;
}

pub(super) async fn events_are_listed_newest_first_and_counted_by_state(f: &Fixture) {
    let now = enqueued(f, 4).await;
    for status in [200, 410] {
        let claimed = must_claim(f, "ada").await;
        ok(f.stores.outbox.record(&claimed, &DeliveryEnd::of_status(status)).await);
    }
    let listed = async |state, before, limit| {
        let entries = f.keeps(f.stores.outbox.events(state, before, limit)).await;
        entries.iter().map(|entry| entry.number).collect::<Vec<_>>()
    };
    assert_eq!(listed(None, None, 9).await, [4, 3, 2, 1]);
    assert_eq!(listed(None, None, 2).await, [4, 3]);
    assert_eq!(listed(None, Some(3), 9).await, [2, 1]);
    assert_eq!(listed(Some(EventState::Pending), None, 9).await, [4, 3]);
    assert_eq!(listed(Some(EventState::Dead), None, 9).await, [2]);
    assert_eq!(listed(Some(EventState::Delivered), None, 9).await, [1]);
    assert_eq!(listed(Some(EventState::Pending), Some(4), 9).await, [3]);
    assert_eq!(f.keeps(f.stores.outbox.tally()).await, OutboxTally { pending: 2, dead: 1 });
    let entries = ok(f.stores.outbox.events(None, Some(2), 9).await);
    assert_eq!(entries.first().and_then(|entry| entry.delivered_at), Some(now));
}
