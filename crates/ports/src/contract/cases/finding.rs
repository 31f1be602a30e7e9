//! Finding work, and showing it to people.

use fencepost_domain::{
    action::ActionKind,
    commit::{Change, Commit, CommitKind},
    id::ContentVersion,
    ledger::{Ending, Item, ItemState},
    puzzle::PuzzleRow,
    time::UnixMillis,
};

use crate::{
    ItemSummary, Position, RunnableItem,
    contract::{
        Fixture,
        steps::{
            NO_NUMBERS, TTL_MS, content, date, due, entry, id, ok, opens, owner, photo, publication, row,
            row_with_photo,
        },
    },
};

/// The numbers of the runnable items after `after`.
async fn runnable(f: &Fixture, after: Option<Position>, limit: u32) -> Vec<i64> {
    let found = f.keeps(f.stores.ledger.runnable(after, limit)).await;
    found.items.iter().map(|item| item.position.puzzle_id.get() - 1_000).collect()
}

/// What is overdue, and what comes next.
async fn wake(f: &Fixture) -> (Option<UnixMillis>, Option<UnixMillis>) {
    let wake = f.keeps(f.stores.ledger.next_wake(1)).await;
    assert_eq!(wake.now, f.clock.now());
    (wake.overdue, wake.upcoming)
}

fn position(n: i64, due_at: UnixMillis) -> Position {
    Position { due_at, puzzle_id: id(n) }
}

pub(super) async fn work_is_what_is_due_oldest_first(f: &Fixture) {
    f.import("e1", [row(3), row(1), row(4), row(2)]).await;
    assert_eq!(runnable(f, None, 9).await, NO_NUMBERS);
    f.clock.set(due(3).plus(-1));
    assert_eq!(runnable(f, None, 9).await, [1, 2]);
    f.clock.set(due(3));
    assert_eq!(runnable(f, None, 9).await, [1, 2, 3]);
    ok(f.stores.ledger.reschedule(id(1), due(3), None, &entry(ActionKind::Reschedule)).await);
    assert_eq!(runnable(f, None, 9).await, [2, 1, 3], "two that are due at once come by number");
}

pub(super) async fn a_backlog_is_found_however_old_it_is(f: &Fixture) {
    f.import("e1", (1..=5).map(row)).await;
    f.clock.set(due(400));
    assert_eq!(runnable(f, None, 9).await, [1, 2, 3, 4, 5]);
}

pub(super) async fn work_comes_in_pages(f: &Fixture) {
    f.import("e1", (1..=5).map(row)).await;
    ok(f.stores.ledger.reschedule(id(2), due(3), None, &entry(ActionKind::Reschedule)).await);
    f.clock.set(due(5));
    assert_eq!(runnable(f, None, 2).await, [1, 2]);
    assert_eq!(runnable(f, Some(position(2, due(3))), 2).await, [3, 4]);
    assert_eq!(runnable(f, Some(position(4, due(4))), 2).await, [5]);
    assert_eq!(runnable(f, Some(position(5, due(5))), 2).await, NO_NUMBERS);
    assert_eq!(runnable(f, None, 0).await, NO_NUMBERS);
}

pub(super) async fn only_what_a_job_may_take_is_work(f: &Fixture) {
    f.import("e1", (1..=6).map(row)).await;
    f.clock.set(due(6));
    f.publish(1).await;
    let hand = f.take_over(2, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    let hand = f.take(3, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no photo".to_owned() }).await);
    let hand = f.take(4, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Wait { delay_ms: 1_000 }).await);
    f.take(5, "ada").await;
    assert_eq!(runnable(f, None, 9).await, [5, 6]);
    f.clock.advance(1_000);
    assert_eq!(runnable(f, None, 9).await, [4, 5, 6]);
}

pub(super) async fn work_in_hand_is_shown_as_such(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(2));
    f.take(1, "ada").await;
    let found = async || f.keeps(f.stores.ledger.runnable(None, 9)).await.items;
    let item = |n, leased| RunnableItem { position: position(n, due(n)), leased, photo_ready: true };
    assert_eq!(found().await, [item(1, true), item(2, false)]);
    f.clock.advance(TTL_MS);
    assert_eq!(found().await, [item(1, false), item(2, false)]);
}

