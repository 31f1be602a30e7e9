//! Changes that go on when the client that asked for them has gone.

use std::{
    future::Future,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::task::JoinSet;

/// Tasks that a process waits for before it ends. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Background(Arc<Mutex<JoinSet<()>>>);

impl Background {
    /// Starts `change`.
    pub(crate) fn spawn(&self, change: impl Future<Output = ()> + Send + 'static) {
        // A set that a panic left behind is as good as any.
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(change);
    }

    /// Returns once everything that was started has ended.
    pub(crate) async fn end(&self) {
        let mut tasks = {
            let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *tasks)
        };
        while tasks.join_next().await.is_some() {}
    }
}
