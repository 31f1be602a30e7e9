//! Imports, as a whole or not at all.

use fencepost_domain::{
    action::ActionKind,
    id::{BankVersion, PuzzleId},
    ledger::{Ending, Item, ItemState},
    puzzle::PuzzleRow,
    time::UnixMillis,
};
use serde_json::json;

use crate::{
    BankEdit, ImportReadback, RefusedRow, RowRefusal,
    contract::{
        Fixture,
        lines::{NULL, appears, becomes, instant},
        steps::{GRACE_MS, date, due, edit, entry, id, ok, opens, photo_url, row, row_with_photo, token},
    },
};

fn puzzle(column: &str, from: impl serde::Serialize, to: impl serde::Serialize) -> String {
    becomes("puzzles", id(1), column, from, to)
}

fn item(column: &str, from: impl serde::Serialize, to: impl serde::Serialize) -> String {
    becomes("publication_items", id(1), column, from, to)
}

fn bank_revision(from: i64, to: i64) -> String {
    becomes("site_state", 1, "bank_revision", from, to)
}

/// The row of an import that counted so many inserted, updated and unchanged puzzles.
fn landed(name: &str, (inserted, updated, unchanged): (i64, i64, i64), now: UnixMillis) -> String {
    let counts =
        json!({ "inserted": inserted, "updated": updated, "unchanged": unchanged, "edited_at": now });
    appears("bank_edits", name, &counts)
}

/// The rows of puzzle `n` after its first import, its instants included.
fn first_import(row: &PuzzleRow, name: &str, n: i64) -> [String; 4] {
    let puzzle = json!({
        "play_date": date(n),
        "opens_at": opens(n),
        "playable_until": due(n),
        "name": row.name,
        "price_cents": row.price_cents,
        "description": row.description,
        "image_url": row.image_url,
        "bank_version": 1,
        "edit_token": name,
    });
    let item = json!({
        "state": "scheduled",
        "due_at": due(n),
        "attempts": 0,
        "next_attempt_at": 0,
        "blocked_reason": NULL,
    });
    [
        appears("puzzles", id(n), &puzzle),
        appears("publication_items", id(n), &item),
        instant(opens(n)),
        instant(due(n)),
    ]
}

fn readback(
    (inserted, updated, unchanged): (i64, i64, i64),
    bank_revision: i64,
    refused: Vec<RefusedRow>,
) -> ImportReadback {
    ImportReadback { inserted, updated, unchanged, bank_revision, refused }
}

/// Imports rows that must be refused for these reasons, changing nothing. The reasons
/// stand in the order of the puzzles, and of the words.
async fn check_refused(
    f: &Fixture,
    rows: impl IntoIterator<Item = PuzzleRow>,
    expected: &[(i64, RowRefusal)],
) {
    let before = ok(f.stores.revisions.moment().await).bank_revision;
    let mut found = f.keeps(f.stores.bank.import(&edit("refused", rows))).await;
    found.refused.sort_by_key(|row| (row.puzzle_id, format!("{:?}", row.reason)));
    let refused = expected.iter().map(|(n, reason)| RefusedRow { puzzle_id: id(*n), reason: *reason });
    assert_eq!(found, readback((0, 0, 0), before, refused.collect()));
    assert_eq!(f.keeps(f.stores.bank.trace_import(&token("refused"))).await, None);
}

pub(super) async fn a_new_puzzle_gets_its_schedule_and_its_item(f: &Fixture) {
    let rows = [row(1), row_with_photo(2)];
    let [first, second] = [first_import(&rows[0], "e1", 1), first_import(&rows[1], "e1", 2)];
    let expected =
        first.into_iter().chain(second).chain([landed("e1", (2, 0, 0), opens(1)), bank_revision(0, 1)]);
    let found = f.changes(f.stores.bank.import(&edit("e1", rows.clone())), expected).await;
    assert_eq!(found, readback((2, 0, 0), 1, Vec::new()));
}

