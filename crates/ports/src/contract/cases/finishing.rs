//! Attempts that end without a commit.

use fencepost_domain::{
    id::Fence,
    lease::Lease,
    ledger::{Ending, Item, ItemState},
    time::UnixMillis,
};

use crate::contract::{
    Fixture,
    lines::{NULL, becomes, released},
    steps::{TTL_MS, begin, content, due, id, ok, opens, owner, publication, row},
};

fn item(column: &str, from: impl serde::Serialize, to: impl serde::Serialize) -> String {
    becomes("publication_items", id(1), column, from, to)
}

fn back() -> String {
    item("state", "processing", "scheduled")
}

/// Ends an attempt one second after it began, and checks everything.
async fn check(f: &Fixture, ending: Ending, expected: impl FnOnce(UnixMillis) -> Vec<String>) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    let now = f.clock.advance(1_000);
    let expected = expected(now).into_iter().chain(released(&hand.lease, due(1), now));
    let item = f.changes(f.stores.ledger.finish(&hand.lease, &ending), expected).await;
    let seen = hand.seen.item.expect("it was seen");
    assert_eq!(item, Some(ending.apply(&seen, now)));
}

pub(super) async fn an_item_is_put_back_as_it_was(f: &Fixture) {
    check(f, Ending::Restore, |_| vec![back()]).await;
}

pub(super) async fn an_item_that_waits_has_not_failed(f: &Fixture) {
    check(f, Ending::Wait { delay_ms: 60_000 }, |now| {
        vec![back(), item("next_attempt_at", 0, now.plus(60_000))]
    })
    .await;
}

pub(super) async fn a_failure_is_counted_and_waits(f: &Fixture) {
    check(f, Ending::Fail { delay_ms: 60_000 }, |now| {
        vec![back(), item("attempts", 0, 1), item("next_attempt_at", 0, now.plus(60_000))]
    })
    .await;
}

pub(super) async fn a_lasting_failure_blocks_and_says_why(f: &Fixture) {
    let reason = "the photo's address answers 404; edit it".to_owned();
    check(f, Ending::Block { reason: reason.clone() }, |_| {
        vec![
            item("state", "processing", "blocked"),
            item("attempts", 0, 1),
            item("blocked_reason", NULL, reason),
        ]
    })
    .await;
}

pub(super) async fn failures_add_up(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    for attempts in 1..=3 {
        let hand = f.take(1, "ada").await;
        let item = ok(f.stores.ledger.finish(&hand.lease, &Ending::Fail { delay_ms: 10 }).await);
        assert_eq!(item.map(|item| item.attempts), Some(attempts));
        f.clock.advance(10);
    }
}

pub(super) async fn whoever_lost_the_lease_ends_nothing(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let late = f.take(1, "ada").await.lease;
    f.clock.advance(TTL_MS);
    f.take(1, "bob").await;
    let own = Lease { owner: owner("bob"), ..late.clone() };
    for lease in [late, own] {
        for ending in [
            Ending::Restore,
            Ending::Wait { delay_ms: 1 },
            Ending::Fail { delay_ms: 1 },
            Ending::Block { reason: "late".to_owned() },
        ] {
            let item = f.keeps(f.stores.ledger.finish(&lease, &ending)).await;
            assert_eq!(item.map(|item| item.state), Some(ItemState::Processing), "{lease:?} {ending:?}");
        }
    }
}

pub(super) async fn a_lease_of_another_item_ends_nothing(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(2));
    let late = f.take(1, "ada").await.lease;
    f.take(2, "ada").await;
    f.take_over(1, "editor").await;
    let item = f.keeps(f.stores.ledger.finish(&late, &Ending::Restore)).await;
    assert_eq!(item.map(|item| item.state), Some(ItemState::Processing));
}

pub(super) async fn a_lease_that_nobody_else_wanted_still_ends_its_attempt(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    let now = f.clock.advance(TTL_MS);
    let expected = [back()].into_iter().chain(released(&hand.lease, due(1), now));
    f.changes(f.stores.ledger.finish(&hand.lease, &Ending::Restore), expected).await;
}

pub(super) async fn an_item_that_is_not_in_hand_is_left_as_it_is_and_its_lease_released(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take_over(1, "editor").await;
    let now = f.clock.advance(1_000);
    let expected = released(&hand.lease, due(1), now);
    let ending = Ending::Fail { delay_ms: 60_000 };
    let item = f.changes(f.stores.ledger.finish(&hand.lease, &ending), expected).await;
    assert_eq!(item, Some(Item::scheduled(due(1))));
}

pub(super) async fn a_published_item_stays_published(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    f.land(&hand.commit("c1", fencepost_domain::commit::Change::Publish(content(1)))).await;
    let item = f.keeps(f.stores.ledger.finish(&hand.lease, &Ending::Restore)).await;
    assert_eq!(item.map(|item| item.state), Some(ItemState::Published));
}

pub(super) async fn a_finished_item_is_free_for_the_next(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let first = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&first.lease, &Ending::Restore).await);
    let second = f.take(1, "bob").await;
    assert_eq!(second.lease.fence, first.lease.fence.next());
}

pub(super) async fn an_unknown_puzzle_has_nothing_to_end(f: &Fixture) {
    let lease = Lease { key: publication(1), owner: owner("ada"), fence: Fence::FIRST, expires_at: opens(2) };
    assert_eq!(f.keeps(f.stores.ledger.finish(&lease, &Ending::Restore)).await, None);
    assert_eq!(f.keeps(f.stores.ledger.begin(&begin(1, "ada"))).await.item, None);
}
