//! Results of the daily game: who may report one, and when.

use fencepost_domain::{
    action::ActionKind,
    id::PuzzleId,
    ledger::Ending,
    play::{OpenPlay, Play, SecretPrice},
    puzzle::PuzzleRow,
    reading::{OpenPuzzle, Snapshot},
    results::{
        DayStats, GameResult, MAX_RESULTS_PER_PUZZLE,
        Recorded::{self, Closed, Duplicate, Full, UnknownPuzzle},
        ResultReport, SessionId, Slot,
    },
    time::UnixMillis,
};
use serde_json::json;

use crate::contract::{
    Fixture,
    lines::appears,
    steps::{date, due, entry, id, lost, ok, opens, photo, report, row, row_with_photo, won},
};

const fn recorded(slot: i64) -> Recorded {
    Recorded::Recorded { slot: Slot::new(slot) }
}

const fn duplicate(slot: i64, result: GameResult) -> Recorded {
    Duplicate { slot: Slot::new(slot), result }
}

/// What the rows of a puzzle say, whatever they say of each other.
async fn counted(f: &Fixture, puzzle: PuzzleId) -> DayStats {
    let mut stats = DayStats::default();
    for row in f.tables().await["daily_results"].iter().filter(|row| row["puzzle_id"] == puzzle.get()) {
        let outcome = row["outcome"].as_str().and_then(|word| word.parse().ok());
        let guesses_used = row["guesses_used"].as_i64();
        let result = outcome.zip(guesses_used).and_then(|(won, used)| GameResult::new(won, used).ok());
        stats.count(result.expect("a row has a result that can be"));
    }
    stats
}

/// Reports, and checks that exactly one row appears, with this slot, and with the tallies of
/// all rows of its puzzle.
async fn takes(f: &Fixture, report: &ResultReport, slot: i64) {
    let mut stats = counted(f, report.puzzle_id).await;
    stats.count(report.result);
    let columns = json!({
        "slot": slot,
        "outcome": report.result.outcome().as_str(),
        "guesses_used": report.result.guesses_used(),
        "report_token": report.token,
        "created_at": f.clock.now(),
        "won_with_1": stats.won_with[0],
        "won_with_2": stats.won_with[1],
        "won_with_3": stats.won_with[2],
        "won_with_4": stats.won_with[3],
        "won_with_5": stats.won_with[4],
        "won_with_6": stats.won_with[5],
    });
    let key = format!("{},{}", report.puzzle_id, report.session_id);
    let found = f.changes(f.stores.results.report(report), [appears("daily_results", key, &columns)]).await;
    assert_eq!(found, recorded(slot), "{report:?}");
}

/// Reports, and checks that nothing changes.
async fn keeps(f: &Fixture, report: &ResultReport, expected: Recorded) {
    assert_eq!(f.keeps(f.stores.results.report(report)).await, expected, "{report:?}");
}

async fn stats(f: &Fixture, n: i64) -> Option<DayStats> {
    let answer = f.keeps(f.stores.posts.answer(f.clock.now(), id(n))).await;
    answer.value.map(|view| view.stats)
}

async fn play(f: &Fixture, n: i64) -> Play {
    f.keeps(f.stores.results.play(None, id(n))).await.value
}

/// The puzzle that [`row`] makes, as it is played.
fn open(n: i64) -> Play {
    open_as(&row(n), due(n))
}

/// What is in the bank like this, with its answer due then, as it is played.
fn open_as(row: &PuzzleRow, due_at: UnixMillis) -> Play {
    Play::Open(Box::new(OpenPlay {
        puzzle: OpenPuzzle {
            puzzle_id: row.puzzle_id,
            play_date: row.play_date,
            name: row.name.clone(),
            image_key: None,
            playable_until: due(row.puzzle_id.get() - 1_000),
            due_at,
        },
        price: SecretPrice::of_cents(row.price_cents),
    }))
}

/// The session whose result was planted in this slot.
fn planted(slot: i64) -> SessionId {
    format!("planted-session-{slot:05}").parse().expect("a planted session has a name")
}

