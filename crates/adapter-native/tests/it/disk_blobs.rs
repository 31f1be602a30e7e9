use std::{fs, path::Path};

use fencepost_adapter_native::DiskBlobs;
use fencepost_domain::image::{ImageFormat, ImageKey};
use fencepost_ports::{Blob, BlobError, BlobStore, PutOutcome};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

#[tokio::test]
async fn a_blob_reads_back_and_nothing_else_is_left_in_the_folder() {
    let folder = TempDir::new().unwrap();
    let blobs = DiskBlobs::open(folder.path()).unwrap();
    let (key, bytes) = photo(100_000);

    assert_eq!(blobs.put(&key, bytes.clone()).await, Ok(PutOutcome::Stored));

    assert_eq!(blobs.get(&key).await, Ok(Some(Blob { bytes })));
    assert_eq!(blobs.exists(&key).await, Ok(true));
    assert_eq!(listing(folder.path()), [key.to_string()]);
}

#[tokio::test]
async fn a_probe_leaves_nothing_behind_and_finds_out_what_a_photo_would() {
    let folder = TempDir::new().unwrap();
    let place = folder.path().join("blobs");
    let blobs = DiskBlobs::open(&place).unwrap();
    let (key, bytes) = photo(10);
    assert_eq!(blobs.put(&key, bytes).await, Ok(PutOutcome::Stored));
    let both = tokio::join!(blobs.probe(), blobs.probe());
    assert_eq!(both, (Ok(()), Ok(())), "two at once are not in each other's way");
    assert_eq!(listing(&place), [key.to_string()]);

    fs::remove_dir_all(&place).unwrap();
    let error = blobs.probe().await.unwrap_err().to_string();
    assert!(error.contains("fencepost-probe-") && error.contains("check the disk"), "{error}");
    fs::write(&place, "a file in the place of the folder").unwrap();
    let error = blobs.probe().await.unwrap_err().to_string();
    assert!(error.contains("move away what is in its place"), "{error}");
}

#[tokio::test]
async fn an_empty_blob_reads_back() {
    let folder = TempDir::new().unwrap();
    let blobs = DiskBlobs::open(folder.path()).unwrap();
    let (key, bytes) = photo(0);
    assert_eq!(blobs.put(&key, bytes.clone()).await, Ok(PutOutcome::Stored));
    assert_eq!(blobs.get(&key).await, Ok(Some(Blob { bytes })));
}

#[tokio::test]
async fn a_missing_blob_is_none() {
    let folder = TempDir::new().unwrap();
    let blobs = DiskBlobs::open(folder.path()).unwrap();
    let (key, _) = photo(10);
    assert_eq!(blobs.get(&key).await, Ok(None));
    assert_eq!(blobs.exists(&key).await, Ok(false));
}

