//! The predictable halves of the outside world, and the lines that tell changes.

use fencepost_domain::{
    image::{FailureKind, FetchFailure, ImageFormat, ImageKey},
    time::UnixMillis,
};
use fencepost_ports::{
    Blob, BlobStore, FetchError, FetchedImage, ImageSource, PutOutcome, Timer, TokenSource,
    contract::{CASES, Row, Tables, changes, misshapen},
    memory::{CountingTokens, InstantTimer, ManualClock, MemoryBlobs, TableImages},
};
use serde_json::json;

#[tokio::test]
async fn a_stored_blob_is_never_overwritten() {
    let blobs = MemoryBlobs::new();
    let key = ImageKey::new([1; 32], ImageFormat::Png);
    assert_eq!((blobs.get(&key).await, blobs.exists(&key).await), (Ok(None), Ok(false)));
    assert_eq!(blobs.put(&key, vec![1]).await, Ok(PutOutcome::Stored));
    assert_eq!(blobs.put(&key, vec![2]).await, Ok(PutOutcome::AlreadyThere));
    assert_eq!(
        (blobs.get(&key).await, blobs.exists(&key).await),
        (Ok(Some(Blob { bytes: vec![1] })), Ok(true))
    );
    assert_eq!(blobs.keys(), [key]);
}

#[tokio::test]
async fn a_table_of_images_counts_its_fetches() {
    let images = TableImages::new();
    let photo = FetchedImage { bytes: vec![1], format: ImageFormat::Png };
    images.set("https://photos.example/1", Ok(photo.clone()));
    assert_eq!(images.fetch("https://photos.example/1").await, Ok(photo));
    let failure = images.fetch("https://photos.example/2").await;
    let permanent = |failure: &FetchFailure| failure.kind == FailureKind::Permanent;
    assert!(matches!(&failure, Err(FetchError::Failed(failure)) if permanent(failure)), "{failure:?}");
    assert_eq!(
        (images.fetches("https://photos.example/1"), images.fetches("elsewhere"), images.total_fetches()),
        (1, 0, 2)
    );
}

#[tokio::test]
async fn waits_pass_at_once_and_are_remembered() {
    let timer = InstantTimer::new();
    timer.sleep(10_000).await;
    timer.sleep(20_000).await;
    assert_eq!(timer.waits(), [10_000, 20_000]);
}

#[test]
fn tokens_count_and_clocks_stand_still() {
    let tokens = CountingTokens::new("t");
    assert_eq!((tokens.draw(), tokens.owner("ada").to_string()), ("t-1".to_owned(), "ada/t-2".to_owned()));
    let clock = ManualClock::new(UnixMillis::new(5));
    let same = clock.clone();
    assert_eq!(same.advance(7), UnixMillis::new(12));
    assert_eq!(clock.now(), UnixMillis::new(12));
    clock.set(UnixMillis::new(1));
    assert_eq!(same.now(), UnixMillis::new(1));
}

fn leases(rows: impl IntoIterator<Item = serde_json::Value>) -> Tables {
    let rows = rows
        .into_iter()
        .map(|row| row.as_object().expect("rows are objects").clone().into_iter().collect::<Row>());
    Tables::from([("job_leases".to_owned(), rows.collect())])
}

#[test]
fn changes_are_told_row_by_row_and_column_by_column() {
    let before = leases([json!({ "key": "a", "fence": 1 }), json!({ "key": "b", "fence": 1 })]);
    let after = leases([json!({ "key": "b", "fence": 2 }), json!({ "key": "c", "fence": null })]);
    assert_eq!(
        changes(&before, &after),
        ["job_leases/a is gone", "job_leases/b.fence: 1 -> 2", "job_leases/c + fence=null"]
    );
    assert!(changes(&after, &after).is_empty());
}

#[test]
fn a_dump_without_a_table_or_a_column_is_misshapen() {
    let complaints = misshapen(&leases([json!({ "key": "a" })]));
    assert!(complaints.iter().any(|line| line.starts_with("job_leases: the columns are")), "{complaints:?}");
    assert!(complaints.iter().any(|line| line == "the dump lacks the table puzzles"), "{complaints:?}");
}

#[test]
fn no_two_cases_share_a_name() {
    let mut names: Vec<_> = CASES.iter().map(|case| case.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), CASES.len());
}