pub(super) async fn importing_the_same_again_changes_nothing(f: &Fixture) {
    f.import("e1", [row(1), row_with_photo(2)]).await;
    let now = f.clock.advance(1_000);
    let again = edit("e2", [row(1), row_with_photo(2)]);
    let found = f.changes(f.stores.bank.import(&again), [landed("e2", (0, 0, 2), now)]).await;
    assert_eq!(found, readback((0, 0, 2), 1, Vec::new()));
}

pub(super) async fn a_changed_puzzle_gets_a_new_version(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    let now = f.clock.advance(1_000);
    let changed = PuzzleRow {
        name: "Another".to_owned(),
        price_cents: 1,
        description: "Other words.".to_owned(),
        image_url: Some(photo_url(1)),
        ..row(1)
    };
    let expected = [
        puzzle("name", "Item 1", "Another"),
        puzzle("price_cents", 100, 1),
        puzzle("description", "About item 1.", "Other words."),
        puzzle("image_url", NULL, photo_url(1)),
        puzzle("bank_version", 1, 2),
        puzzle("edit_token", "e1", "e2"),
        landed("e2", (0, 1, 1), now),
        bank_revision(1, 2),
    ];
    let found = f.changes(f.stores.bank.import(&edit("e2", [changed, row(2)])), expected).await;
    assert_eq!(found, readback((0, 1, 1), 2, Vec::new()));
}

pub(super) async fn each_field_alone_is_a_change(f: &Fixture) {
    f.import("e0", [row(1)]).await;
    let changes: [fn(&mut PuzzleRow); 6] = [
        |row| row.name.push('!'),
        |row| row.price_cents += 1,
        |row| row.description.push('!'),
        |row| row.image_url = Some(photo_url(1)),
        |row| row.image_url = None,
        |row| row.play_date = date(7),
    ];
    let mut row = row(1);
    for (at, change) in (1..).zip(changes) {
        change(&mut row);
        let found = f.import(&format!("e{at}"), [row.clone()]).await;
        assert_eq!(found, readback((0, 1, 0), at + 1, Vec::new()), "change {at}");
    }
}

pub(super) async fn a_puzzle_that_loses_its_photo_has_none(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    let expected = [
        puzzle("image_url", photo_url(1), NULL),
        puzzle("bank_version", 1, 2),
        puzzle("edit_token", "e1", "e2"),
        landed("e2", (0, 1, 0), opens(1)),
        bank_revision(1, 2),
    ];
    f.changes(f.stores.bank.import(&edit("e2", [row(1)])), expected).await;
}

pub(super) async fn any_text_is_kept_as_it_is(f: &Fixture) {
    let text = "Quote ' \" \\ ; -- ?1 %s {}, 漢字, 🫖, e\u{301}\r\n\ttab";
    let odd = PuzzleRow { name: text.to_owned(), description: text.to_owned(), ..row(1) };
    f.import("e1", [odd.clone()]).await;
    let detail = ok(f.stores.ledger.item(id(1)).await).expect("puzzle 1 is known");
    assert!(detail.preflight.puzzle.is_some_and(|puzzle| odd.equals(&puzzle)));
    assert_eq!(f.import("e2", [odd]).await, readback((0, 0, 1), 1, Vec::new()));
}

pub(super) async fn a_row_that_replaces_the_version_it_names_lands(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let named = |version| PuzzleRow { expected_version: Some(BankVersion::new(version)), ..row(1) };
    f.import("e2", [PuzzleRow { price_cents: 5, ..named(1) }]).await;
    let found = f.import("e3", [PuzzleRow { price_cents: 6, ..named(2) }]).await;
    assert_eq!(found, readback((0, 1, 0), 3, Vec::new()));
}

pub(super) async fn a_row_that_replaces_an_older_version_refuses_the_whole_import(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.import("e2", [PuzzleRow { price_cents: 5, ..row(1) }]).await;
    let stale = PuzzleRow { expected_version: Some(BankVersion::FIRST), ..row(1) };
    let reason = RowRefusal::StaleVersion { stored: Some(BankVersion::new(2)) };
    check_refused(f, [row(2), stale, row(3)], &[(1, reason)]).await;
}

pub(super) async fn an_unchanged_row_that_names_another_version_refuses_too(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let stale = PuzzleRow { expected_version: Some(BankVersion::new(2)), ..row(1) };
    let reason = RowRefusal::StaleVersion { stored: Some(BankVersion::FIRST) };
    check_refused(f, [stale], &[(1, reason)]).await;
}