#[tokio::test]
async fn blobs_outlive_the_process_that_stored_them() {
    let folder = TempDir::new().unwrap();
    let (key, bytes) = photo(1_000);
    let earlier = DiskBlobs::open(folder.path()).unwrap();
    assert_eq!(earlier.put(&key, bytes.clone()).await, Ok(PutOutcome::Stored));
    drop(earlier);

    let later = DiskBlobs::open(folder.path()).unwrap();
    assert_eq!(later.put(&key, bytes.clone()).await, Ok(PutOutcome::AlreadyThere));
    assert_eq!(later.get(&key).await, Ok(Some(Blob { bytes })));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_eight_concurrent_writers_exactly_one_stores() {
    let folder = TempDir::new().unwrap();
    for round in 0..20 {
        let (key, bytes) = photo(50_000 + round);
        let writers: Vec<_> = (0..8)
            .map(|_| {
                // Each opens the folder by itself, as processes do.
                let blobs = DiskBlobs::open(folder.path()).unwrap();
                let (key, bytes) = (key.clone(), bytes.clone());
                tokio::spawn(async move {
                    let outcome = blobs.put(&key, bytes.clone()).await.unwrap();
                    assert_eq!(blobs.get(&key).await, Ok(Some(Blob { bytes })));
                    outcome
                })
            })
            .collect();
        let mut stored = 0;
        for writer in writers {
            stored += usize::from(writer.await.unwrap() == PutOutcome::Stored);
        }
        assert_eq!(stored, 1, "in round {round}");
    }
    assert_eq!(listing(folder.path()).len(), 20);
}

#[tokio::test]
async fn a_missing_folder_is_created_with_its_parents() {
    let parent = TempDir::new().unwrap();
    let folder = parent.path().join("data").join("blobs");
    let blobs = DiskBlobs::open(&folder).unwrap();
    let (key, bytes) = photo(10);
    blobs.put(&key, bytes).await.unwrap();
    assert_eq!(blobs.file(&key), folder.join(key.as_str()));
    assert_eq!(listing(&folder), [key.to_string()]);
}

#[tokio::test]
async fn a_truncated_blob_is_reported_and_neither_served_nor_overwritten() {
    check_damaged(|bytes| bytes[..bytes.len() / 2].to_vec()).await;
    check_damaged(|_| Vec::new()).await;
}

#[tokio::test]
async fn a_garbled_blob_of_the_right_length_is_reported_and_neither_served_nor_overwritten() {
    check_damaged(|bytes| {
        let mut garbled = bytes.to_vec();
        garbled[7] ^= 1;
        garbled
    })
    .await;
}

#[tokio::test]
async fn bytes_under_a_key_of_others_are_refused() {
    let folder = TempDir::new().unwrap();
    let blobs = DiskBlobs::open(folder.path()).unwrap();
    let (key, _) = photo(10);
    let (_, others) = photo(11);
    check_error(blobs.put(&key, others).await, &[key.as_str(), "11 bytes", "SHA-256"]);
    assert!(listing(folder.path()).is_empty());
}

#[test]
fn a_folder_that_cannot_be_created_is_an_error_that_says_so() {
    let parent = TempDir::new().unwrap();
    let file = parent.path().join("taken");
    fs::write(&file, "not a folder").unwrap();
    check_error(
        DiskBlobs::open(&file),
        &["cannot use the folder", "taken", "exists", "choose another folder"],
    );
    check_error(
        DiskBlobs::open(file.join("below")),
        &["cannot use the folder", "below", "Not a directory", "choose another folder"],
    );
}

#[tokio::test]
async fn a_folder_that_breaks_later_is_an_error_of_every_operation() {
    let parent = TempDir::new().unwrap();
    let folder = parent.path().join("blobs");
    let blobs = DiskBlobs::open(&folder).unwrap();
    fs::remove_dir(&folder).unwrap();
    fs::write(&folder, "not a folder").unwrap();

    let (key, bytes) = photo(10);
    let because = ["Not a directory", "choose another folder"];
    check_error(blobs.put(&key, bytes).await, &because);
    check_error(blobs.get(&key).await, &because);
    check_error(blobs.exists(&key).await, &because);
}

/// Damages a stored blob and asserts that it is detected, until it is deleted.
async fn check_damaged(damage: impl Fn(&[u8]) -> Vec<u8>) {
    let folder = TempDir::new().unwrap();
    let blobs = DiskBlobs::open(folder.path()).unwrap();
    let (key, bytes) = photo(1_000);
    blobs.put(&key, bytes.clone()).await.unwrap();
    let damaged = damage(&bytes);
    fs::write(blobs.file(&key), &damaged).unwrap();

    let because = [key.as_str(), "damaged", "delete it"];
    check_error(blobs.get(&key).await, &because);
    check_error(blobs.put(&key, bytes.clone()).await, &because);
    assert_eq!(fs::read(blobs.file(&key)).unwrap(), damaged);
    assert_eq!(listing(folder.path()), [key.to_string()]);

    fs::remove_file(blobs.file(&key)).unwrap();
    assert_eq!(blobs.put(&key, bytes.clone()).await, Ok(PutOutcome::Stored));
    assert_eq!(blobs.get(&key).await, Ok(Some(Blob { bytes })));
}

fn check_error<T: std::fmt::Debug>(result: Result<T, BlobError>, says: &[&str]) {
    let message = result.unwrap_err().to_string();
    for part in says {
        assert!(message.contains(part), "{message:?} does not say {part:?}");
    }
}

fn photo(length: usize) -> (ImageKey, Vec<u8>) {
    let bytes: Vec<u8> = (0..=250).cycle().take(length).collect();
    (ImageKey::new(Sha256::digest(&bytes).into(), ImageFormat::Png), bytes)
}

fn listing(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).collect()
}
