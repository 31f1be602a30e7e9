//! The rules of publishing exactly once on stores that only offer batches.
//!
//! A store such as Cloudflare D1 runs a batch of statements as a whole, but lets no program
//! look first and write then. Two workers may fire at once, a worker may fall asleep and wake
//! up as somebody else's successor, and the answer to a write may get lost. What helps is old
//! and simple, and this crate has it as types:
//!
//! - [`lease`]: who may work on a thing, until when, and a *fence* that grows with every
//!   change of hands, so that whoever wakes up too late writes nothing;
//! - [`attempt`]: one try to write, with a token of its own that nobody can use twice;
//! - [`landing`]: trying until it is known what became of it, by the receipts;
//! - [`id`]: owners, tokens, fences and revisions, and how to declare more of them;
//! - [`stretch`] and [`cache_key`]: caches that need no purge, since all that an answer
//!   depends on is part of its name;
//! - [`budget`]: how many calls one invocation may make.
//!
//! Nothing here knows SQL, a runtime or a clock: time and randomness are arguments. The
//! statements are in `fencepost-batch`; what runs them, in `fencepost-sqlite` and
//! `fencepost-d1`.
//!
//! # Features
//!
//! None is on by itself. `random` has `RandomTokens`, which draws names from the platform's secure
//! source. `mock` has mocks of [`Timer`] and [`TokenSource`], for tests of this workspace, and is
//! no part of what is promised.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// For the types that the macros declare.
#[doc(hidden)]
pub use serde;

pub mod attempt;

pub mod budget;

pub mod cache_key;

pub mod id;

pub mod landing;

pub mod lease;

#[cfg(feature = "random")]
mod random_tokens;
#[cfg(feature = "random")]
pub use random_tokens::RandomTokens;

pub mod resolution;

pub mod retry;

mod store_counts;
pub use store_counts::{CallCost, CallTotals, StoreCounts};

mod store_error;
pub use store_error::{StoreError, StoreErrorKind};

pub mod stretch;

pub mod time;

mod timer;
pub use timer::{AtOnce, Timer};

mod tokens;
pub use tokens::TokenSource;

/// Mocks, for failures and the order of calls.
#[cfg(feature = "mock")]
pub mod mock {
    pub use super::{timer::MockTimer, tokens::MockTokenSource};
}
