//! The check that nothing is half published. Every case ends with it; these walk
//! through a long life, and ask which photos are needed.

use fencepost_domain::action::ActionKind;
use fencepost_domain::{commit::Change, image::ImageKey, ledger::Ending, puzzle::PuzzleRow};

use crate::contract::{
    Fixture,
    steps::{content_with, due, entry, id, ok, photo, row, row_with_photo},
};

async fn check_sound(f: &Fixture, when: &str) {
    let found = f.keeps(f.stores.verifier.violations()).await;
    assert_eq!(found, [], "{when}");
}

async fn referenced(f: &Fixture, after: Option<ImageKey>, limit: u32) -> Vec<ImageKey> {
    let images = f.keeps(f.stores.verifier.referenced_images(after, limit)).await;
    images.into_iter().map(|image| image.key).collect()
}

/// The rows that refer to a photo.
async fn rows_of(f: &Fixture, key: ImageKey) -> Vec<String> {
    let images = f.keeps(f.stores.verifier.referenced_images(None, 9)).await;
    let rows = images.into_iter().filter(|image| image.key == key).flat_map(|image| image.rows);
    rows.map(|row| row.to_string()).collect()
}

/// Rows of the puzzles `n`, by name.
fn rows<const COUNT: usize>(named: [(&str, i64); COUNT]) -> Vec<String> {
    named.map(|(table, n)| format!("{table}/{}", id(n))).into()
}

pub(super) async fn a_long_life_is_sound_at_every_step(f: &Fixture) {
    check_sound(f, "empty").await;
    f.import("e1", [row_with_photo(1), row(2), row(3)]).await;
    check_sound(f, "imported").await;
    f.make_ready(1, photo(1)).await;
    check_sound(f, "a photo is ready").await;
    f.clock.set(due(3));
    let hand = f.take(1, "ada").await;
    check_sound(f, "in hand").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Fail { delay_ms: 1 }).await);
    check_sound(f, "failed").await;
    f.clock.advance(1);
    f.publish_with_photo(1).await;
    check_sound(f, "published").await;
    let hand = f.take_over(1, "editor").await;
    f.land(&hand.commit("u1", Change::Update(content_with(1, photo(1))))).await;
    check_sound(f, "updated").await;
    f.withdraw(1).await;
    check_sound(f, "withdrawn").await;
    let hand = f.take_over(1, "editor").await;
    f.land(&hand.commit("r1", Change::Reinstate)).await;
    check_sound(f, "reinstated").await;
    let hand = f.take(2, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no words".to_owned() }).await);
    check_sound(f, "blocked").await;
    let hand = f.take_over(2, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    check_sound(f, "withdrawn before publication").await;
    ok(f.stores.ledger.reschedule(id(3), due(5), None, &entry(ActionKind::Reschedule)).await);
    check_sound(f, "moved").await;
}

pub(super) async fn photos_of_pages_and_ready_photos_are_needed(f: &Fixture) {
    assert_eq!(referenced(f, None, 9).await, []);
    f.import("e1", [1, 2, 3].map(row_with_photo)).await;
    f.make_ready(2, photo(7)).await;
    assert_eq!(referenced(f, None, 9).await, [photo(7)], "ready, and no page yet");
    f.make_ready(1, photo(9)).await;
    f.clock.set(due(2));
    f.publish_with_photo(1).await;
    assert_eq!(referenced(f, None, 9).await, [photo(7), photo(9)], "each once, in order");

    let elsewhere = "https://photos.example/elsewhere.webp".to_owned();
    f.import("e2", [PuzzleRow { image_url: Some(elsewhere.clone()), ..row(1) }]).await;
    let lease = f.take_image(1, "ada").await;
    let record = crate::ImageRecord::Ready { image_url: elsewhere, object_key: photo(3), bytes: 1 };
    ok(f.stores.images.record(&lease, &record).await);
    assert_eq!(referenced(f, None, 9).await, [photo(3), photo(7), photo(9)], "the page keeps its own");
    assert_eq!(rows_of(f, photo(9)).await, rows([("answer_posts", 1)]));
    assert_eq!(rows_of(f, photo(3)).await, rows([("source_images", 1)]));

    f.publish_with_photo(2).await;
    f.make_ready(3, photo(7)).await;
    let shared = rows([("answer_posts", 2), ("source_images", 2), ("source_images", 3)]);
    assert_eq!(rows_of(f, photo(7)).await, shared, "one photo may be that of several");
}

pub(super) async fn photos_come_in_pages(f: &Fixture) {
    f.import("e1", [1, 2, 3].map(row_with_photo)).await;
    for n in 1..=3_u8 {
        f.make_ready(n.into(), photo(n)).await;
    }
    assert_eq!(referenced(f, None, 2).await, [photo(1), photo(2)]);
    assert_eq!(referenced(f, Some(photo(2)), 2).await, [photo(3)]);
    assert_eq!(referenced(f, Some(photo(3)), 2).await, []);
}
