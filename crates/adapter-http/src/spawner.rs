//! Changes that outlive the request that asked for them.
//!
//! A server drops the future of a request whose client has gone. For a reader's page that
//! is right; for a job it would be a pity: the item in hand would be left `processing`
//! until its lease ends. It would be safe, since the lease and the guard make every point
//! of a job a safe one to stop at, but the operator who hung up would find the rest undone.
//!
//! So a change is handed to the application's own executor *and* awaited by the request:
//! both poll the same future, whichever comes first. On a target without an executor the
//! request polls alone, and what is cut off there is caught up by the next run.

use std::{
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_util::{FutureExt, future::BoxFuture};

/// Runs a future to its end, whether or not somebody waits for it: `tokio::spawn`, or a
/// Worker's `wait_until`.
pub trait Spawner: Send + Sync {
    /// Runs `task` to its end. A server that shuts down waits for it.
    fn spawn(&self, task: BoxFuture<'static, ()>);
}

impl<F> Spawner for F
where
    F: Fn(BoxFuture<'static, ()>) + Send + Sync,
{
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self(task);
    }
}

/// Awaits `change`, which goes on when the caller is dropped, as far as `spawner` can.
pub(crate) fn run_to_the_end<'a, T: Send + 'static>(
    spawner: Option<&'a Arc<dyn Spawner>>,
    change: impl Future<Output = T> + Send + 'static,
) -> BoxFuture<'a, T> {
    outcome_of(spawner, Box::pin(change)).boxed()
}

/// The outcome of a change. Both who poll it poll a future that leaves the outcome where the
/// request finds it, so that what is shared is of one type, whatever the outcome's.
async fn outcome_of<T: Send + 'static>(
    spawner: Option<&Arc<dyn Spawner>>,
    change: BoxFuture<'static, T>,
) -> T {
    let outcome = Arc::new(Mutex::new(None));
    let left = Arc::clone(&outcome);
    both(spawner, Box::pin(async move { *lock(&left) = Some(change.await) })).await;
    lock(&outcome).take().expect("a change that was run to its end has left its outcome")
}

/// Polls `change` here, and at the spawner's if there is one, to its end.
async fn both(spawner: Option<&Arc<dyn Spawner>>, change: BoxFuture<'static, ()>) {
    let Some(spawner) = spawner else { return change.await };
    let change = change.shared();
    spawner.spawn(change.clone().boxed());
    change.await;
}

fn lock<T>(outcome: &Mutex<T>) -> MutexGuard<'_, T> {
    outcome.lock().unwrap_or_else(PoisonError::into_inner)
}
