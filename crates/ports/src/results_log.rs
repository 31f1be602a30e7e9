//! The daily game, and its results.

use async_trait::async_trait;
use fencepost_domain::{
    id::PuzzleId,
    play::Play,
    reading::Snapshot,
    results::{Recorded, ResultReport},
    time::UnixMillis,
};

use crate::StoreError;

/// Results of the daily game: one per session and puzzle.
///
/// An adapter MUST keep one result per session and puzzle, and MUST leave it as it is
/// whatever the session reports later. It MUST number the results of a puzzle from 1
/// without a gap, however many reports arrive at once, and MUST NOT store one beyond
/// [`MAX_RESULTS_PER_PUZZLE`](fencepost_domain::results::MAX_RESULTS_PER_PUZZLE). It MUST
/// take a result from the puzzle's opening to just before its end of play, as stored and
/// by the store's clock, and at no other time; where its item stands, and whether the
/// site is paused, does not matter. Recording MUST read a handful of rows, however many
/// results there are.
#[cfg_attr(feature = "mock", mockall::automock)]
#[async_trait]
pub trait ResultsLog: Send + Sync {
    /// Records a result, and tells what became of the report.
    ///
    /// An adapter MUST answer [`Recorded::Recorded`] only if the stored row carries the
    /// token of this report. So a report without an answer can be told again as it is:
    /// should the first try have landed, the second one writes nothing and is answered as
    /// the first one would have been. Of two reports of one session, one is recorded.
    async fn report(&self, report: &ResultReport) -> Result<Recorded, StoreError>;

    /// Whether a puzzle can be played at `now`, or by the store's own clock, what everybody
    /// may know of it, and at which price a guess is judged: all in one query, so that no
    /// price is read for a puzzle that has meanwhile been moved. An adapter MUST read a
    /// handful of rows, and MUST NOT write.
    async fn play(&self, now: Option<UnixMillis>, puzzle: PuzzleId) -> Result<Snapshot<Play>, StoreError>;
}
