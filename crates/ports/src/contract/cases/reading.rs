//! What readers see, and from when on.

use fencepost_domain::{
    action::ActionKind,
    commit::Change,
    image::ImageKey,
    ledger::{Ending, ItemState},
    page::AnswerContent,
    puzzle::PuzzleRow,
    revision::Revision,
    time::UnixMillis,
    visibility::{AnswerFacts, AnswerVisibility},
};

use crate::{
    AnswerView, ListedAnswer, Neighbour, OpenPuzzle, Snapshot,
    contract::{
        Fixture,
        steps::{
            NO_NUMBERS, content, content_with, date, due, entry, id, ok, opens, photo, row, row_with_photo,
        },
    },
};

async fn view(f: &Fixture, n: i64, now: UnixMillis) -> AnswerView {
    f.keeps(f.stores.posts.answer(now, id(n))).await.value.expect("the puzzle is known")
}

/// Checks what a reader may know of puzzle 1 at `now`.
async fn check(f: &Fixture, now: UnixMillis, expected: AnswerVisibility) {
    assert_eq!(view(f, 1, now).await.facts.visibility(now), expected, "at {now}");
}

/// The numbers of the answers that are listed at `now`.
async fn listed(f: &Fixture, now: UnixMillis, before: Option<i64>, limit: u32) -> Vec<i64> {
    let list = f.keeps(f.stores.posts.list(now, before.map(date), limit)).await.value;
    list.iter().map(|answer| answer.puzzle_id.get() - 1_000).collect()
}

/// The numbers of the neighbours of puzzle `n` at `now`.
async fn neighbours(f: &Fixture, n: i64, now: UnixMillis) -> (Option<i64>, Option<i64>) {
    let view = view(f, n, now).await;
    let number = |neighbour: Neighbour| neighbour.puzzle_id.get() - 1_000;
    (view.previous.map(number), view.next.map(number))
}

/// The numbers of the puzzles that the front page shows as open at `now`.
async fn open(f: &Fixture, now: UnixMillis) -> Vec<i64> {
    let home = f.keeps(f.stores.posts.home(now, 0)).await.value;
    home.open.iter().map(|open| open.puzzle_id.get() - 1_000).collect()
}

/// The numbers of the answers that the front page lists at `now`.
async fn latest(f: &Fixture, now: UnixMillis) -> Vec<i64> {
    let home = f.keeps(f.stores.posts.home(now, 9)).await.value;
    home.latest.iter().map(|answer| answer.puzzle_id.get() - 1_000).collect()
}

async fn shows(f: &Fixture, now: UnixMillis, key: &ImageKey) -> bool {
    f.keeps(f.stores.posts.shows_image(now, key)).await.value
}

/// Publishes puzzles `1..=last` at the instant at which the last one is due.
async fn publish_all(f: &Fixture, last: i64) {
    f.import("e1", (1..=last).map(row)).await;
    f.clock.set(due(last));
    for n in 1..=last {
        f.publish(n).await;
    }
}

pub(super) async fn an_answer_is_public_from_its_instant_on_and_not_before(f: &Fixture) {
    publish_all(f, 1).await;
    let not_yet = AnswerVisibility::NotYet;
    check(f, opens(1).plus(-1), AnswerVisibility::Unknown).await;
    check(f, opens(1), not_yet).await;
    check(f, due(1).plus(-1), not_yet).await;
    check(f, due(1), AnswerVisibility::Public).await;
}

pub(super) async fn an_answer_that_is_late_is_not_out(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    check(f, due(1), AnswerVisibility::Late).await;
    assert_eq!(view(f, 1, due(1)).await.page, None);
}

pub(super) async fn an_answer_that_was_taken_back_is_known_as_such(f: &Fixture) {
    publish_all(f, 1).await;
    f.withdraw(1).await;
    check(f, due(1), AnswerVisibility::Withdrawn).await;
    check(f, due(1).plus(-1), AnswerVisibility::NotYet).await;
    let page = view(f, 1, due(1)).await.page.expect("a tombstone is kept");
    assert_eq!(page.withdrawn_at, Some(due(1)));
}