pub(super) async fn a_job_learns_the_time_the_pause_and_the_quota(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let found = ok(f.stores.ledger.runnable(None, 9).await);
    assert_eq!((found.now, found.paused, found.quota), (due(1), false, None));
    f.publish(1).await;
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    let found = ok(f.stores.ledger.runnable(None, 9).await);
    assert_eq!((found.paused, found.quota.map(|quota| quota.published)), (true, Some(1)));
}

pub(super) async fn nothing_to_do_wakes_nobody(f: &Fixture) {
    assert_eq!(wake(f).await, (None, None), "an empty bank");
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    assert_eq!(wake(f).await, (None, None), "all is out");
}

pub(super) async fn the_next_wake_is_the_first_due_instant(f: &Fixture) {
    f.import("e1", [row(2), row(1)]).await;
    assert_eq!(wake(f).await, (None, Some(due(1))));
    f.clock.set(due(1));
    assert_eq!(wake(f).await, (Some(due(1)), Some(due(2))), "an instant is inclusive");
    f.clock.set(due(2));
    assert_eq!(wake(f).await, (Some(due(1)), None), "the oldest of what is overdue");
}

pub(super) async fn a_standstill_wakes_nobody_for_what_is_overdue(f: &Fixture) {
    f.import("e1", [row(1), row(2), row(3)]).await;
    f.clock.set(due(2));
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    assert_eq!(wake(f).await, (None, Some(due(3))), "the site is paused");
    ok(f.stores.ledger.set_paused(false, &entry(ActionKind::Resume)).await);
    assert_eq!(wake(f).await, (Some(due(1)), Some(due(3))));
    let hand = f.take(1, "ada").await;
    f.land(&Commit { daily_quota: 1, ..hand.commit("c1", Change::Publish(content(1))) }).await;
    assert_eq!(wake(f).await, (None, Some(due(3))), "the quota is used up");
    f.clock.set(due(3).plus(-1));
    assert_eq!(wake(f).await, (Some(due(2)), Some(due(3))), "another day, another quota");
}

pub(super) async fn the_next_wake_heeds_a_wait(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Fail { delay_ms: 60_000 }).await);
    assert_eq!(wake(f).await, (None, Some(due(1).plus(60_000))));
}

pub(super) async fn the_next_wake_heeds_the_lease_of_whoever_may_have_died(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.take(1, "ada").await;
    assert_eq!(wake(f).await, (None, Some(due(1).plus(TTL_MS))));
    f.clock.advance(TTL_MS);
    assert_eq!(wake(f).await, (Some(due(1)), None), "it is nobody's now");
}

pub(super) async fn a_wait_that_a_clock_left_behind_is_over(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(20));
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Fail { delay_ms: 60_000 }).await);
    f.clock.set(due(2));
    assert_eq!(runnable(f, None, 9).await, [1]);
    assert_eq!(wake(f).await, (Some(due(1)), None));
    f.take(1, "bob").await;
}

pub(super) async fn work_whose_photo_is_missing_is_shown_as_such(f: &Fixture) {
    f.import("e1", [row_with_photo(1), row_with_photo(2), row(3)]).await;
    f.make_ready(1, photo(1)).await;
    f.clock.set(due(3));
    let found = f.keeps(f.stores.ledger.runnable(None, 9)).await;
    assert_eq!(found.items.iter().map(|item| item.photo_ready).collect::<Vec<_>>(), [true, false, true]);
}

