//! Where random names come from.

use crate::id::{CommitToken, OwnerId};

/// Random names.
///
/// An adapter MUST draw at least 122 bits from the platform's secure source, so that no
/// two names are ever equal, and MUST write it in at most 46 characters out of `A-Z`,
/// `a-z`, `0-9`, `_` and `-`.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait TokenSource: Send + Sync {
    /// A name that was never drawn before.
    fn draw(&self) -> String;

    /// A new owner of leases, who says by whom it was made: `instance` is what a process or
    /// a Worker is called.
    fn owner(&self, instance: &str) -> OwnerId {
        OwnerId::new(format!("{instance}/{}", self.draw()))
    }

    /// The mark of a new attempt.
    fn commit_token(&self) -> CommitToken {
        CommitToken::new(self.draw())
    }
}
