//! Photos in a folder.
//!
//! Two promises of the port are easy to break with a plain `fs::write`. A reader must
//! never see part of a blob, and a blob that was reported as stored must survive a
//! crash, because the ledger records it as ready right after and nobody fetches it again.
//! `object_store` keeps both: it writes beside the target, syncs the file, links it to
//! its name in one step that fails if the name is taken, and syncs the folder.
//!
//! What it cannot know is that a key *is* the hash of the content. So two things are
//! added here:
//!
//! - A blob that is already there counts as stored only after it was read, hashed and
//!   synced. It may have been linked by a process that did not live to sync the folder,
//!   or cut short by a restored backup or a failing disk.
//! - The same look is taken at every read. A wrong photo is never served; it is
//!   reported, with the file to remove. It is not replaced on the way: the port creates
//!   only, and a disk that garbles files is the operator's to know about.
//!
//! A crash can leave a half-written `{key}#1` beside the blobs. Nothing reads it, and it
//! may be deleted while no process writes to the folder.

use std::{
    error::Error,
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

use async_trait::async_trait;
use fencepost_domain::image::ImageKey;
use fencepost_ports::{Blob, BlobError, BlobStore, PutOutcome};
use object_store::{ObjectStore, ObjectStoreExt, PutMode, local::LocalFileSystem, path::Path as Location};
use sha2::{Digest, Sha256};

use crate::causes::{causes, root_cause};

/// Photos as files of one folder, named by their keys.
///
/// The folder may be shared by any number of processes. Its file system must know hard
/// links, as every one of Linux, macOS and Windows does; FAT does not.
#[derive(Clone, Debug)]
pub struct DiskBlobs {
    folder: PathBuf,
    store: LocalFileSystem,
}

impl DiskBlobs {
    /// The blobs of `folder`, which is created if it is missing.
    ///
    /// Blocks for a moment, so it belongs at the start of a process.
    ///
    /// # Errors
    ///
    /// If there is no such folder and it cannot be created.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, BlobError> {
        let folder = folder.as_ref();
        let unusable = |problem: &(dyn Error + 'static)| {
            BlobError::Failed(format!(
                "cannot use the folder {}: {}; {}",
                folder.display(),
                root_cause(problem),
                advice(problem)
            ))
        };
        let folder = create_folder(folder).map_err(|problem| unusable(&problem))?;
        let store = LocalFileSystem::new_with_prefix(&folder).map_err(|problem| unusable(&problem))?;
        Ok(Self { folder, store: store.with_fsync(true) })
    }

    /// The file that holds, or would hold, the blob under `key`.
    pub fn file(&self, key: &ImageKey) -> PathBuf {
        self.folder.join(key.as_str())
    }

    /// Reads the blob under `key` and makes sure that it is the one that the key names.
    async fn read(&self, key: &ImageKey) -> Result<Option<Vec<u8>>, BlobError> {
        let found = match self.store.get(&location(key)).await {
            Ok(found) => found.bytes().await,
            Err(problem) => Err(problem),
        };
        let bytes = match found {
            Ok(bytes) => Vec::from(bytes),
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(problem) => return Err(self.failed("read", key, &problem)),
        };
        let (matches, bytes) = matches_key(bytes, key).await;
        if !matches {
            return Err(BlobError::Failed(format!(
                "{} is damaged: its {} bytes are not those that its name promises; \
                 delete it or restore it from a backup, then fetch the photo again",
                self.file(key).display(),
                bytes.len()
            )));
        }
        Ok(Some(bytes))
    }

    /// Makes sure that the blob under `key`, written by whomever, survives a crash.
    async fn sync(&self, key: &ImageKey) -> Result<(), BlobError> {
        let (file, folder) = (self.file(key), self.folder.clone());
        tokio::task::spawn_blocking(move || {
            File::open(file)?.sync_all()?;
            sync_folder(&folder)
        })
        .await
        .expect("syncing does not panic")
        .map_err(|problem| self.failed("sync", key, &problem))
    }

    fn failed(&self, action: &str, key: &ImageKey, problem: &(dyn Error + 'static)) -> BlobError {
        BlobError::Failed(format!(
            "cannot {action} {}: {}; {}",
            self.file(key).display(),
            root_cause(problem),
            advice(problem)
        ))
    }
}

#[async_trait]
impl BlobStore for DiskBlobs {
    async fn put(&self, key: &ImageKey, bytes: Vec<u8>) -> Result<PutOutcome, BlobError> {
        let (matches, bytes) = matches_key(bytes, key).await;
        if !matches {
            return Err(BlobError::Failed(format!(
                "the {} bytes to store are not those that the key {key} names; \
                 make the key from the SHA-256 of the bytes",
                bytes.len()
            )));
        }
        match self.store.put_opts(&location(key), bytes.into(), PutMode::Create.into()).await {
            Ok(_) => Ok(PutOutcome::Stored),
            Err(object_store::Error::AlreadyExists { .. }) => {
                if self.read(key).await?.is_none() {
                    return Err(BlobError::Failed(format!(
                        "{} was there and is gone: something deletes blobs; store it again",
                        self.file(key).display()
                    )));
                }
                self.sync(key).await?;
                Ok(PutOutcome::AlreadyThere)
            }
            Err(problem) => Err(self.failed("store", key, &problem)),
        }
    }

    async fn get(&self, key: &ImageKey) -> Result<Option<Blob>, BlobError> {
        Ok(self.read(key).await?.map(|bytes| Blob { bytes }))
    }

    /// Tells whether the file is there. Only reading tells whether it is whole.
    async fn exists(&self, key: &ImageKey) -> Result<bool, BlobError> {
        match self.store.head(&location(key)).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(problem) => Err(self.failed("look for", key, &problem)),
        }
    }

    async fn probe(&self) -> Result<(), BlobError> {
        let folder = self.folder.clone();
        tokio::task::spawn_blocking(move || probe_folder(&folder)).await.expect("probing does not panic")
    }
}

