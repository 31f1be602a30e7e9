//! Trying again what may safely be tried again: see [`fencepost_core::retry`].

use fencepost_core::retry::Patience;
use fencepost_ports::StoreError;

use crate::{Site, boxed::Boxed};

impl Site {
    /// What waiting needs.
    pub(crate) fn patience(&self) -> Patience<'_> {
        Patience { timer: &*self.timer, tokens: &*self.tokens }
    }

    /// Makes a call whose repetition is harmless, until the store answers. What is called is put
    /// behind a pointer, so that trying again is compiled for each answer, and not for each call.
    pub(crate) fn persistently<'a, T: Send + 'a>(
        &'a self,
        call: impl Fn() -> Boxed<'a, Result<T, StoreError>> + Send + Sync + 'a,
    ) -> Boxed<'a, Result<T, StoreError>> {
        let call: Box<dyn Fn() -> Boxed<'a, Result<T, StoreError>> + Send + Sync + 'a> = Box::new(call);
        Box::pin(self.patience().persistently(call))
    }
}