pub(super) async fn an_answer_that_was_taken_back_unpublished_is_unknown(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let hand = f.take_over(1, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    check(f, due(1), AnswerVisibility::Unknown).await;
}

pub(super) async fn an_unknown_puzzle_has_no_answer(f: &Fixture) {
    let found = f.keeps(f.stores.posts.answer(due(1), id(1))).await;
    let nothing = Snapshot {
        publication_revision: Revision::NONE,
        bank_revision: 0,
        value: None,
        unreadable: Vec::new(),
    };
    assert_eq!(found, nothing);
}

pub(super) async fn a_puzzle_of_the_future_is_as_good_as_unknown(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    check(f, opens(1).plus(-1), AnswerVisibility::Unknown).await;
}

pub(super) async fn an_answer_comes_with_its_facts_and_its_page(f: &Fixture) {
    publish_all(f, 1).await;
    let view = view(f, 1, due(1)).await;
    let facts =
        AnswerFacts { opens_at: opens(1), due_at: due(1), state: ItemState::Published, has_page: true };
    assert_eq!(view.facts, facts);
    let page = view.page.expect("it is published");
    assert_eq!((page.content, page.published_at), (content(1), due(1)));
    assert_eq!((view.previous, view.next), (None, None));
}

pub(super) async fn content_comes_with_the_revisions_that_it_was_read_with(f: &Fixture) {
    publish_all(f, 2).await;
    let revisions = (Revision::new(2), 1);
    let home = ok(f.stores.posts.home(due(2), 9).await);
    assert_eq!((home.publication_revision, home.bank_revision), revisions, "home");
    let list = ok(f.stores.posts.list(due(2), None, 9).await);
    assert_eq!((list.publication_revision, list.bank_revision), revisions, "list");
    let answer = ok(f.stores.posts.answer(due(2), id(1)).await);
    assert_eq!((answer.publication_revision, answer.bank_revision), revisions, "answer");
    let image = ok(f.stores.posts.shows_image(due(2), &photo(1)).await);
    assert_eq!((image.publication_revision, image.bank_revision), revisions, "image");
}

pub(super) async fn the_time_of_the_request_decides_not_that_of_the_store(f: &Fixture) {
    publish_all(f, 2).await;
    f.clock.set(opens(9));
    assert_eq!(listed(f, due(2).plus(-1), None, 9).await, [1]);
    f.clock.set(opens(1));
    assert_eq!(listed(f, due(2), None, 9).await, [2, 1]);
}

pub(super) async fn neighbours_skip_what_is_not_public(f: &Fixture) {
    publish_all(f, 6).await;
    f.withdraw(2).await;
    f.withdraw(4).await;
    assert_eq!(neighbours(f, 3, due(6)).await, (Some(1), Some(5)));
    assert_eq!(neighbours(f, 1, due(6)).await, (None, Some(3)));
    assert_eq!(neighbours(f, 6, due(6)).await, (Some(5), None));
    assert_eq!(neighbours(f, 5, due(6).plus(-1)).await, (Some(3), None), "an embargo hides the next");
    assert_eq!(neighbours(f, 4, due(6)).await, (Some(3), Some(5)), "a tombstone has neighbours");
}

pub(super) async fn an_answer_without_a_page_has_no_neighbours(f: &Fixture) {
    f.import("e1", (1..=3).map(row)).await;
    f.clock.set(due(3));
    f.publish(1).await;
    f.publish(3).await;
    assert_eq!(neighbours(f, 2, due(3)).await, (None, None));
    assert_eq!(neighbours(f, 1, due(3)).await, (None, Some(3)));
}

pub(super) async fn answers_are_listed_newest_first_in_pages(f: &Fixture) {
    publish_all(f, 5).await;
    f.withdraw(3).await;
    assert_eq!(listed(f, due(5), None, 2).await, [5, 4]);
    assert_eq!(listed(f, due(5), Some(4), 2).await, [2, 1]);
    assert_eq!(listed(f, due(5), Some(1), 2).await, NO_NUMBERS);
    assert_eq!(listed(f, due(5).plus(-1), None, 9).await, [4, 2, 1], "an embargo hides it here as well");
}

pub(super) async fn dates_order_answers_and_not_numbers(f: &Fixture) {
    let days = [(1, 3), (2, 1), (3, 2)];
    f.import("e1", days.map(|(n, day)| PuzzleRow { play_date: date(day), ..row(n) })).await;
    f.clock.set(due(3));
    for (n, day) in days {
        let hand = f.take(n, "press").await;
        let content = AnswerContent { play_date: date(day), ..content(n) };
        f.land(&hand.commit(&format!("publish-{n}"), Change::Publish(content))).await;
    }
    assert_eq!(listed(f, due(3), None, 2).await, [1, 3]);
    assert_eq!(listed(f, due(3), Some(2), 2).await, [2]);
    assert_eq!(neighbours(f, 3, due(3)).await, (Some(2), Some(1)));
    let home = ok(f.stores.posts.home(due(3), 1).await).value;
    assert_eq!(home.latest.first().map(|answer| answer.puzzle_id), Some(id(1)));
}

pub(super) async fn a_listed_answer_shows_what_was_committed(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.make_ready(1, photo(1)).await;
    f.clock.set(due(1));
    f.publish_with_photo(1).await;
    f.import("e2", [PuzzleRow { name: "Another".to_owned(), ..row_with_photo(1) }]).await;
    let expected = ListedAnswer {
        puzzle_id: id(1),
        play_date: date(1),
        name: row(1).name,
        price_cents: 100,
        image_key: Some(photo(1)),
    };
    let expected = [expected];
    assert_eq!(ok(f.stores.posts.list(due(1), None, 9).await).value, expected);
    assert_eq!(ok(f.stores.posts.home(due(1), 9).await).value.latest, expected);
}

pub(super) async fn home_shows_the_newest_answers_only(f: &Fixture) {
    publish_all(f, 4).await;
    let home = ok(f.stores.posts.home(due(4), 2).await).value;
    let latest: Vec<_> = home.latest.iter().map(|answer| answer.puzzle_id).collect();
    assert_eq!(latest, [id(4), id(3)]);
}

pub(super) async fn an_embargo_hides_an_answer_from_the_front_page_too(f: &Fixture) {
    publish_all(f, 2).await;
    assert_eq!(latest(f, due(2).plus(-1)).await, [1], "though it is published");
    assert_eq!(latest(f, due(2)).await, [2, 1]);
}

pub(super) async fn the_front_page_lists_no_answer_that_was_taken_back(f: &Fixture) {
    publish_all(f, 3).await;
    f.withdraw(2).await;
    assert_eq!(latest(f, due(3)).await, [3, 1]);
}

pub(super) async fn home_shows_the_puzzles_that_are_open(f: &Fixture) {
    f.import("e1", [row(1), row(2), row(4)]).await;
    assert_eq!(open(f, opens(1).plus(-1)).await, [0; 0]);
    assert_eq!(open(f, opens(1)).await, [1]);
    assert_eq!(open(f, opens(2).plus(-1)).await, [1]);
    assert_eq!(open(f, opens(2)).await, [2, 1], "the newest first; the other one can be finished");
    assert_eq!(open(f, due(1).plus(-1)).await, [2, 1]);
    assert_eq!(open(f, due(1)).await, [2]);
    assert_eq!(open(f, due(2).plus(-1)).await, [2]);
    assert_eq!(open(f, due(2)).await, [0; 0], "a day without a puzzle");
}

pub(super) async fn home_does_not_show_what_was_taken_back(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    let hand = f.take_over(2, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    assert_eq!(open(f, opens(2)).await, [1], "the first is still open");
    assert_eq!(open(f, due(1)).await, [0; 0]);
}

pub(super) async fn home_shows_all_of_the_open_puzzle_but_its_answer(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    ok(f.stores.ledger.reschedule(id(1), due(2), None, &entry(ActionKind::Reschedule)).await);
    let expected = |image_key| OpenPuzzle {
        puzzle_id: id(1),
        play_date: date(1),
        name: row(1).name,
        image_key,
        playable_until: due(1),
        due_at: due(2),
    };
    let today = async || ok(f.stores.posts.home(opens(1), 1).await).value.open.into_iter().next();
    assert_eq!(today().await, Some(expected(None)), "the photo is not stored yet");
    f.make_ready(1, photo(1)).await;
    assert_eq!(today().await, Some(expected(Some(photo(1)))));
    let elsewhere = Some("https://photos.example/elsewhere.webp".to_owned());
    f.import("e2", [PuzzleRow { image_url: elsewhere, ..row(1) }]).await;
    assert_eq!(today().await, Some(expected(None)), "the photo at the new address is not stored yet");
}

pub(super) async fn a_photo_is_shown_while_its_puzzle_is_open(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.make_ready(1, photo(1)).await;
    assert!(!shows(f, opens(1).plus(-1), &photo(1)).await, "a millisecond before it opens");
    assert!(shows(f, opens(1), &photo(1)).await);
    assert!(shows(f, due(1).plus(-1), &photo(1)).await);
    assert!(!shows(f, due(1), &photo(1)).await, "play has ended and no page is out");
    assert!(!shows(f, opens(1), &photo(2)).await, "a key that nobody uses");
}

pub(super) async fn a_photo_is_shown_on_a_public_page(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.make_ready(1, photo(1)).await;
    f.clock.set(due(1));
    f.publish_with_photo(1).await;
    assert!(shows(f, due(1), &photo(1)).await);
    assert!(shows(f, opens(400), &photo(1)).await);
    f.withdraw(1).await;
    assert!(!shows(f, due(1), &photo(1)).await, "taken back");
}

pub(super) async fn an_embargo_hides_the_photo_of_a_page_too(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.make_ready(1, photo(1)).await;
    ok(f.stores.ledger.reschedule(id(1), due(2), None, &entry(ActionKind::Reschedule)).await);
    f.clock.set(due(2));
    f.publish_with_photo(1).await;
    assert!(shows(f, due(1).plus(-1), &photo(1)).await, "play goes on");
    assert!(!shows(f, due(1), &photo(1)).await, "play has ended, and the page is not due");
    assert!(!shows(f, due(2).plus(-1), &photo(1)).await);
    assert!(shows(f, due(2), &photo(1)).await);
}

pub(super) async fn a_photo_of_a_puzzle_that_was_taken_back_is_not_shown(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.make_ready(1, photo(1)).await;
    let hand = f.take_over(1, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    assert!(!shows(f, opens(1), &photo(1)).await);
}

pub(super) async fn a_photo_that_was_replaced_is_not_shown(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.make_ready(1, photo(1)).await;
    let elsewhere = Some("https://photos.example/elsewhere.webp".to_owned());
    f.import("e2", [PuzzleRow { image_url: elsewhere, ..row(1) }]).await;
    assert!(!shows(f, opens(1), &photo(1)).await);
}

pub(super) async fn a_page_shows_its_photo_whatever_the_bank_says_since(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.make_ready(1, photo(1)).await;
    f.clock.set(due(1));
    f.publish_with_photo(1).await;
    f.import("e2", [row(1)]).await;
    assert!(shows(f, due(1), &photo(1)).await);
}

pub(super) async fn one_photo_of_two_puzzles_is_shown_for_either(f: &Fixture) {
    f.import("e1", [row_with_photo(1), row_with_photo(2)]).await;
    f.make_ready(1, photo(1)).await;
    f.make_ready(2, photo(1)).await;
    f.clock.set(due(1));
    f.publish_with_photo(1).await;
    f.withdraw(1).await;
    assert!(shows(f, due(1), &photo(1)).await, "the second puzzle is open");
    assert!(!shows(f, due(2), &photo(1)).await);
}

pub(super) async fn a_reinstated_page_is_seen_again_everywhere(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.make_ready(1, photo(1)).await;
    f.clock.set(due(1));
    f.publish_with_photo(1).await;
    f.withdraw(1).await;
    assert_eq!(listed(f, due(1), None, 9).await, NO_NUMBERS);
    let hand = f.take_over(1, "editor").await;
    f.land(&hand.commit("c3", Change::Reinstate)).await;
    assert_eq!(listed(f, due(1), None, 9).await, [1]);
    assert!(shows(f, due(1), &photo(1)).await);
    check(f, due(1), AnswerVisibility::Public).await;
    let page = view(f, 1, due(1)).await.page.expect("it is public");
    assert_eq!(page.content, content_with(1, photo(1)));
}

pub(super) async fn a_moved_answer_keeps_to_its_new_instant(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    ok(f.stores.ledger.reschedule(id(1), due(3), None, &entry(ActionKind::Reschedule)).await);
    f.clock.set(due(3));
    f.publish(1).await;
    assert_eq!(listed(f, due(3).plus(-1), None, 9).await, NO_NUMBERS);
    assert_eq!(listed(f, due(3), None, 9).await, [1]);
}

pub(super) async fn a_blocked_answer_is_late_and_no_more(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no photo".to_owned() }).await);
    check(f, due(1), AnswerVisibility::Late).await;
}
