//! Trying again what may safely be tried again.

use std::future::Future;

use fencepost_ports::{StoreError, StoreErrorKind};

use crate::{Site, boxed::Boxed};

/// How often one call to the store is tried in all.
pub(crate) const TRIES: u32 = 4;

impl Site {
    /// Makes a call whose repetition is harmless, again and again until the store
    /// answers: a claim (it is re-entrant), a read, a guarded restore.
    ///
    /// It ends as well when the budget does not allow another try. If an earlier one may
    /// have written, the error is that one's: what is unknown does not become known by that.
    ///
    /// Not for commits: whether one of those may be repeated is for
    /// [`Site::land`] to find out.
    pub(crate) async fn persistently<T, F>(&self, call: impl Fn() -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>> + Send,
    {
        let mut tried = 0;
        let mut unanswered = None;
        loop {
            tried += 1;
            match call().await {
                Ok(answer) => return Ok(answer),
                Err(error) => self.pause_after(error, tried, &mut unanswered)?.await,
            }
        }
    }

    /// The pause before the next try; or how the call ends. It knows not what was called, and
    /// so is compiled once.
    fn pause_after(
        &self,
        error: StoreError,
        tried: u32,
        unanswered: &mut Option<StoreError>,
    ) -> Result<Boxed<'_, ()>, StoreError> {
        if is_passing(&error) && tried < TRIES {
            *unanswered = Some(error).filter(StoreError::may_have_written).or_else(|| unanswered.take());
            return Ok(Box::pin(self.back_off(tried)));
        }
        Err(if is_over_budget(&error) { unanswered.take().unwrap_or(error) } else { error })
    }

    /// Waits 50 ms after the first try, four times as long after each further one, and
    /// up to as much again, so that workers that failed together do not return together.
    pub(crate) async fn back_off(&self, tried: u32) {
        const FIRST_MS: u64 = 50;
        let wait = FIRST_MS << (2 * tried.saturating_sub(1).min(6));
        let draw = self.tokens.draw();
        let jitter =
            draw.bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % wait;
        self.timer.sleep(wait + jitter).await;
    }
}

/// Whether the call was not made, because the invocation may make no further one.
pub(crate) fn is_over_budget(error: &StoreError) -> bool {
    error.kind() == StoreErrorKind::OverBudget
}

/// What follows from an error when an earlier attempt got no answer: that the question what
/// became of it was refused, or cannot be afforded, does not make it unwritten.
pub(crate) fn in_doubt(error: StoreError) -> StoreError {
    if error.may_have_written() { error } else { StoreError::unknown(error.to_string()) }
}

/// Whether the store may answer when it is asked again. That it does not says nothing of an item.
pub(crate) fn is_passing(error: &StoreError) -> bool {
    matches!(error.kind(), StoreErrorKind::Busy | StoreErrorKind::Unknown)
}