pub(super) async fn a_version_of_an_unknown_puzzle_refuses(f: &Fixture) {
    let stale = PuzzleRow { expected_version: Some(BankVersion::FIRST), ..row(1) };
    check_refused(f, [stale], &[(1, RowRefusal::StaleVersion { stored: None })]).await;
}

pub(super) async fn a_row_of_a_puzzle_that_must_be_new_refuses_once_it_is_there(f: &Fixture) {
    let new = |n| PuzzleRow { expected_version: Some(BankVersion::new(0)), ..row(n) };
    f.import("e1", [new(1)]).await;
    let refused = f.keeps(f.stores.bank.import(&edit("e2", [new(1), new(2)]))).await.refused;
    let reason = RowRefusal::StaleVersion { stored: Some(BankVersion::FIRST) };
    assert_eq!(refused, [RefusedRow { puzzle_id: id(1), reason }]);
}

pub(super) async fn a_date_has_one_puzzle(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    let taken = RowRefusal::DateTaken { by: id(1) };
    check_refused(f, [PuzzleRow { play_date: date(1), ..row(3) }], &[(3, taken)]).await;
    check_refused(f, [row(4), PuzzleRow { play_date: date(1), ..row(2) }], &[(2, taken)]).await;
}

pub(super) async fn the_date_of_a_page_is_fixed(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    let moved = || PuzzleRow { play_date: date(5), ..row(1) };
    check_refused(f, [moved()], &[(1, RowRefusal::DateFixed)]).await;
    f.withdraw(1).await;
    check_refused(f, [moved()], &[(1, RowRefusal::DateFixed)]).await;
}

