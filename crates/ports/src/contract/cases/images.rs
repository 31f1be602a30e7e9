//! The ledger of photos.

use fencepost_domain::{
    action::ActionKind,
    id::Fence,
    image::{ImageState, SourceImage},
    lease::{Lease, LeaseKey},
    puzzle::PuzzleRow,
    visibility::IMAGE_LEAD_MS,
};
use serde_json::json;

use crate::{
    ImageRecord,
    contract::{
        Fixture,
        lines::{NULL, appears, becomes, first_claim, released},
        steps::{
            NO_NUMBERS, TTL_MS, date, due, entry, failed, id, ok, opens, owner, photo, photo_url, ready,
            ready_image, row, row_with_photo,
        },
    },
};

const ELSEWHERE: &str = "https://photos.example/elsewhere.webp";

/// Pages that show the photo are made anew.
fn bank_revision(from: i64, to: i64) -> String {
    becomes("site_state", 1, "bank_revision", from, to)
}

/// The numbers of the puzzles that want their photo.
async fn unprepared(f: &Fixture, limit: u32) -> Vec<i64> {
    let found = f.keeps(f.stores.images.unprepared(IMAGE_LEAD_MS, limit)).await;
    found.into_iter().map(|puzzle| puzzle.get() - 1_000).collect()
}

fn failed_image(n: i64) -> SourceImage {
    SourceImage {
        image_url: photo_url(n),
        state: ImageState::Failed,
        object_key: None,
        bytes: None,
        error: Some("timed out".to_owned()),
    }
}

pub(super) async fn a_photo_is_wanted_from_shortly_before_play_to_its_end(f: &Fixture) {
    f.import("e1", [row_with_photo(1), row_with_photo(3), row_with_photo(2), row(4)]).await;
    f.clock.set(opens(2).plus(-IMAGE_LEAD_MS - 1));
    assert_eq!(unprepared(f, 9).await, [1]);
    f.clock.advance(1);
    assert_eq!(unprepared(f, 9).await, [1, 2], "the second opens within the lead");
    f.clock.set(due(1).plus(-1));
    assert_eq!(unprepared(f, 9).await, [1, 2], "the first is still being played");
    f.clock.set(due(1));
    assert_eq!(unprepared(f, 9).await, [2]);
    f.clock.set(opens(3));
    assert_eq!(unprepared(f, 9).await, [2, 3], "the oldest first");
    assert_eq!(unprepared(f, 1).await, [2]);
    f.clock.set(opens(4));
    assert_eq!(unprepared(f, 9).await, [3], "a puzzle without an address wants none");
}

pub(super) async fn the_photo_that_is_needed_first_comes_first(f: &Fixture) {
    let days = [(1, 3), (2, 1), (3, 2)];
    f.import("e1", days.map(|(n, day)| PuzzleRow { play_date: date(day), ..row_with_photo(n) })).await;
    f.clock.set(due(1).plus(-1));
    assert_eq!(unprepared(f, 9).await, [2, 3]);
    f.clock.set(opens(3));
    assert_eq!(unprepared(f, 9).await, [3, 1]);
}

pub(super) async fn a_photo_that_is_ready_is_not_wanted(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.make_ready(1, photo(1)).await;
    assert_eq!(unprepared(f, 9).await, NO_NUMBERS);
}

pub(super) async fn a_photo_of_another_address_is_not_ready(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.make_ready(1, photo(1)).await;
    f.import("e2", [PuzzleRow { image_url: Some(ELSEWHERE.to_owned()), ..row(1) }]).await;
    assert_eq!(unprepared(f, 9).await, [1]);
    f.import("e3", [row_with_photo(1)]).await;
    assert_eq!(unprepared(f, 9).await, NO_NUMBERS, "the old address is back, and so is its photo");
}

pub(super) async fn a_photo_that_failed_waits_for_its_next_attempt(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    let lease = f.take_image(1, "ada").await;
    ok(f.stores.images.record(&lease, &failed(1, 60_000)).await);
    f.clock.advance(59_999);
    assert_eq!(unprepared(f, 9).await, NO_NUMBERS);
    f.clock.advance(1);
    assert_eq!(unprepared(f, 9).await, [1]);
}

pub(super) async fn a_new_address_does_not_wait_for_the_old_one(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    let lease = f.take_image(1, "ada").await;
    ok(f.stores.images.record(&lease, &failed(1, 60_000)).await);
    f.import("e2", [PuzzleRow { image_url: Some(ELSEWHERE.to_owned()), ..row(1) }]).await;
    assert_eq!(unprepared(f, 9).await, [1]);
}

