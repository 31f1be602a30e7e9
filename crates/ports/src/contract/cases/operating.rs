//! What people do to items: take back, bring back, retry, move, pause.

use fencepost_domain::{
    action::ActionKind,
    ledger::{Ending, Item, ItemState},
    time::UnixMillis,
};

use crate::contract::{
    Fixture,
    lines::{NULL, becomes, instant, released},
    steps::{TTL_MS, due, entry, id, ok, opens, row},
};

fn item(column: &str, from: impl serde::Serialize, to: impl serde::Serialize) -> String {
    becomes("publication_items", id(1), column, from, to)
}

fn bank_revision(from: i64, to: i64) -> String {
    becomes("site_state", 1, "bank_revision", from, to)
}

/// Imports puzzle 1, lets it fail twice, the second time for good, and returns the
/// instant of that.
async fn block(f: &Fixture) -> UnixMillis {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    fail(f).await;
    f.clock.advance(60_000);
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no photo".to_owned() }).await);
    f.clock.now()
}

async fn fail(f: &Fixture) {
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Fail { delay_ms: 60_000 }).await);
}

pub(super) async fn an_item_is_taken_back_before_it_has_a_page(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let hand = f.take_over(1, "editor").await;
    let now = f.clock.advance(1_000);
    let expected = [item("state", "scheduled", "withdrawn"), bank_revision(1, 2)]
        .into_iter()
        .chain(released(&hand.lease, opens(1), now));
    let item = f
        .changes(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)), expected)
        .await;
    assert_eq!(item.map(|item| item.state), Some(ItemState::Withdrawn));
}

pub(super) async fn a_blocked_item_is_taken_back_and_has_no_reason_any_more(f: &Fixture) {
    let blocked = block(f).await;
    let hand = f.take_over(1, "editor").await;
    let now = f.clock.advance(1_000);
    let expected = [
        item("state", "blocked", "withdrawn"),
        item("blocked_reason", "no photo", NULL),
        bank_revision(1, 2),
    ]
    .into_iter()
    .chain(released(&hand.lease, blocked, now));
    f.changes(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)), expected)
        .await;
}

pub(super) async fn an_item_in_hand_is_taken_back(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.take(1, "ada").await;
    let hand = f.take_over(1, "editor").await;
    let item = ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    assert_eq!(item, Some(Item { state: ItemState::Withdrawn, ..Item::scheduled(due(1)) }));
}

pub(super) async fn taking_back_twice_counts_once(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let hand = f.take_over(1, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    let hand = f.take_over(1, "editor").await;
    let now = f.clock.advance(1_000);
    let expected = released(&hand.lease, opens(1), now);
    f.changes(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)), expected)
        .await;
}

pub(super) async fn a_page_is_not_taken_back_without_a_receipt(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    let hand = f.take_over(1, "editor").await;
    let now = f.clock.advance(1_000);
    let expected = released(&hand.lease, due(1), now);
    let item = f
        .changes(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)), expected)
        .await;
    assert_eq!(item.map(|item| item.state), Some(ItemState::Published));
}

pub(super) async fn whoever_lost_the_lease_takes_nothing_back(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let late = f.take_over(1, "editor").await;
    let present = f.take_over(1, "author").await;
    f.keeps(f.stores.ledger.withdraw_unpublished(&late.lease, &entry(ActionKind::Withdraw))).await;
    ok(f.stores.ledger.withdraw_unpublished(&present.lease, &entry(ActionKind::Withdraw)).await);
    f.take_over(1, "author").await;
    f.keeps(f.stores.ledger.reinstate_unpublished(&present.lease, &entry(ActionKind::Reinstate))).await;
}

pub(super) async fn an_item_that_was_taken_back_is_brought_back_as_new(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    fail(f).await;
    let hand = f.take_over(1, "editor").await;
    let item_now = ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await)
        .expect("it is known");
    assert_eq!((item_now.attempts, item_now.next_attempt_at), (1, due(1).plus(60_000)));

    let hand = f.take_over(1, "editor").await;
    let now = f.clock.advance(1_000);
    let expected = [
        item("state", "withdrawn", "scheduled"),
        item("attempts", 1, 0),
        item("next_attempt_at", due(1).plus(60_000), 0),
        bank_revision(2, 3),
    ]
    .into_iter()
    .chain(released(&hand.lease, due(1), now));
    let item = f
        .changes(f.stores.ledger.reinstate_unpublished(&hand.lease, &entry(ActionKind::Reinstate)), expected)
        .await;
    assert_eq!(item, Some(Item::scheduled(due(1))));
    f.publish(1).await;
}