pub(super) async fn results_are_numbered_from_one_without_a_gap(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    takes(f, &report(1, "ada", won(3)), 1).await;
    f.clock.advance(1_000);
    takes(f, &report(1, "bob", lost()), 2).await;
    keeps(f, &report(1, "bob", won(6)), duplicate(2, lost())).await;
    f.clock.advance(1_000);
    takes(f, &report(1, "cem", won(1)), 3).await;
}

pub(super) async fn each_puzzle_numbers_its_own(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    takes(f, &report(1, "ada", won(3)), 1).await;
    takes(f, &report(1, "bob", won(2)), 2).await;
    f.clock.set(opens(2));
    takes(f, &report(2, "bob", won(4)), 1).await;
    takes(f, &report(1, "cem", won(1)), 3).await;
    takes(f, &report(2, "ada", won(5)), 2).await;
}

pub(super) async fn a_session_that_reports_again_changes_nothing(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    takes(f, &report(1, "ada", won(3)), 1).await;
    keeps(f, &report(1, "ada", won(1)), duplicate(1, won(3))).await;
    takes(f, &report(1, "bob", won(2)), 2).await;
    f.clock.advance(1_000);
    keeps(f, &report(1, "ada", lost()), duplicate(1, won(3))).await;
    let again = ResultReport { token: report(1, "ada", lost()).token, ..report(1, "ada", won(3)) };
    keeps(f, &again, duplicate(1, won(3))).await;
}

pub(super) async fn a_report_that_is_told_twice_is_recorded_once(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let told = report(1, "ada", won(3));
    takes(f, &told, 1).await;
    keeps(f, &told, recorded(1)).await;
    takes(f, &report(1, "bob", won(2)), 2).await;
    f.clock.set(due(1));
    keeps(f, &told, recorded(1)).await;
}

pub(super) async fn sessions_are_told_apart_to_the_letter(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    takes(f, &report(1, "ada", won(3)), 1).await;
    takes(f, &report(1, "Ada", won(3)), 2).await;
    takes(f, &report(1, "a-a", won(3)), 3).await;
    let longest = ResultReport {
        session_id: "_".repeat(64).parse().expect("64 characters are allowed"),
        ..report(1, "dee", won(3))
    };
    takes(f, &longest, 4).await;
}

pub(super) async fn a_result_counts_from_the_opening_to_the_end_of_play(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(opens(1).plus(-1));
    keeps(f, &report(1, "ada", won(3)), UnknownPuzzle).await;
    f.clock.set(opens(1));
    takes(f, &report(1, "ada", won(3)), 1).await;
    f.clock.set(due(1).plus(-1));
    takes(f, &report(1, "bob", won(3)), 2).await;
    f.clock.set(due(1));
    keeps(f, &report(1, "cem", won(3)), Closed).await;
}

pub(super) async fn a_puzzle_of_the_future_takes_no_more_than_an_unknown_one(f: &Fixture) {
    f.import("e1", [row(2)]).await;
    for n in [1, 2, 3] {
        keeps(f, &report(n, "ada", won(3)), UnknownPuzzle).await;
    }
    assert_eq!(stats(f, 1).await, None);
    assert_eq!(stats(f, 2).await, Some(DayStats::default()));
}

pub(super) async fn the_stored_end_of_play_decides(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    takes(f, &report(1, "ada", won(3)), 1).await;
    f.import("e2", [PuzzleRow { play_date: date(5), ..row(1) }]).await;
    keeps(f, &report(1, "bob", won(3)), UnknownPuzzle).await;
    f.clock.set(opens(5));
    takes(f, &report(1, "bob", won(3)), 2).await;
    f.clock.set(due(5));
    keeps(f, &report(1, "cem", won(3)), Closed).await;
}

pub(super) async fn whoever_has_reported_learns_so_at_any_time(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    takes(f, &report(1, "ada", won(3)), 1).await;
    for now in [due(1), due(9), opens(1).plus(-1)] {
        f.clock.set(now);
        keeps(f, &report(1, "ada", won(1)), duplicate(1, won(3))).await;
    }
}

