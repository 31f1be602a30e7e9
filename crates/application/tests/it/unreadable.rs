//! Rows that cannot be read: each harms itself alone.

use fencepost_application::{Address, AnswerList, AnswerPageView, Content};
use fencepost_domain::{outcome::Outcome, time::PlayDate};
use fencepost_ports::{Job, StoreErrorKind};

use crate::world::{Worker, World, id, outcomes, shown};

/// A world in which `days` answers are out, and what an edit of one row does to readers.
async fn published_and_damaged(days: i64, damage: &str) -> (World, Worker) {
    let world = World::with_finished(days).await;
    let worker = world.worker("worker").await;
    worker.run(Job::Publish).await;
    world.execute(damage).await;
    (world, worker)
}

async fn list(worker: &Worker, before: Option<PlayDate>) -> AnswerList {
    match worker.content(Address::Answers { before }).await.unwrap() {
        Content::Answers { list, .. } => list,
        other => panic!("{other:?} is no list"),
    }
}

#[tokio::test]
async fn a_page_that_cannot_be_read_is_left_out_of_lists() {
    let (_world, worker) =
        published_and_damaged(3, "UPDATE answer_posts SET image_key = 'rotten' WHERE puzzle_id = 2").await;
    let error = worker.content(Address::Answer(id(2))).await.unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Corrupt);
    assert!(error.to_string().contains("image_key"), "{error}");

    let Content::Home(home) = worker.content(Address::Home).await.unwrap() else { panic!("no front page") };
    assert_eq!(home.latest.iter().map(|answer| answer.puzzle_id).collect::<Vec<_>>(), [id(3), id(1)]);
    let list = list(&worker, None).await;
    assert_eq!(list.answers.iter().map(|answer| answer.puzzle_id).collect::<Vec<_>>(), [id(3), id(1)]);
    assert_eq!(list.older_than, None);
}

#[tokio::test]
async fn a_page_that_cannot_be_read_is_left_out_of_the_feed_until_it_is_repaired() {
    let (world, worker) =
        published_and_damaged(3, "UPDATE answer_posts SET image_key = 'rotten' WHERE puzzle_id = 2").await;
    let fed = async || match worker.content(Address::Feed).await.unwrap() {
        Content::Feed(entries) => entries.iter().map(|entry| entry.puzzle_id.get()).collect::<Vec<_>>(),
        other => panic!("{other:?} is no feed"),
    };
    assert_eq!(fed().await, [3, 1]);
    assert!(!shown(&worker.site, &Address::Feed).await.contains("Item 2"));
    world.execute("UPDATE answer_posts SET image_key = NULL WHERE puzzle_id = 2").await;
    assert_eq!(fed().await, [3, 2, 1]);
    assert!(shown(&worker.site, &Address::Feed).await.contains("Item 2"), "it was not kept");
}

#[tokio::test]
async fn a_list_that_leaves_something_out_is_whole_as_soon_as_that_is_repaired() {
    let (world, worker) =
        published_and_damaged(3, "UPDATE answer_posts SET image_key = 'rotten' WHERE puzzle_id = 2").await;
    let address = Address::Answers { before: None };
    assert!(!shown(&worker.site, &address).await.contains("Item 2"));
    world
        .execute(
            "UPDATE answer_posts SET image_key = (SELECT object_key FROM source_images WHERE puzzle_id = 2)
             WHERE puzzle_id = 2",
        )
        .await;
    assert!(shown(&worker.site, &address).await.contains("Item 2"));
}

#[tokio::test]
async fn a_list_goes_on_behind_a_page_that_cannot_be_read() {
    let (_world, worker) =
        published_and_damaged(40, "UPDATE answer_posts SET image_key = 'rotten' WHERE puzzle_id = 20").await;
    let mut found = Vec::new();
    let mut before = None;
    loop {
        let list = list(&worker, before).await;
        found.extend(list.answers.iter().map(|answer| answer.puzzle_id.get()));
        before = list.older_than;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(found, (1..=40).rev().filter(|n| *n != 20).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_page_whose_neighbour_cannot_be_read_has_none() {
    let (_world, worker) =
        published_and_damaged(3, "UPDATE answer_posts SET play_date = 'rotten' WHERE puzzle_id = 2").await;
    let page = worker.content(Address::Answer(id(3))).await.unwrap();
    let Content::Answer { view: AnswerPageView::Public(answer), .. } = page else { panic!("{page:?}") };
    assert_eq!(answer.next, None);
    assert_eq!(answer.previous.map(|neighbour| neighbour.puzzle_id), Some(id(1)));
    assert_eq!(worker.content(Address::Answer(id(2))).await.unwrap_err().kind(), StoreErrorKind::Corrupt);
}

#[tokio::test]
async fn an_item_that_nobody_can_name_keeps_no_other_waiting() {
    let world = World::with_finished(2).await;
    world
        .execute(
            "INSERT INTO puzzles SELECT -1, 'rotten', opens_at, playable_until, name, price_cents, description,
               image_url, bank_version, edit_token FROM puzzles WHERE puzzle_id = 1;
             INSERT INTO publication_items (puzzle_id, state, due_at)
             SELECT -1, state, due_at FROM publication_items WHERE puzzle_id = 1",
        )
        .await;
    let worker = world.worker("worker").await;
    let report = worker.run(Job::Publish).await;
    assert_eq!(outcomes(&report), [Outcome::Published, Outcome::Published]);
    assert!(!report.interrupted);
}

#[tokio::test]
async fn more_items_than_are_listed_at_once_come_out_although_one_has_no_name() {
    let world = World::with_finished(60).await;
    world
        .execute(
            "UPDATE puzzles SET image_url = NULL;
             INSERT INTO puzzles SELECT -1, 'rotten', opens_at, playable_until, name, price_cents, description,
               image_url, bank_version, edit_token FROM puzzles WHERE puzzle_id = 1;
             INSERT INTO publication_items (puzzle_id, state, due_at)
             SELECT -1, state, due_at FROM publication_items WHERE puzzle_id = 1",
        )
        .await;
    let worker = world.worker("worker").await;
    let report = worker.run(Job::Publish).await;
    assert_eq!(report.counts[&Outcome::Published], 60);
}

#[tokio::test]
async fn an_item_that_is_blocked_is_told_as_such_although_it_cannot_be_read_back() {
    let world = World::with_finished(2).await;
    // Nothing but a table that is not strict holds a value that no item has.
    world
        .execute(
            "PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = 'publication_items';
             PRAGMA writable_schema = RESET;
             UPDATE publication_items SET attempts = 1.5 WHERE puzzle_id = 1",
        )
        .await;
    let worker = world.worker("worker").await;
    let report = worker.run(Job::Publish).await;
    assert_eq!(outcomes(&report), [Outcome::Blocked, Outcome::Published]);
    let detail = report.items[0].detail.as_deref().unwrap();
    assert!(detail.contains("attempts"), "{detail}");
    let states = world.rows("SELECT puzzle_id, state FROM publication_items").await;
    assert_eq!(states, ["puzzle_id=1 state=blocked", "puzzle_id=2 state=published"]);
}
