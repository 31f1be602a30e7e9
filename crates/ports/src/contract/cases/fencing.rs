//! Writers that come too late.

use fencepost_domain::{
    action::ActionKind,
    commit::Change,
    guard::Predicate::{ContentVersion, ItemDue, ItemState, LeaseFence, LeaseLive, LeaseOwner},
    ledger::{Ending, Item, ItemState as State},
    outcome::Outcome,
};

use crate::contract::{
    Fixture,
    steps::{TTL_MS, content, due, entry, id, ok, row},
};

/// Checks that nothing of puzzle 1 is out, and where its item stands.
async fn check_unpublished(f: &Fixture, expected: State) {
    let tables = f.tables().await;
    for table in ["answer_posts", "commit_receipts", "daily_quotas"] {
        assert_eq!(tables[table], [], "{table}");
    }
    assert_eq!(tables["site_state"][0]["publication_revision"], 0);
    assert_eq!(tables["publication_items"][0]["state"], expected.as_str());
}

pub(super) async fn a_writer_that_wakes_up_after_a_change_of_hands_writes_nothing(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let sleeper = f.take(1, "ada").await;
    f.clock.advance(TTL_MS);
    let other = f.take(1, "bob").await;
    let late = sleeper.commit("c1", Change::Publish(content(1)));
    f.refuses(&late, Outcome::LeaseLost, &[LeaseOwner, LeaseFence]).await;
    check_unpublished(f, State::Processing).await;
    f.land(&other.commit("c2", Change::Publish(content(1)))).await;
    let all = [LeaseOwner, LeaseFence, LeaseLive, ContentVersion, ItemState];
    f.refuses(&late, Outcome::LeaseLost, &all).await;
}

pub(super) async fn the_same_owner_with_an_older_fence_writes_nothing(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let before = f.take(1, "ada").await;
    f.clock.advance(TTL_MS);
    let after = f.take(1, "ada").await;
    let late = before.commit("c1", Change::Publish(content(1)));
    f.refuses(&late, Outcome::LeaseLost, &[LeaseFence]).await;
    check_unpublished(f, State::Processing).await;
    f.land(&after.commit("c2", Change::Publish(content(1)))).await;
}

pub(super) async fn a_lease_that_expired_unclaimed_writes_nothing(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    f.clock.advance(TTL_MS);
    let late = hand.commit("c1", Change::Publish(content(1)));
    f.refuses(&late, Outcome::LeaseLost, &[LeaseLive]).await;
    check_unpublished(f, State::Processing).await;
}

pub(super) async fn a_renewed_lease_goes_on_writing(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    f.clock.advance(TTL_MS - 1);
    assert!(ok(f.stores.leases.renew(&hand.lease, TTL_MS).await).is_some());
    f.clock.advance(TTL_MS - 1);
    f.land(&hand.commit("c1", Change::Publish(content(1)))).await;
}

pub(super) async fn a_takeover_stops_a_writer_at_once(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let worker = f.take(1, "ada").await;
    let operator = f.take_over(1, "editor").await;
    let late = worker.commit("c1", Change::Publish(content(1)));
    f.refuses(&late, Outcome::LeaseLost, &[LeaseOwner, LeaseFence]).await;
    f.keeps(f.stores.ledger.finish(&worker.lease, &Ending::Restore)).await;
    ok(f.stores.ledger.withdraw_unpublished(&operator.lease, &entry(ActionKind::Withdraw)).await);
    f.refuses(&late, Outcome::LeaseLost, &[LeaseOwner, LeaseFence, LeaseLive, ItemState]).await;
    check_unpublished(f, State::Withdrawn).await;
}

pub(super) async fn one_hand_publishes_once(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    f.land(&hand.commit("c1", Change::Publish(content(1)))).await;
    let again = hand.commit("c2", Change::Publish(content(1)));
    f.refuses(&again, Outcome::LeaseLost, &[LeaseLive, ContentVersion, ItemState]).await;
}

pub(super) async fn an_item_that_was_moved_meanwhile_is_not_published_early(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.reschedule(id(1), due(2), None, &entry(ActionKind::Reschedule)).await);
    let early = hand.commit("c1", Change::Publish(content(1)));
    f.refuses(&early, Outcome::NotDue, &[ItemDue]).await;
    check_unpublished(f, State::Processing).await;
    let item = ok(f.stores.ledger.finish(&hand.lease, &Ending::Restore).await);
    assert_eq!(item, Some(Item::scheduled(due(2))));
}

pub(super) async fn of_two_editors_the_first_wins(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    let first = f.take_over(1, "editor").await;
    f.land(&first.commit("c1", Change::Update(content(1)))).await;
    let mut second = f.take_over(1, "author").await;
    second.seen.page = first.seen.page;
    let stale = second.commit("c2", Change::Update(content(1)));
    f.refuses(&stale, Outcome::Conflict, &[ContentVersion]).await;
}