pub(super) async fn only_what_was_taken_back_is_brought_back(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let hand = f.take_over(1, "editor").await;
    let now = f.clock.advance(1_000);
    let expected = released(&hand.lease, opens(1), now);
    f.changes(f.stores.ledger.reinstate_unpublished(&hand.lease, &entry(ActionKind::Reinstate)), expected)
        .await;

    f.clock.set(due(1));
    f.publish(1).await;
    f.withdraw(1).await;
    let hand = f.take_over(1, "editor").await;
    let now = f.clock.advance(1_000);
    let expected = released(&hand.lease, due(1), now);
    f.changes(f.stores.ledger.reinstate_unpublished(&hand.lease, &entry(ActionKind::Reinstate)), expected)
        .await;
}

pub(super) async fn a_blocked_item_is_tried_again_and_not_brought_back(f: &Fixture) {
    block(f).await;
    let hand = f.take_over(1, "editor").await;
    let taken = f.clock.now();
    let now = f.clock.advance(1_000);
    let expected = released(&hand.lease, taken, now);
    f.changes(f.stores.ledger.reinstate_unpublished(&hand.lease, &entry(ActionKind::Reinstate)), expected)
        .await;
}

pub(super) async fn an_unknown_puzzle_is_neither_taken_back_nor_brought_back(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let mut lease = f.take_over(1, "editor").await.lease;
    lease.key = fencepost_domain::lease::LeaseKey::Publication(id(2));
    assert_eq!(
        f.keeps(f.stores.ledger.withdraw_unpublished(&lease, &entry(ActionKind::Withdraw))).await,
        None
    );
    assert_eq!(
        f.keeps(f.stores.ledger.reinstate_unpublished(&lease, &entry(ActionKind::Reinstate))).await,
        None
    );
}

pub(super) async fn a_blocked_item_is_tried_again(f: &Fixture) {
    block(f).await;
    let expected = [
        item("state", "blocked", "scheduled"),
        item("attempts", 2, 0),
        item("next_attempt_at", due(1).plus(60_000), 0),
        item("blocked_reason", "no photo", NULL),
    ];
    let item = f.changes(f.stores.ledger.retry(id(1), &entry(ActionKind::Retry)), expected).await;
    assert_eq!(item, Some(Item::scheduled(due(1))));
}

pub(super) async fn a_waiting_item_is_tried_again_at_once(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    fail(f).await;
    let expected = [item("attempts", 1, 0), item("next_attempt_at", due(1).plus(60_000), 0)];
    f.changes(f.stores.ledger.retry(id(1), &entry(ActionKind::Retry)), expected).await;
    f.publish(1).await;
}

pub(super) async fn a_retry_takes_an_item_out_of_the_hands_of_a_worker(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    let item = ok(f.stores.ledger.retry(id(1), &entry(ActionKind::Retry)).await);
    assert_eq!(item, Some(Item::scheduled(due(1))));
    let late = ok(f.stores.ledger.finish(&hand.lease, &Ending::Fail { delay_ms: 60_000 }).await);
    assert_eq!(late, Some(Item::scheduled(due(1))), "the worker's failure counts for nothing");
}

pub(super) async fn other_items_are_not_tried_again(f: &Fixture) {
    assert_eq!(
        f.keeps(f.stores.ledger.retry(id(1), &entry(ActionKind::Retry))).await,
        None,
        "an unknown puzzle"
    );
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(1));
    let check = async |expected: ItemState| {
        let item = f.keeps(f.stores.ledger.retry(id(1), &entry(ActionKind::Retry))).await;
        assert_eq!(item.map(|item| item.state), Some(expected));
    };
    check(ItemState::Scheduled).await;
    f.publish(1).await;
    check(ItemState::Published).await;
    f.withdraw(1).await;
    check(ItemState::Withdrawn).await;
    f.clock.set(due(2));
    f.take(2, "ada").await;
    check(ItemState::Withdrawn).await;
    f.import("e2", [row(3)]).await;
    f.clock.set(due(3));
    let hand = f.take(3, "bob").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no photo".to_owned() }).await);
    ok(f.stores.ledger.retry(id(3), &entry(ActionKind::Retry)).await);
    let other = ok(f.stores.ledger.look(id(2)).await).item;
    assert_eq!(other.map(|item| item.state), Some(ItemState::Processing));
}