/// Writes a file into `folder` that is no blob, reads it back, and deletes it.
///
/// # Errors
///
/// If one of the three cannot be done.
pub fn probe_folder(folder: &Path) -> Result<(), BlobError> {
    static PROBES: AtomicU32 = AtomicU32::new(0);
    let number = PROBES.fetch_add(1, Ordering::Relaxed);
    let file = folder.join(format!("fencepost-probe-{}-{number}", std::process::id()));
    let probed = write_and_read(&file);
    // What was not written cannot be deleted, and that is told already.
    let deleted = if file.exists() { fs::remove_file(&file) } else { Ok(()) };
    probed.and(deleted).map_err(|problem| {
        BlobError::Failed(format!("cannot use {}: {problem}; {}", file.display(), advice(&problem)))
    })
}

fn write_and_read(file: &Path) -> io::Result<()> {
    const BYTES: &[u8] = b"fencepost";
    let mut written = File::create_new(file)?;
    written.write_all(BYTES)?;
    written.sync_all()?;
    if fs::read(file)? == BYTES { Ok(()) } else { Err(io::Error::other("it read back as something else")) }
}

fn location(key: &ImageKey) -> Location {
    Location::from(key.as_str())
}

/// Whether `bytes` are those that `key` names, and the bytes.
async fn matches_key(bytes: Vec<u8>, key: &ImageKey) -> (bool, Vec<u8>) {
    let key = key.clone();
    // Hashing some megabytes takes longer than other tasks should have to wait.
    tokio::task::spawn_blocking(move || {
        let digest = Sha256::digest(&bytes).into();
        (ImageKey::new(digest, key.format()) == key, bytes)
    })
    .await
    .expect("hashing does not panic")
}

/// Creates `folder` and what leads to it, so that it survives a crash like its content.
fn create_folder(folder: &Path) -> io::Result<PathBuf> {
    let folder = std::path::absolute(folder)?;
    let missing: Vec<&Path> = folder.ancestors().take_while(|ancestor| !ancestor.exists()).collect();
    fs::create_dir_all(&folder)?;
    for parent in missing.into_iter().filter_map(Path::parent) {
        sync_folder(parent)?;
    }
    Ok(folder)
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    // Windows knows no handle to a folder that could be synced.
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

fn advice(problem: &(dyn Error + 'static)) -> &'static str {
    let kind = causes(problem).find_map(|cause| Some(cause.downcast_ref::<io::Error>()?.kind()));
    match kind {
        Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => "free some space and try again",
        Some(ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
            "let this process write to the folder, or choose another one"
        }
        Some(ErrorKind::AlreadyExists | ErrorKind::NotADirectory | ErrorKind::IsADirectory) => {
            "move away what is in its place, or choose another folder"
        }
        _ => "check the disk and the folder, and try again",
    }
}