pub(super) async fn blocked_and_withdrawn_items_wake_nobody(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no photo".to_owned() }).await);
    let hand = f.take_over(2, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    assert_eq!(wake(f).await, (None, None));
}

pub(super) async fn people_see_items_newest_first_in_pages(f: &Fixture) {
    f.import("e1", [row(2), row(1), row(3)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    let items = f.keeps(f.stores.ledger.items(None, 2)).await;
    let summary = |n: i64| ItemSummary {
        puzzle_id: id(n),
        play_date: date(n),
        name: row(n).name,
        item: Item::scheduled(due(n)),
        content_version: ContentVersion::NONE,
    };
    assert_eq!(items, [summary(3), summary(2)]);
    let items = f.keeps(f.stores.ledger.items(Some(date(2)), 2)).await;
    let published = ItemSummary {
        item: Item { state: ItemState::Published, ..Item::scheduled(due(1)) },
        content_version: ContentVersion::new(1),
        ..summary(1)
    };
    assert_eq!(items, [published]);
    assert_eq!(f.keeps(f.stores.ledger.items(Some(date(1)), 2)).await, []);
}

pub(super) async fn people_see_items_in_the_order_of_dates_not_of_numbers(f: &Fixture) {
    let rows = [(1, 3), (2, 1), (3, 2)].map(|(n, day)| PuzzleRow { play_date: date(day), ..row(n) });
    f.import("e1", rows).await;
    let items = f.keeps(f.stores.ledger.items(None, 2)).await;
    assert_eq!(items.iter().map(|item| item.puzzle_id).collect::<Vec<_>>(), [id(1), id(3)]);
    let items = f.keeps(f.stores.ledger.items(Some(date(2)), 2)).await;
    assert_eq!(items.iter().map(|item| item.puzzle_id).collect::<Vec<_>>(), [id(2)]);
}

pub(super) async fn people_see_later_items_nearest_first_in_pages(f: &Fixture) {
    let rows = [(1, 3), (2, 1), (3, 2), (4, 4)].map(|(n, day)| PuzzleRow { play_date: date(day), ..row(n) });
    f.import("e1", rows).await;
    let check = async |after, limit, expected: &[i64]| {
        let items = f.keeps(f.stores.ledger.later_items(date(after), limit)).await;
        assert_eq!(items.iter().map(|item| item.puzzle_id.get() - id(0).get()).collect::<Vec<_>>(), expected);
        let all = ok(f.stores.ledger.items(None, 9).await);
        assert!(items.iter().all(|item| all.contains(item)), "as the list has them");
    };
    check(0, 9, &[2, 3, 1, 4]).await;
    check(1, 2, &[3, 1]).await;
    check(3, 9, &[4]).await;
    check(4, 9, &[]).await;
}

pub(super) async fn people_see_all_that_is_known_of_an_item(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    f.withdraw(1).await;
    ok(f.stores.leases.claim(publication(1), &owner("ada"), TTL_MS).await);
    let detail = f.keeps(f.stores.ledger.item(id(1))).await.expect("puzzle 1 is known");
    let history: Vec<_> =
        detail.receipts.iter().map(|receipt| (receipt.kind, receipt.content_version.get())).collect();
    assert_eq!(history, [(CommitKind::Publish, 1), (CommitKind::Withdraw, 2)]);
    let seen = detail.preflight;
    assert_eq!((seen.now, seen.lease.map(|row| row.owner)), (due(1), Some(owner("ada"))));
    assert_eq!(seen.page.and_then(|page| page.withdrawn_at), Some(due(1)));
}

pub(super) async fn a_puzzle_before_its_day_is_shown_to_people(f: &Fixture) {
    f.import("e1", [row(9)]).await;
    let detail = f.keeps(f.stores.ledger.item(id(9))).await.expect("puzzle 9 is known");
    assert_eq!(detail.preflight.puzzle.map(|puzzle| puzzle.opens_at), Some(opens(9)));
    assert_eq!((detail.preflight.lease, detail.receipts), (None, Vec::new()));
}

pub(super) async fn nothing_is_known_of_an_unknown_puzzle(f: &Fixture) {
    assert_eq!(f.keeps(f.stores.ledger.item(id(1))).await, None);
}
