//! Trying again what may safely be tried again: see [`fencepost_core::retry`].

use std::future::Future;

use fencepost_core::retry::Patience;
use fencepost_ports::StoreError;

use crate::Site;

impl Site {
    /// What waiting needs.
    pub(crate) fn patience(&self) -> Patience<'_> {
        Patience { timer: &*self.timer, tokens: &*self.tokens }
    }

    /// Makes a call whose repetition is harmless, until the store answers.
    pub(crate) async fn persistently<T, F>(&self, call: impl Fn() -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, StoreError>> + Send,
    {
        self.patience().persistently(call).await
    }
}
