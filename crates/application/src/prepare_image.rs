//! One photo, fetched once.
//!
//! The lease `image:{id}` lets one worker fetch while others go on; the content hash
//! as a key lets two workers that fetched all the same (the first one's lease having
//! run out) store one object; and the guard of the record lets only the photo of the
//! puzzle's *present* address count.

use fencepost_core::retry::TRIES;
use fencepost_domain::{
    id::{OwnerId, PuzzleId},
    image::{FailureKind, FetchFailure, ImageKey},
};
use fencepost_ports::{BlobError, FetchError, FetchedImage, ImageRecord, StoreError};
use sha2::{Digest, Sha256};

use crate::{Site, cost};

/// How long a photo that could not be had is left alone by the preparation of coming
/// puzzles, in milliseconds.
const PREPARE_AGAIN_MS: i64 = 600_000;

/// What became of a photo.
#[derive(Debug)]
pub(crate) enum ImageOutcome {
    /// Stored under this key.
    Ready(ImageKey),
    /// The puzzle has no photo.
    NotWanted,
    /// Somebody else is fetching it.
    Held,
    /// The puzzle's address, or the lease, changed while it was fetched.
    Changed,
    /// It could not be had.
    Failed(FetchFailure),
}

impl Site {
    /// Makes a puzzle's photo ready, fetching it if need be.
    ///
    /// # Errors
    /// A store that is of no use; or a budget that is used up. That says nothing of the
    /// photo, so nothing is recorded of it, and it waits for nothing but the next run.
    pub(crate) async fn prepare_image(
        &self,
        puzzle: PuzzleId,
        owner: &OwnerId,
    ) -> Result<ImageOutcome, StoreError> {
        let images = &self.stores.images;
        let seen = self.persistently(|| images.begin(puzzle, owner, self.settings.lease_ms)).await?;
        let Some(image_url) = seen.image_url.clone() else { return Ok(ImageOutcome::NotWanted) };
        if let Some(key) = seen.image.as_ref().and_then(|image| image.ready_for(&image_url)) {
            return Ok(ImageOutcome::Ready(key.clone()));
        }
        let Some(lease) = seen.lease_of(puzzle, owner) else { return Ok(ImageOutcome::Held) };
        let kept = self.budget.keep(cost::RECORD_PHOTO);
        let fetched = self.fetch_and_store(&image_url).await;
        drop(kept);
        let fetched = match fetched {
            Ok(stored) => Ok(stored),
            Err(FetchError::Failed(failure)) => Err(failure),
            Err(FetchError::OverBudget(exhausted)) => {
                let released = self.persistently(|| self.stores.leases.release(&lease)).await;
                if let Err(error) = released {
                    tracing::warn!(%puzzle, %error, "a photo stays in hand until its lease ends");
                }
                return Err(exhausted.into());
            }
        };
        let record = match &fetched {
            Ok((object_key, bytes)) => ImageRecord::Ready {
                image_url: image_url.clone(),
                object_key: object_key.clone(),
                bytes: *bytes,
            },
            Err(failure) => ImageRecord::Failed {
                image_url: image_url.clone(),
                error: failure.message.clone(),
                retry_after_ms: PREPARE_AGAIN_MS,
            },
        };
        let known = self.persistently(|| images.record(&lease, &record)).await?;
        // What stands is not what was recorded: the address was corrected, or somebody
        // took the download over. A failure at the old address says nothing of the new.
        let Some(known) = known.filter(|known| known.image_url == image_url) else {
            return Ok(ImageOutcome::Changed);
        };
        Ok(match (known.object_key, fetched) {
            (Some(key), _) => ImageOutcome::Ready(key),
            (None, Err(failure)) => ImageOutcome::Failed(failure),
            (None, Ok(_)) => ImageOutcome::Changed,
        })
    }

    async fn fetch_and_store(&self, image_url: &str) -> Result<(ImageKey, i64), FetchError> {
        let FetchedImage { bytes, format } = self.image_source.fetch(image_url).await?;
        let size = i64::try_from(bytes.len()).map_err(|_| FetchFailure {
            kind: FailureKind::Permanent,
            message: "the photo is larger than any that can be stored".to_owned(),
        })?;
        let key = ImageKey::new(Sha256::digest(&bytes).into(), format);
        let mut tried = 0;
        loop {
            tried += 1;
            match self.blobs.put(&key, bytes.clone()).await {
                Ok(_) => return Ok((key, size)),
                Err(BlobError::OverBudget(exhausted)) => return Err(exhausted.into()),
                Err(error) if tried < TRIES => {
                    tracing::warn!(%key, %error, "storing a photo failed; trying again");
                    self.patience().back_off(tried).await;
                }
                Err(error) => {
                    let message = error.to_string();
                    return Err(FetchError::Failed(FetchFailure { kind: FailureKind::Passing, message }));
                }
            }
        }
    }
}
