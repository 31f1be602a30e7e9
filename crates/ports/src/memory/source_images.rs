//! The ledger of photos.

use async_trait::async_trait;
use fencepost_domain::{
    id::{OwnerId, PuzzleId},
    image::{ImageState, SourceImage},
    lease::{self, Lease, LeaseKey},
    ledger::{ItemState, LONGEST_WAIT_MS},
    puzzle::Puzzle,
    time::UnixMillis,
};

use super::{MemoryStore, State, state::StoredImage};
use crate::{ImagePreflight, ImageRecord, SourceImages, StoreError};

#[async_trait]
impl SourceImages for MemoryStore {
    async fn unprepared(&self, lead_ms: i64, limit: u32) -> Result<Vec<PuzzleId>, StoreError> {
        Ok(self.read(|state, now| {
            let mut puzzles: Vec<_> = state
                .puzzles
                .values()
                .map(|stored| &stored.puzzle)
                .filter(|puzzle| puzzle.opens_at <= now.plus(lead_ms) && puzzle.playable_until > now)
                .filter(|puzzle| state.wants_photo(puzzle, now))
                .collect();
            puzzles.sort_by_key(|puzzle| puzzle.opens_at);
            puzzles.truncate(limit as usize);
            puzzles.into_iter().map(|puzzle| puzzle.puzzle_id).collect()
        }))
    }

    async fn begin(
        &self,
        puzzle: PuzzleId,
        owner: &OwnerId,
        ttl_ms: i64,
    ) -> Result<ImagePreflight, StoreError> {
        self.write(|state, now| {
            let key = LeaseKey::Image(puzzle);
            let stored = state.puzzle(puzzle);
            let image_url = stored.and_then(|puzzle| puzzle.image_url.clone());
            let ready = stored.is_some_and(|puzzle| state.ready_image(puzzle).is_some());
            if image_url.is_some()
                && !ready
                && let Some(row) = lease::claim(state.lease(key), owner, now, ttl_ms)
            {
                state.set_lease(key, row, now);
            }
            Ok(ImagePreflight {
                now,
                lease: state.lease(key).cloned(),
                image_url,
                image: state.image(puzzle).cloned(),
            })
        })
    }

    async fn record(&self, lease: &Lease, record: &ImageRecord) -> Result<Option<SourceImage>, StoreError> {
        self.write(|state, now| {
            let id = lease.key.puzzle_id();
            if state.is_holder(lease) {
                let stored = stored(record, now);
                let present = state.puzzle(id).and_then(|puzzle| puzzle.image_url.as_ref());
                if present == Some(&stored.image.image_url) {
                    let shown =
                        |state: &State| state.puzzle(id).and_then(|it| state.ready_image(it)).cloned();
                    let before = shown(state);
                    state.images.insert(id, stored);
                    state.bank_revision += i64::from(shown(state) != before);
                }
                state.release(lease, now);
            }
            Ok(state.image(id).cloned())
        })
    }
}

impl State {
    /// Whether the photo of `puzzle` is to be fetched at `now`.
    fn wants_photo(&self, puzzle: &Puzzle, now: UnixMillis) -> bool {
        let Some(url) = &puzzle.image_url else { return false };
        let withdrawn =
            self.items.get(&puzzle.puzzle_id).is_none_or(|item| item.state == ItemState::Withdrawn);
        let waits = self.images.get(&puzzle.puzzle_id).is_some_and(|stored| {
            stored.image.state == ImageState::Failed
                && stored.image.image_url == *url
                && stored.next_attempt_at > now
                && stored.next_attempt_at <= now.plus(LONGEST_WAIT_MS)
        });
        !withdrawn && !waits && self.ready_image(puzzle).is_none()
    }
}

fn stored(record: &ImageRecord, now: UnixMillis) -> StoredImage {
    match record.clone() {
        ImageRecord::Ready { image_url, object_key, bytes } => StoredImage {
            image: SourceImage {
                image_url,
                state: ImageState::Ready,
                object_key: Some(object_key),
                bytes: Some(bytes),
                error: None,
            },
            next_attempt_at: UnixMillis::new(0),
            updated_at: now,
        },
        ImageRecord::Failed { image_url, error, retry_after_ms } => StoredImage {
            image: SourceImage {
                image_url,
                state: ImageState::Failed,
                object_key: None,
                bytes: None,
                error: Some(error),
            },
            next_attempt_at: now.plus(retry_after_ms),
            updated_at: now,
        },
    }
}