pub(super) async fn neither_item_nor_pause_matters_to_a_result(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    takes(f, &report(1, "ada", won(3)), 1).await;
    let hand = f.take_over(1, "editor").await;
    takes(f, &report(1, "bob", won(3)), 2).await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    takes(f, &report(1, "cem", won(3)), 3).await;
    ok(f.stores.ledger.set_paused(false, &entry(ActionKind::Resume)).await);
    f.clock.set(due(2).plus(-1));
    ok(f.stores.ledger.reschedule(id(2), due(5), None, &entry(ActionKind::Reschedule)).await);
    takes(f, &report(2, "ada", won(3)), 1).await;
    f.clock.set(due(5));
    let hand = f.take(2, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no photo".to_owned() }).await);
    f.clock.set(due(2).plus(-1));
    takes(f, &report(2, "bob", won(3)), 2).await;
}

pub(super) async fn a_full_puzzle_takes_no_more(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(opens(2));
    ok(f.inspect.plant_results(id(1), MAX_RESULTS_PER_PUZZLE - 1).await);
    let told = async |report: ResultReport| ok(f.stores.results.report(&report).await);
    let last = report(1, "ada", lost());
    assert_eq!(told(last.clone()).await, recorded(MAX_RESULTS_PER_PUZZLE));
    assert_eq!(told(report(1, "bob", won(1))).await, Full);
    assert_eq!(told(last).await, recorded(MAX_RESULTS_PER_PUZZLE), "told again");
    assert_eq!(told(report(1, "ada", won(1))).await, duplicate(MAX_RESULTS_PER_PUZZLE, lost()));
    for slot in [1, 7, MAX_RESULTS_PER_PUZZLE - 1] {
        let again = ResultReport { session_id: planted(slot), ..report(1, "cem", won(1)) };
        assert_eq!(told(again).await, duplicate(slot, won(3)));
    }
    assert_eq!(told(report(2, "bob", won(1))).await, recorded(1), "another puzzle has room");
    let played = async |n| ok(f.stores.posts.answer(f.clock.now(), id(n)).await).value.map(|view| view.stats);
    let expected = DayStats { won_with: [0, 0, MAX_RESULTS_PER_PUZZLE - 1, 0, 0, 0], lost: 1 };
    assert_eq!(played(1).await, Some(expected));
    assert_eq!(played(2).await, Some(DayStats { won_with: [1, 0, 0, 0, 0, 0], lost: 0 }));
    f.clock.set(due(1));
    assert_eq!(told(report(1, "bob", won(1))).await, Closed);
    assert_eq!(played(1).await, Some(expected));
}

pub(super) async fn statistics_count_how_games_ended(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    assert_eq!(stats(f, 1).await, Some(DayStats::default()));
    let games: [GameResult; 8] = [won(6), won(1), lost(), won(2), won(6), lost(), won(6), won(5)];
    for (name, result) in ('a'..).zip(games) {
        ok(f.stores.results.report(&report(1, &name.to_string(), result)).await);
    }
    let expected = DayStats { won_with: [1, 1, 0, 0, 1, 3], lost: 2 };
    assert_eq!(stats(f, 1).await, Some(expected));
    assert_eq!((expected.results(), expected.won()), (8, 6));
    f.clock.set(due(1).plus(-1));
    ok(f.stores.results.report(&report(2, "ada", won(4))).await);
    assert_eq!(stats(f, 1).await, Some(expected), "results of another puzzle are its own");
    assert_eq!(stats(f, 2).await, Some(DayStats { won_with: [0, 0, 0, 1, 0, 0], lost: 0 }));
    f.clock.set(due(9));
    assert_eq!(stats(f, 1).await, Some(expected), "long after");
}

pub(super) async fn a_row_knows_those_before_it_in_whatever_order_games_end(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(opens(2));
    let games = [won(6), won(1), lost(), won(4), lost(), won(2), won(5), won(3), won(4), lost()];
    let mut slots = [0; 2];
    // Two puzzles take turns, out of step, and every third player reports again.
    for at in 0..30 {
        let which = usize::from(at % 5 < 2);
        let (n, name, result) = ([1, 2][which], format!("player-{at}"), games[at * 7 % games.len()]);
        slots[which] += 1;
        takes(f, &report(n, &name, result), slots[which]).await;
        if at % 3 == 0 {
            let other = if result == lost() { won(1) } else { lost() };
            keeps(f, &report(n, &name, other), duplicate(slots[which], result)).await;
        }
    }
    assert_eq!(slots, [18, 12]);
    for n in [1, 2] {
        assert_eq!(stats(f, n).await, Some(counted(f, id(n)).await), "puzzle {n}");
    }
}

pub(super) async fn a_session_that_reports_again_is_counted_once(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let once = DayStats { won_with: [0, 0, 1, 0, 0, 0], lost: 0 };
    let told = report(1, "ada", won(3));
    takes(f, &told, 1).await;
    keeps(f, &told, recorded(1)).await;
    keeps(f, &report(1, "ada", lost()), duplicate(1, won(3))).await;
    assert_eq!(stats(f, 1).await, Some(once));
    takes(f, &report(1, "bob", won(3)), 2).await;
    assert_eq!(stats(f, 1).await, Some(DayStats { won_with: [0, 0, 2, 0, 0, 0], lost: 0 }));
}

pub(super) async fn a_puzzle_is_played_from_the_opening_to_just_before_its_end(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(opens(1).plus(-1));
    assert_eq!(play(f, 1).await, Play::Unknown);
    f.clock.set(opens(1));
    assert_eq!((play(f, 1).await, play(f, 2).await), (open(1), Play::Unknown));
    // Yesterday's puzzle is played beside today's, until its grace window ends.
    f.clock.set(due(1).plus(-1));
    assert_eq!((play(f, 1).await, play(f, 2).await), (open(1), open(2)));
    f.clock.set(due(1));
    assert_eq!((play(f, 1).await, play(f, 2).await), (Play::Over, open(2)));
    f.publish(1).await;
    f.withdraw(1).await;
    assert_eq!(play(f, 1).await, Play::Over);
}

pub(super) async fn a_puzzle_is_played_at_the_time_of_the_request_if_that_is_told(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.make_ready(1, photo(1)).await;
    f.clock.set(due(1));
    let at = async |now| f.keeps(f.stores.results.play(Some(now), id(1))).await;
    assert_eq!(at(opens(1).plus(-1)).await.value, Play::Unknown);
    assert_eq!(at(due(1)).await.value, Play::Over);
    let Snapshot { publication_revision, bank_revision, value, unreadable } = at(due(1).plus(-1)).await;
    let Play::Open(open) = value else { panic!("{value:?}") };
    assert_eq!(open.puzzle.image_key, Some(photo(1)));
    let home = ok(f.stores.posts.home(due(1).plus(-1), 1).await);
    assert_eq!(home.value.open, [open.puzzle], "the same on the front page");
    let revisions = (publication_revision, bank_revision);
    assert_eq!(revisions, (home.publication_revision, home.bank_revision));
    assert_eq!(unreadable, [""; 0]);
}

pub(super) async fn a_puzzle_of_the_future_is_played_no_more_than_an_unknown_one(f: &Fixture) {
    f.import("e1", [row(2)]).await;
    for n in [1, 2, 3] {
        assert_eq!(play(f, n).await, Play::Unknown, "puzzle {n}");
    }
}

pub(super) async fn what_was_taken_back_unpublished_is_not_played(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let hand = f.take_over(1, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    for now in [opens(1), due(1).plus(-1), due(1), due(9)] {
        f.clock.set(now);
        assert_eq!(play(f, 1).await, Play::Unknown, "at {now}");
    }
}

pub(super) async fn a_guess_is_judged_by_the_stored_row(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    ok(f.stores.ledger.reschedule(id(1), due(5), None, &entry(ActionKind::Reschedule)).await);
    let dearer = PuzzleRow { price_cents: row(1).price_cents + 1, ..row(1) };
    f.import("e2", [dearer.clone()]).await;
    assert_eq!(play(f, 1).await, open_as(&dearer, due(5)));
    // A later answer does not make the game longer.
    f.clock.set(due(1));
    assert_eq!(play(f, 1).await, Play::Over);
    f.import("e3", [PuzzleRow { play_date: date(5), ..dearer }]).await;
    assert_eq!(play(f, 1).await, Play::Unknown);
}