pub(super) async fn every_refused_row_is_told(f: &Fixture) {
    f.import("e1", [row(1), row(2), row(4)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    let rows = [
        PuzzleRow { play_date: date(5), ..row(1) },
        PuzzleRow { expected_version: Some(BankVersion::new(9)), ..row(2) },
        PuzzleRow { play_date: date(4), ..row(3) },
        row(5),
    ];
    let expected = [
        (1, RowRefusal::DateFixed),
        (2, RowRefusal::StaleVersion { stored: Some(BankVersion::FIRST) }),
        (3, RowRefusal::DateTaken { by: id(4) }),
    ];
    check_refused(f, rows, &expected).await;
}

pub(super) async fn every_reason_of_a_row_is_told(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    let bad = PuzzleRow { play_date: date(2), expected_version: Some(BankVersion::new(9)), ..row(1) };
    let expected = [
        (1, RowRefusal::DateFixed),
        (1, RowRefusal::DateTaken { by: id(2) }),
        (1, RowRefusal::StaleVersion { stored: Some(BankVersion::FIRST) }),
    ];
    check_refused(f, [bad], &expected).await;
}

pub(super) async fn puzzles_of_one_import_trade_their_dates(f: &Fixture) {
    f.import("e1", [row(1), row(2), row(3)]).await;
    let moved = |n: i64, to: i64| PuzzleRow { play_date: date(to), ..row(n) };
    let found = f.import("e2", [moved(1, 2), moved(2, 3), moved(3, 1)]).await;
    assert_eq!(found, readback((0, 3, 0), 2, Vec::new()));
    for (n, to) in [(1, 2), (2, 3), (3, 1)] {
        let seen = ok(f.stores.ledger.item(id(n)).await).expect("the puzzle is known").preflight;
        assert_eq!(
            seen.puzzle.map(|puzzle| (puzzle.play_date, puzzle.opens_at)),
            Some((date(to), opens(to)))
        );
        assert_eq!(seen.item, Some(Item::scheduled(due(to))), "puzzle {n}");
    }
}

pub(super) async fn a_published_puzzle_trades_its_date_with_nobody(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    let moved = |n: i64, to: i64| PuzzleRow { play_date: date(to), ..row(n) };
    check_refused(f, [moved(1, 2), moved(2, 1)], &[(1, RowRefusal::DateFixed)]).await;
    let taken = RowRefusal::DateTaken { by: id(1) };
    check_refused(f, [moved(2, 1)], &[(2, taken)]).await;
}

pub(super) async fn a_page_leaves_its_puzzle_open_to_every_other_edit(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    let expected = [
        puzzle("name", "Item 1", "Another"),
        puzzle("bank_version", 1, 2),
        puzzle("edit_token", "e1", "e2"),
        landed("e2", (0, 1, 0), due(1)),
        bank_revision(1, 2),
    ];
    let renamed = PuzzleRow { name: "Another".to_owned(), ..row(1) };
    f.changes(f.stores.bank.import(&edit("e2", [renamed])), expected).await;
}

pub(super) async fn another_grace_window_changes_no_stored_schedule(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    ok(f.stores.ledger.reschedule(id(1), due(3), None, &entry(ActionKind::Reschedule)).await);
    let renamed = PuzzleRow { name: "Another".to_owned(), ..row(1) };
    let other_grace = BankEdit { grace_ms: 2 * GRACE_MS, ..edit("e2", [row(1)]) };
    f.changes(f.stores.bank.import(&other_grace), [landed("e2", (0, 0, 1), opens(1))]).await;
    let expected = [
        puzzle("name", "Item 1", "Another"),
        puzzle("bank_version", 1, 2),
        puzzle("edit_token", "e1", "e3"),
        landed("e3", (0, 1, 0), opens(1)),
        bank_revision(2, 3),
    ];
    let other_grace = BankEdit { grace_ms: 2 * GRACE_MS, ..edit("e3", [renamed]) };
    f.changes(f.stores.bank.import(&other_grace), expected).await;
}

pub(super) async fn another_date_makes_a_new_schedule(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    ok(f.stores.ledger.reschedule(id(1), due(3), None, &entry(ActionKind::Reschedule)).await);
    let grace_end = opens(6).plus(2 * GRACE_MS);
    let expected = [
        puzzle("play_date", date(1), date(5)),
        puzzle("opens_at", opens(1), opens(5)),
        puzzle("playable_until", due(1), grace_end),
        puzzle("bank_version", 1, 2),
        puzzle("edit_token", "e1", "e2"),
        item("due_at", due(3), grace_end),
        instant(opens(5)),
        instant(grace_end),
        landed("e2", (0, 1, 0), opens(1)),
        bank_revision(2, 3),
    ];
    let moved = PuzzleRow { play_date: date(5), ..row(1) };
    let moved = BankEdit { grace_ms: 2 * GRACE_MS, ..edit("e2", [moved]) };
    f.changes(f.stores.bank.import(&moved), expected).await;
}

pub(super) async fn a_date_that_was_left_is_free(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.import("e2", [PuzzleRow { play_date: date(5), ..row(1) }]).await;
    let found = f.import("e3", [PuzzleRow { play_date: date(1), ..row(2) }]).await;
    assert_eq!(found, readback((1, 0, 0), 3, Vec::new()));
}

pub(super) async fn an_edit_lets_a_blocked_item_be_tried_again(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no photo".to_owned() }).await);
    f.import("same", [row(1)]).await;
    let state = |tables: &crate::contract::Tables| tables["publication_items"][0]["state"].clone();
    assert_eq!(state(&f.tables().await), "blocked", "an unchanged row is no edit");
    let expected = [
        puzzle("price_cents", 100, 5),
        puzzle("bank_version", 1, 2),
        puzzle("edit_token", "e1", "e2"),
        item("state", "blocked", "scheduled"),
        item("attempts", 1, 0),
        item("blocked_reason", "no photo", NULL),
        landed("e2", (0, 1, 0), due(1)),
        bank_revision(1, 2),
    ];
    let edited = PuzzleRow { price_cents: 5, ..row(1) };
    f.changes(f.stores.bank.import(&edit("e2", [edited])), expected).await;
}

pub(super) async fn an_edit_lets_a_waiting_item_be_tried_at_once(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Fail { delay_ms: 60_000 }).await);
    f.import("e2", [PuzzleRow { price_cents: 5, ..row(1) }]).await;
    let detail = ok(f.stores.ledger.item(id(1)).await).expect("puzzle 1 is known");
    assert_eq!(detail.preflight.item, Some(Item::scheduled(due(1))));
}