pub(super) async fn a_puzzle_that_was_taken_back_wants_no_photo(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    let hand = f.take_over(1, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    assert_eq!(unprepared(f, 9).await, NO_NUMBERS);
}

pub(super) async fn a_photo_is_claimed_by_one(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    let lease = Lease {
        key: LeaseKey::Image(id(1)),
        owner: owner("ada"),
        fence: Fence::FIRST,
        expires_at: opens(1).plus(TTL_MS),
    };
    let ada = owner("ada");
    let claim = f.stores.images.begin(id(1), &ada, TTL_MS);
    let seen = f.changes(claim, [first_claim(&lease, opens(1))]).await;
    assert_eq!(seen.lease_of(id(1), &ada), Some(lease));
    assert_eq!((seen.now, seen.image_url, seen.image), (opens(1), Some(photo_url(1)), None));

    let bob = owner("bob");
    let other = f.keeps(f.stores.images.begin(id(1), &bob, TTL_MS)).await;
    assert_eq!((other.lease_of(id(1), &bob), other.lease), (None, seen.lease));
    f.clock.advance(TTL_MS);
    assert_eq!(f.take_image(1, "bob").await.fence, Fence::new(2));
}

pub(super) async fn a_photo_that_is_not_wanted_is_not_claimed(f: &Fixture) {
    f.import("e1", [row_with_photo(1), row(2)]).await;
    f.make_ready(1, photo(1)).await;
    let ada = owner("ada");
    let begin = async |n| {
        let seen = f.keeps(f.stores.images.begin(id(n), &ada, TTL_MS)).await;
        assert_eq!(seen.lease_of(id(n), &ada), None, "puzzle {n}");
        (seen.image_url, seen.image)
    };
    assert_eq!(begin(1).await, (Some(photo_url(1)), Some(ready_image(1, photo(1)))), "ready");
    assert_eq!(begin(2).await, (None, None), "no address");
    assert_eq!(begin(3).await, (None, None), "an unknown puzzle");
}

pub(super) async fn a_fetched_photo_is_recorded_and_its_lease_released(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    let lease = f.take_image(1, "ada").await;
    let now = f.clock.advance(1_000);
    let image = json!({
        "image_url": photo_url(1),
        "state": "ready",
        "object_key": photo(1),
        "content_type": "image/webp",
        "bytes": 4_096,
        "error": NULL,
        "next_attempt_at": 0,
        "updated_at": now,
    });
    let shown = [appears("source_images", id(1), &image), bank_revision(1, 2)];
    let expected = shown.into_iter().chain(released(&lease, opens(1), now));
    let found = f.changes(f.stores.images.record(&lease, &ready(1, photo(1))), expected).await;
    assert_eq!(found, Some(ready_image(1, photo(1))));
    // The answer may get lost, and then it is recorded once more.
    f.keeps(f.stores.images.record(&lease, &ready(1, photo(1)))).await;
}

pub(super) async fn a_failed_fetch_is_recorded_and_its_lease_released(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    let lease = f.take_image(1, "ada").await;
    let now = f.clock.advance(1_000);
    let image = json!({
        "image_url": photo_url(1),
        "state": "failed",
        "object_key": NULL,
        "content_type": NULL,
        "bytes": NULL,
        "error": "timed out",
        "next_attempt_at": now.plus(60_000),
        "updated_at": now,
    });
    let expected =
        [appears("source_images", id(1), &image)].into_iter().chain(released(&lease, opens(1), now));
    let found = f.changes(f.stores.images.record(&lease, &failed(1, 60_000)), expected).await;
    assert_eq!(found, Some(failed_image(1)));
}

pub(super) async fn a_later_fetch_replaces_what_was_recorded(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    let lease = f.take_image(1, "ada").await;
    ok(f.stores.images.record(&lease, &failed(1, 60_000)).await);
    f.make_ready(1, photo(1)).await;
    f.import("e2", [PuzzleRow { image_url: Some(ELSEWHERE.to_owned()), ..row(1) }]).await;
    let lease = f.take_image(1, "ada").await;
    let gone = ImageRecord::Failed {
        image_url: ELSEWHERE.to_owned(),
        error: "not found".to_owned(),
        retry_after_ms: 3_600_000,
    };
    let now = f.clock.advance(1_000);
    let image = |column, from, to| becomes("source_images", id(1), column, from, to);
    let expected = [
        image("image_url", json!(photo_url(1)), json!(ELSEWHERE)),
        image("state", json!("ready"), json!("failed")),
        image("object_key", json!(photo(1)), NULL),
        image("content_type", json!("image/webp"), NULL),
        image("bytes", json!(4_096), NULL),
        image("error", NULL, json!("not found")),
        image("next_attempt_at", json!(0), json!(now.plus(3_600_000))),
        image("updated_at", json!(opens(1)), json!(now)),
    ];
    let expected = expected.into_iter().chain(released(&lease, opens(1), now));
    f.changes(f.stores.images.record(&lease, &gone), expected).await;
}

pub(super) async fn whoever_lost_the_image_lease_records_nothing(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    let late = f.take_image(1, "ada").await;
    f.clock.advance(TTL_MS);
    let present = f.take_image(1, "bob").await;
    for lease in [late.clone(), Lease { owner: owner("bob"), ..late }] {
        for record in [ready(1, photo(9)), failed(1, 60_000)] {
            assert_eq!(f.keeps(f.stores.images.record(&lease, &record)).await, None, "{lease:?}");
        }
    }
    let found = ok(f.stores.images.record(&present, &ready(1, photo(1))).await);
    assert_eq!(found, Some(ready_image(1, photo(1))));
}

pub(super) async fn a_download_that_outlived_its_lease_counts_unless_it_was_taken_over(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    let lease = f.take_image(1, "ada").await;
    f.clock.advance(TTL_MS);
    let found = ok(f.stores.images.record(&lease, &ready(1, photo(1))).await);
    assert_eq!(found, Some(ready_image(1, photo(1))));
}

pub(super) async fn a_photo_of_an_address_that_was_edited_away_is_not_recorded(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    let now = opens(1).plus(1_000);
    for (name, image_url) in [("e2", Some(ELSEWHERE.to_owned())), ("e3", None)] {
        f.clock.set(opens(1));
        f.import(&format!("{name}-before"), [row_with_photo(1)]).await;
        let lease = f.take_image(1, "ada").await;
        f.import(name, [PuzzleRow { image_url, ..row(1) }]).await;
        f.clock.set(now);
        let expected = released(&lease, opens(1), now);
        let found = f.changes(f.stores.images.record(&lease, &ready(1, photo(1))), expected).await;
        assert_eq!(found, None, "{name}");
    }
}