pub(super) async fn an_item_is_moved_and_waits_no_longer(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    fail(f).await;
    let expected = [
        item("due_at", due(1), due(2)),
        item("next_attempt_at", due(1).plus(60_000), 0),
        instant(due(2)),
        bank_revision(1, 2),
    ];
    let moved = f
        .changes(
            f.stores.ledger.reschedule(id(1), due(2), Some(due(1)), &entry(ActionKind::Reschedule)),
            expected,
        )
        .await;
    assert_eq!(moved.playable_until, Some(due(1)));
    assert_eq!(moved.item, Some(Item { attempts: 1, ..Item::scheduled(due(2)) }));
}

pub(super) async fn an_item_is_moved_back_to_the_end_of_play_and_no_further(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    ok(f.stores.ledger.reschedule(id(1), due(3), None, &entry(ActionKind::Reschedule)).await);
    let early = f
        .keeps(f.stores.ledger.reschedule(id(1), due(1).plus(-1), None, &entry(ActionKind::Reschedule)))
        .await;
    assert_eq!(early.item, Some(Item::scheduled(due(3))));
    let back = ok(f.stores.ledger.reschedule(id(1), due(1), None, &entry(ActionKind::Reschedule)).await);
    assert_eq!(back.item, Some(Item::scheduled(due(1))));
}

pub(super) async fn moving_to_the_same_instant_is_no_edit(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.keeps(f.stores.ledger.reschedule(id(1), due(1), Some(due(1)), &entry(ActionKind::Reschedule))).await;
}

pub(super) async fn an_item_that_was_moved_meanwhile_is_not_moved(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    ok(f.stores.ledger.reschedule(id(1), due(2), Some(due(1)), &entry(ActionKind::Reschedule)).await);
    let seen = f
        .keeps(f.stores.ledger.reschedule(id(1), due(3), Some(due(1)), &entry(ActionKind::Reschedule)))
        .await;
    assert_eq!(seen.item, Some(Item::scheduled(due(2))));
}

pub(super) async fn an_item_in_hand_or_blocked_is_moved_in_its_state(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    let expected = [item("due_at", due(1), due(2)), instant(due(2)), bank_revision(1, 2)];
    f.changes(f.stores.ledger.reschedule(id(1), due(2), None, &entry(ActionKind::Reschedule)), expected)
        .await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no photo".to_owned() }).await);
    let expected = [item("due_at", due(2), due(3)), instant(due(3)), bank_revision(2, 3)];
    f.changes(f.stores.ledger.reschedule(id(1), due(3), None, &entry(ActionKind::Reschedule)), expected)
        .await;
}

pub(super) async fn neither_a_page_nor_what_was_taken_back_is_moved(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    let hand = f.take_over(2, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    f.keeps(f.stores.ledger.reschedule(id(2), due(5), None, &entry(ActionKind::Reschedule))).await;
    f.clock.set(due(1));
    f.publish(1).await;
    f.keeps(f.stores.ledger.reschedule(id(1), due(5), None, &entry(ActionKind::Reschedule))).await;
    f.withdraw(1).await;
    f.keeps(f.stores.ledger.reschedule(id(1), due(5), None, &entry(ActionKind::Reschedule))).await;
}

pub(super) async fn an_unknown_puzzle_is_not_moved(f: &Fixture) {
    let moved =
        f.keeps(f.stores.ledger.reschedule(id(1), due(1), None, &entry(ActionKind::Reschedule))).await;
    assert_eq!((moved.item, moved.playable_until), (None, None));
}

pub(super) async fn a_pause_is_a_switch(f: &Fixture) {
    let paused = |from: i64, to: i64| [becomes("site_state", 1, "paused", from, to)];
    f.changes(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)), paused(0, 1)).await;
    f.keeps(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause))).await;
    assert!(ok(f.stores.ledger.runnable(None, 1).await).paused);
    f.clock.advance(TTL_MS);
    f.changes(f.stores.ledger.set_paused(false, &entry(ActionKind::Resume)), paused(1, 0)).await;
    assert!(!ok(f.stores.ledger.runnable(None, 1).await).paused);
}