pub(super) async fn an_edit_takes_an_item_out_of_hand_and_leaves_a_withdrawn_one(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(1));
    let worker = f.take(1, "ada").await;
    let hand = f.take_over(2, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    f.import("e2", [1, 2].map(|n| PuzzleRow { price_cents: 5, ..row(n) })).await;
    for (n, expected) in [(1, ItemState::Scheduled), (2, ItemState::Withdrawn)] {
        let detail = ok(f.stores.ledger.item(id(n)).await).expect("the puzzle is known");
        assert_eq!(detail.preflight.item.map(|item| item.state), Some(expected), "puzzle {n}");
    }
    let late = Ending::Block { reason: "no photo at the old address".to_owned() };
    let item = ok(f.stores.ledger.finish(&worker.lease, &late).await);
    assert_eq!(item, Some(Item::scheduled(due(1))), "what was found of the old row blocks nobody");
}

pub(super) async fn a_changed_date_brings_no_postponed_answer_forward(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    ok(f.stores.ledger.reschedule(id(1), due(9), None, &entry(ActionKind::Reschedule)).await);
    let moved = |n: i64, to: i64| PuzzleRow { play_date: date(to), ..row(n) };
    f.import("e2", [moved(1, 5), moved(2, 6)]).await;
    for (n, expected) in [(1, due(9)), (2, due(6))] {
        let detail = ok(f.stores.ledger.item(id(n)).await).expect("the puzzle is known");
        assert_eq!(detail.preflight.item.map(|item| item.due_at), Some(expected), "puzzle {n}");
    }
    f.import("e3", [moved(1, 11)]).await;
    let detail = ok(f.stores.ledger.item(id(1)).await).expect("the puzzle is known");
    assert_eq!(detail.preflight.item.map(|item| item.due_at), Some(due(11)), "never before the end of play");
}

pub(super) async fn a_large_import_lands_whole(f: &Fixture) {
    let found = f.import("e1", (1..=1_000).map(row)).await;
    assert_eq!(found, readback((1_000, 0, 0), 1, Vec::new()));
    let mut rows: Vec<_> = (1..=1_001).map(row).collect();
    rows[999].price_cents = 5;
    assert_eq!(f.import("e2", rows).await, readback((1, 1, 999), 2, Vec::new()));
}

pub(super) async fn an_import_without_an_answer_is_settled_by_its_token(f: &Fixture) {
    assert_eq!(f.keeps(f.stores.bank.trace_import(&token("e1"))).await, None);
    f.import("e1", [row(1), row(2)]).await;
    f.import("e2", [PuzzleRow { price_cents: 5, ..row(1) }, row(2)]).await;
    let trace = async |name: &str| f.keeps(f.stores.bank.trace_import(&token(name))).await;
    assert_eq!(trace("e1").await, Some(readback((2, 0, 0), 2, Vec::new())));
    assert_eq!(trace("e2").await, Some(readback((0, 1, 1), 2, Vec::new())));
    assert_eq!(trace("e3").await, None);
}

pub(super) async fn the_bank_tells_what_it_has_of_some_puzzles(f: &Fixture) {
    f.import("e1", [row(1), row(2), row_with_photo(3)]).await;
    let stored = async |wanted: &[PuzzleId]| f.keeps(f.stores.bank.stored(wanted)).await;
    assert_eq!(stored(&[]).await, []);
    let some = stored(&[id(3), id(9), id(1), id(3)]).await;
    assert_eq!(some.iter().map(|puzzle| puzzle.puzzle_id).collect::<Vec<_>>(), [id(1), id(3)]);
    assert!(row(1).equals(&some[0]) && row_with_photo(3).equals(&some[1]), "{some:?}");
    let dearer = PuzzleRow { price_cents: row(1).price_cents + 1, ..row(1) };
    f.import("e2", [dearer.clone()]).await;
    let [changed] = <[_; 1]>::try_from(stored(&[id(1)]).await).expect("one puzzle was asked for");
    assert!(dearer.equals(&changed));
    assert_eq!(changed.bank_version.get(), some[0].bank_version.get() + 1);
}
