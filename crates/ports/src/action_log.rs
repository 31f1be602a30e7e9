//! The log of what people did.

use async_trait::async_trait;
use fencepost_domain::{
    action::{Entry, LoggedAction},
    id::PuzzleId,
    time::UnixMillis,
};

use crate::StoreError;

/// The log of what people did.
///
/// Its entries are made by the writes that they tell of, and an adapter MUST make each in the
/// batch of the change, exactly if something was changed. An action whose token is on record
/// has been done: an adapter MUST NOT do it again, whatever was done since.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ActionLog: Send + Sync {
    /// Actions, the newest first: those numbered below `before`, at most `limit`.
    async fn actions(&self, before: Option<i64>, limit: u32) -> Result<Vec<LoggedAction>, StoreError>;

    /// Records that a link to a preview was made, of a puzzle that the bank has. Nothing else
    /// is written for it.
    async fn record_preview(
        &self,
        entry: &Entry,
        puzzle: PuzzleId,
        expires_at: UnixMillis,
    ) -> Result<(), StoreError>;
}
