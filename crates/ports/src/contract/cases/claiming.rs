//! Taking an item in hand.

use fencepost_domain::{
    action::ActionKind,
    ledger::{Ending, Item, ItemState},
    puzzle::Puzzle,
    quota::DailyQuota,
};

use crate::{
    Begin, Preflight,
    contract::{
        Fixture,
        lines::{becomes, first_claim},
        steps::{
            DAILY_QUOTA, TTL_MS, begin, due, entry, id, ok, opens, owner, photo, photo_url, publication,
            ready_image, row, row_with_photo,
        },
    },
};

/// Checks that beginning puzzle 1 neither claims nor marks it.
async fn check_left_alone(f: &Fixture, why: &str) {
    let begin = begin(1, "eve");
    let seen = f.keeps(f.stores.ledger.begin(&begin)).await;
    assert_eq!(seen.lease_of(&begin), None, "{why}");
}

pub(super) async fn an_item_that_is_due_is_claimed_and_marked(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let begin = begin(1, "ada");
    let expected = fencepost_domain::lease::Lease {
        key: publication(1),
        owner: owner("ada"),
        fence: fencepost_domain::id::Fence::FIRST,
        expires_at: due(1).plus(TTL_MS),
    };
    let seen = f
        .changes(
            f.stores.ledger.begin(&begin),
            [
                first_claim(&expected, due(1)),
                becomes("publication_items", id(1), "state", "scheduled", "processing"),
            ],
        )
        .await;
    assert_eq!(seen.lease_of(&begin), Some(expected));
    assert_eq!(seen.item.map(|item| item.state), Some(ItemState::Processing));
}

pub(super) async fn a_preflight_has_all_that_rendering_needs(f: &Fixture) {
    f.import("e1", [row_with_photo(1), row(2)]).await;
    f.make_ready(1, photo(1)).await;
    f.clock.set(due(2));
    f.publish(2).await;
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    let seen = f.take(1, "ada").await.seen;
    let expected = Preflight {
        now: due(2),
        lease: seen.lease.clone(),
        item: Some(Item { state: ItemState::Processing, ..Item::scheduled(due(1)) }),
        puzzle: Some(Puzzle {
            puzzle_id: id(1),
            play_date: row(1).play_date,
            opens_at: opens(1),
            playable_until: due(1),
            name: row(1).name,
            price_cents: row(1).price_cents,
            description: row(1).description,
            image_url: Some(photo_url(1)),
            bank_version: fencepost_domain::id::BankVersion::FIRST,
        }),
        image: Some(ready_image(1, photo(1))),
        page: None,
        paused: true,
        quota: Some(DailyQuota { published: 1, quota: DAILY_QUOTA, set_quota: None }),
        catch_up: fencepost_domain::catch_up::CatchUp::default(),
    };
    assert_eq!(seen, expected);
}

pub(super) async fn an_item_is_claimed_at_its_very_instant_and_not_before(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1).plus(-1));
    check_left_alone(f, "a millisecond early").await;
    f.clock.set(due(1));
    f.take(1, "ada").await;
}

pub(super) async fn an_item_that_failed_is_claimed_at_its_next_attempt_and_not_before(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Fail { delay_ms: 60_000 }).await);
    f.clock.advance(59_999);
    check_left_alone(f, "a millisecond before the next attempt").await;
    f.clock.advance(1);
    let again = f.take(1, "ada").await;
    assert_eq!(again.lease.fence, hand.lease.fence.next());
    assert_eq!(again.seen.item.map(|item| item.attempts), Some(1), "a claim is no failure");
}

pub(super) async fn a_published_item_is_left_alone(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    check_left_alone(f, "published").await;
}

