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
    pub(crate) fn persistently<'a, T: 'a, F>(
        &'a self,
        call: impl Fn() -> F + 'a,
    ) -> impl Future<Output = Result<T, StoreError>> + 'a
    where
        F: Future<Output = Result<T, StoreError>> + Send + 'a,
    {
        self.patience().persistently(call)
    }
}
