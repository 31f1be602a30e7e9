//! The folder of photos, for commands that may have no use for it.
//!
//! A command that only looks must leave nothing behind: an empty `./blobs` in whatever
//! folder somebody happened to stand in when he asked for the status. So the folder is
//! made when the first photo is stored, and not before.

use std::path::PathBuf;

use async_trait::async_trait;
use fencepost_adapter_native::{DiskBlobs, probe_folder};
use fencepost_domain::image::ImageKey;
use fencepost_ports::{Blob, BlobError, BlobStore, PutOutcome};

/// Photos in a folder that need not be there yet.
#[derive(Debug)]
pub(crate) struct LateBlobs {
    folder: PathBuf,
}

impl LateBlobs {
    /// The photos of `folder`.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    fn open(&self) -> Result<DiskBlobs, BlobError> {
        DiskBlobs::open(&self.folder)
    }

    fn open_if_there(&self) -> Result<Option<DiskBlobs>, BlobError> {
        if self.folder.is_dir() { self.open().map(Some) } else { Ok(None) }
    }
}

#[async_trait]
impl BlobStore for LateBlobs {
    async fn put(&self, key: &ImageKey, bytes: Vec<u8>) -> Result<PutOutcome, BlobError> {
        self.open()?.put(key, bytes).await
    }

    async fn get(&self, key: &ImageKey) -> Result<Option<Blob>, BlobError> {
        match self.open_if_there()? {
            Some(blobs) => blobs.get(key).await,
            None => Ok(None),
        }
    }

    async fn exists(&self, key: &ImageKey) -> Result<bool, BlobError> {
        match self.open_if_there()? {
            Some(blobs) => blobs.exists(key).await,
            None => Ok(false),
        }
    }

    /// Where the folder would be made, if it is not there yet.
    async fn probe(&self) -> Result<(), BlobError> {
        let folder = std::path::absolute(&self.folder).unwrap_or_else(|_| self.folder.clone());
        probe_folder(folder.ancestors().find(|folder| folder.exists()).unwrap_or(&folder))
    }
}
