//! Trying again what may safely be tried again.

use std::{future::Future, pin::Pin};

use crate::{StoreError, Timer, TokenSource};

/// How often one call to the store is tried in all.
pub const TRIES: u32 = 4;

/// What waiting needs: a timer, and random names to spread the waits by.
///
/// ```
/// use fencepost_core::{StoreError, retry::Patience};
///
/// async fn count(patience: Patience<'_>, store: &dyn Counting) -> Result<i64, StoreError> {
///     patience.persistently(|| store.count()).await
/// }
///
/// /// A store that is asked again if it is busy or gives no answer.
/// #[async_trait::async_trait]
/// trait Counting: Send + Sync {
///     async fn count(&self) -> Result<i64, StoreError>;
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Patience<'a> {
    /// Waits.
    pub timer: &'a dyn Timer,
    /// Draws.
    pub tokens: &'a dyn TokenSource,
}

impl<'a> Patience<'a> {
    /// Makes a call whose repetition is harmless, again and again until the store
    /// answers: a claim (it is re-entrant), a read, a guarded restore.
    ///
    /// It ends as well when the budget does not allow another try. If an earlier one may
    /// have written, the error is that one's: what is unknown does not become known by that.
    ///
    /// Not for commits: whether one of those may be repeated is for
    /// [`land`](crate::landing::land) to find out.
    ///
    /// # Errors
    /// The last one, if it was no passing one, or if all of [`TRIES`] failed.
    pub async fn persistently<T, F>(self, call: impl Fn() -> F) -> Result<T, StoreError>
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
        self,
        error: StoreError,
        tried: u32,
        unanswered: &mut Option<StoreError>,
    ) -> Result<Pin<Box<dyn Future<Output = ()> + Send + 'a>>, StoreError> {
        if error.is_passing() && tried < TRIES {
            *unanswered = Some(error).filter(StoreError::may_have_written).or_else(|| unanswered.take());
            return Ok(Box::pin(self.back_off(tried)));
        }
        Err(if error.is_over_budget() { unanswered.take().unwrap_or(error) } else { error })
    }

    /// Waits 50 ms after the first try, four times as long after each further one, and
    /// up to as much again, so that workers that failed together do not return together.
    pub async fn back_off(self, tried: u32) {
        const FIRST_MS: u64 = 50;
        let wait = FIRST_MS << (2 * tried.saturating_sub(1).min(6));
        let draw = self.tokens.draw();
        let jitter =
            draw.bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into())) % wait;
        self.timer.sleep(wait + jitter).await;
    }
}
