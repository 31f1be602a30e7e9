//! Futures that several crates begin, each compiled once.
//!
//! The compiler translates an `async fn` where it is begun, together with all that it awaits.
//! Crons and operators both start runs, from two crates, and publish by two ways: without a
//! box, the Worker would have all of publishing twice.

use std::pin::Pin;

/// A future behind a pointer, compiled where it is boxed.
pub(crate) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
