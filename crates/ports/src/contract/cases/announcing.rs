//! What feed readers and search engines are told: what is public, and nothing else.

use fencepost_domain::{
    commit::Change,
    page::AnswerContent,
    puzzle::PuzzleRow,
    reading::{FeedEntry, LONGEST_FEED_BODY, SitemapEntry},
    time::{DAY_MS, UnixMillis},
};

use crate::contract::{
    Fixture,
    steps::{NO_NUMBERS, content, content_with, date, due, id, ok, photo, row, row_with_photo},
};

/// The numbers of the answers that are in the feed at `now`.
async fn fed(f: &Fixture, now: UnixMillis, limit: u32) -> Vec<i64> {
    let entries = f.keeps(f.stores.posts.feed(now, limit)).await.value;
    entries.iter().map(|entry| entry.puzzle_id.get() - 1_000).collect()
}

/// The numbers of the answers that search engines are told of at `now`.
async fn mapped(f: &Fixture, now: UnixMillis, limit: u32) -> Vec<i64> {
    let entries = f.keeps(f.stores.posts.sitemap(now, limit)).await.value;
    entries.iter().map(|entry| entry.puzzle_id.get() - 1_000).collect()
}

/// Publishes puzzles `1..=last`, all with the same photo, when the last one is due.
async fn publish_all(f: &Fixture, last: i64) {
    f.import("e1", (1..=last).map(row_with_photo)).await;
    f.clock.set(due(last));
    for n in 1..=last {
        f.make_ready(n, photo(1)).await;
        f.publish_with_photo(n).await;
    }
}

pub(super) async fn a_new_site_announces_nothing(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    assert_eq!(fed(f, due(9), 9).await, NO_NUMBERS, "due, and not out");
    assert_eq!(mapped(f, due(9), 9).await, NO_NUMBERS, "due, and not out");
}

pub(super) async fn an_announced_answer_shows_what_was_committed(f: &Fixture) {
    publish_all(f, 1).await;
    f.clock.set(due(2));
    let changed = PuzzleRow { name: "Another".to_owned(), price_cents: 777, ..row_with_photo(1) };
    f.import("e2", [changed]).await;
    let mut expected = FeedEntry {
        puzzle_id: id(1),
        play_date: date(1),
        name: row(1).name,
        price_cents: 100,
        body_html: Some(content(1).body_html),
        image_key: Some(photo(1)),
        published_at: due(1),
        updated_at: due(1),
    };
    assert_eq!(ok(f.stores.posts.feed(due(2), 9).await).value, [expected.clone()], "an edit of the bank");
    let mapped = SitemapEntry { puzzle_id: id(1), updated_at: due(1) };
    assert_eq!(ok(f.stores.posts.sitemap(due(2), 9).await).value, [mapped], "an edit of the bank");

    let hand = f.take_over(1, "editor").await;
    let update = AnswerContent { name: "Another".to_owned(), ..content_with(1, photo(1)) };
    f.land(&hand.commit("update", Change::Update(update))).await;
    expected.name = "Another".to_owned();
    expected.updated_at = due(2);
    assert_eq!(ok(f.stores.posts.feed(due(2), 9).await).value, [expected], "an update");
    let mapped = SitemapEntry { puzzle_id: id(1), updated_at: due(2) };
    assert_eq!(ok(f.stores.posts.sitemap(due(2), 9).await).value, [mapped], "an update");
}

pub(super) async fn what_is_announced_comes_with_its_revisions(f: &Fixture) {
    publish_all(f, 2).await;
    let moment = ok(f.stores.revisions.moment().await);
    let expected = (moment.publication_revision, moment.bank_revision);
    let feed = ok(f.stores.posts.feed(due(2), 9).await);
    assert_eq!((feed.publication_revision, feed.bank_revision), expected, "feed");
    let sitemap = ok(f.stores.posts.sitemap(due(2), 9).await);
    assert_eq!((sitemap.publication_revision, sitemap.bank_revision), expected, "sitemap");
}

pub(super) async fn an_embargo_holds_for_feed_and_sitemap_published_or_not(f: &Fixture) {
    publish_all(f, 2).await;
    assert_eq!(fed(f, due(2).plus(-1), 9).await, [1]);
    assert_eq!(mapped(f, due(2).plus(-1), 9).await, [1]);
    assert_eq!(fed(f, due(2), 9).await, [2, 1]);
    assert_eq!(mapped(f, due(2), 9).await, [2, 1]);
}

pub(super) async fn what_was_taken_back_is_announced_no_more_until_it_is_back(f: &Fixture) {
    publish_all(f, 2).await;
    f.withdraw(2).await;
    assert_eq!((fed(f, due(2), 9).await, mapped(f, due(2), 9).await), (vec![1], vec![1]));
    let hand = f.take_over(2, "editor").await;
    f.land(&hand.commit("reinstate", Change::Reinstate)).await;
    assert_eq!((fed(f, due(2), 9).await, mapped(f, due(2), 9).await), (vec![2, 1], vec![2, 1]));
}

pub(super) async fn a_page_that_search_engines_may_not_keep_is_in_the_feed_alone(f: &Fixture) {
    publish_all(f, 2).await;
    f.import("e2", [row(3), row(4)]).await;
    f.clock.set(due(4));
    f.publish(3).await;
    f.publish(4).await;
    assert_eq!(fed(f, due(4), 9).await, [4, 3, 2, 1]);
    assert_eq!(mapped(f, due(4), 9).await, [2, 1]);
    assert_eq!(mapped(f, due(4), 1).await, [2], "what is left out takes nobody's place");
}

pub(super) async fn the_newest_date_comes_first_and_the_oldest_is_left_out(f: &Fixture) {
    let days = [(1, 3), (2, 1), (3, 2)];
    f.import("e1", days.map(|(n, day)| PuzzleRow { play_date: date(day), ..row_with_photo(n) })).await;
    f.clock.set(due(3).plus(DAY_MS));
    for (n, day) in days {
        f.make_ready(n, photo(1)).await;
        let hand = f.take(n, "press").await;
        let content = AnswerContent { play_date: date(day), ..content_with(n, photo(1)) };
        f.land(&hand.commit(&format!("publish-{n}"), Change::Publish(content))).await;
    }
    assert_eq!((fed(f, due(4), 9).await, mapped(f, due(4), 9).await), (vec![1, 3, 2], vec![1, 3, 2]));
    assert_eq!((fed(f, due(4), 2).await, mapped(f, due(4), 2).await), (vec![1, 3], vec![1, 3]));
    assert_eq!((fed(f, due(4), 0).await, mapped(f, due(4), 0).await), (vec![], vec![]));
}

pub(super) async fn a_text_that_is_too_long_for_the_feed_is_left_out_of_it(f: &Fixture) {
    // Two bytes each: what counts is bytes.
    let longest = "é".repeat(LONGEST_FEED_BODY / 2);
    let too_long = format!("{longest}!");
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(2));
    for (n, body_html) in [(1, &longest), (2, &too_long)] {
        let hand = f.take(n, "press").await;
        let content = AnswerContent { body_html: body_html.clone(), ..content(n) };
        f.land(&hand.commit(&format!("publish-{n}"), Change::Publish(content))).await;
    }
    let entries = ok(f.stores.posts.feed(due(2), 9).await).value;
    let bodies: Vec<_> = entries.into_iter().map(|entry| entry.body_html).collect();
    assert!(bodies == [None, Some(longest)], "the wrong one was left out");
}