pub(super) async fn a_withdrawn_item_is_left_alone(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take_over(1, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    check_left_alone(f, "withdrawn before publication").await;
}

pub(super) async fn a_blocked_item_is_left_alone(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no photo".to_owned() }).await);
    check_left_alone(f, "blocked").await;
}

pub(super) async fn an_unknown_puzzle_is_left_alone(f: &Fixture) {
    let seen = f.keeps(f.stores.ledger.begin(&begin(1, "ada"))).await;
    assert_eq!((seen.now, seen.lease, seen.item, seen.puzzle), (opens(1), None, None, None));
}

pub(super) async fn beginning_again_costs_nothing(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let first = f.take(1, "ada").await;
    let now = f.clock.advance(1_000);
    let begin = begin(1, "ada");
    let again = f
        .changes(
            f.stores.ledger.begin(&begin),
            [
                becomes("job_leases", publication(1), "expires_at", first.lease.expires_at, now.plus(TTL_MS)),
                becomes("job_leases", publication(1), "updated_at", due(1), now),
            ],
        )
        .await;
    assert_eq!(again.lease_of(&begin).map(|lease| lease.fence), Some(first.lease.fence));
}

pub(super) async fn an_item_in_the_hands_of_another_is_left_alone(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    f.clock.advance(TTL_MS - 1);
    let seen = f.keeps(f.stores.ledger.begin(&begin(1, "eve"))).await;
    assert_eq!(seen.lease, hand.seen.lease, "the row tells who has it");
}

pub(super) async fn a_lease_without_a_mark_keeps_others_away_too(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.take_over(1, "editor").await;
    check_left_alone(f, "an operator has a scheduled item in hand").await;
}

pub(super) async fn what_a_dead_worker_left_behind_changes_hands(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let dead = f.take(1, "ada").await;
    let now = f.clock.advance(TTL_MS);
    let seen = f
        .changes(
            f.stores.ledger.begin(&begin(1, "bob")),
            [
                becomes("job_leases", publication(1), "owner_id", "ada", "bob"),
                becomes("job_leases", publication(1), "fence", 1, 2),
                becomes("job_leases", publication(1), "expires_at", dead.lease.expires_at, now.plus(TTL_MS)),
                becomes("job_leases", publication(1), "updated_at", due(1), now),
            ],
        )
        .await;
    let item = seen.item.expect("the item was seen");
    assert_eq!((item.state, item.attempts), (ItemState::Processing, 0));
}

pub(super) async fn a_lease_that_a_clock_left_behind_keeps_nobody_away(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(2));
    let ahead = f.take(1, "ada").await;
    // The clock was a day ahead, and is set right.
    f.clock.set(due(1));
    let mine = f.take(1, "ada").await;
    assert_eq!(mine.lease.fence, ahead.lease.fence.next(), "nor is it its owner's any more");

    f.clock.set(due(2));
    let ahead = f.take(1, "ada").await;
    f.clock.set(due(1));
    f.changes(
        f.stores.ledger.begin(&begin(1, "bob")),
        [
            becomes("job_leases", publication(1), "owner_id", "ada", "bob"),
            becomes("job_leases", publication(1), "fence", ahead.lease.fence, ahead.lease.fence.next()),
            becomes("job_leases", publication(1), "expires_at", ahead.lease.expires_at, due(1).plus(TTL_MS)),
            becomes("job_leases", publication(1), "updated_at", due(2), due(1)),
        ],
    )
    .await;
}

pub(super) async fn a_lease_born_expired_marks_nothing(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let begin = Begin { ttl_ms: 0, ..begin(1, "ada") };
    let seen = ok(f.stores.ledger.begin(&begin).await);
    assert_eq!(seen.lease_of(&begin), None);
    assert_eq!(seen.item, Some(Item::scheduled(due(1))));
}

pub(super) async fn a_lease_of_ones_own_marks_nothing_that_may_not_be_claimed(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let keeps = async |why: &str| {
        ok(f.stores.leases.claim(publication(1), &owner("ada"), TTL_MS).await);
        let begin = begin(1, "ada");
        let seen = f.keeps(f.stores.ledger.begin(&begin)).await;
        assert!(seen.lease_of(&begin).is_some(), "{why}");
    };
    keeps("not due").await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Fail { delay_ms: 60_000 }).await);
    keeps("waiting").await;
    f.clock.advance(TTL_MS);
    f.publish(1).await;
    keeps("published").await;
}

pub(super) async fn a_lease_of_another_item_marks_nothing(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(2));
    f.take(2, "ada").await;
    f.take_over(1, "editor").await;
    let begin = begin(1, "ada");
    let seen = f.keeps(f.stores.ledger.begin(&begin)).await;
    assert_eq!(seen.lease_of(&begin), None);
}

pub(super) async fn an_operator_takes_over_in_any_state_and_leaves_it(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let states = async |fence: i64, expected: ItemState| {
        let hand = f.take_over(1, "editor").await;
        let state = hand.seen.item.map(|item| item.state);
        assert_eq!((hand.lease.fence.get(), state), (fence, Some(expected)));
        ok(f.stores.leases.release(&hand.lease).await);
    };
    states(1, ItemState::Scheduled).await;
    f.clock.set(due(1));
    f.take(1, "ada").await;
    states(3, ItemState::Processing).await;
    f.publish(1).await;
    states(5, ItemState::Published).await;
    f.withdraw(1).await;
    states(7, ItemState::Withdrawn).await;
}

pub(super) async fn a_takeover_writes_the_lease_and_nothing_else(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let worker = f.take(1, "ada").await;
    let now = f.clock.advance(1_000);
    let seen = f
        .changes(
            f.stores.ledger.take_over(&begin(1, "editor")),
            [
                becomes("job_leases", publication(1), "owner_id", "ada", "editor"),
                becomes("job_leases", publication(1), "fence", 1, 2),
                becomes(
                    "job_leases",
                    publication(1),
                    "expires_at",
                    worker.lease.expires_at,
                    now.plus(TTL_MS),
                ),
                becomes("job_leases", publication(1), "updated_at", due(1), now),
            ],
        )
        .await;
    assert_eq!(seen.puzzle, worker.seen.puzzle);
}

pub(super) async fn nobody_takes_an_unknown_puzzle_over(f: &Fixture) {
    let seen = f.keeps(f.stores.ledger.take_over(&begin(1, "editor"))).await;
    assert_eq!((seen.lease, seen.item, seen.puzzle), (None, None, None));
}
