//! One try to write, and its token.
//!
//! An attempt that got no answer may have landed, may still be queued, or may be gone. If it is
//! sent once more with the same token and the first one did land, the marked row carries the
//! token, and every statement that depends on it runs a second time. So a token is for one
//! sending. [`Attempt`] has it and is no copy of anything: whatever makes a batch of an attempt
//! uses it up, and the next try has to draw its own.
//!
//! What remains is the *name* of the token ([`CommitToken`]), by which the receipts are asked.
//! No batch can be made from a name.

use crate::{TokenSource, id::CommitToken};

/// The right to send one batch.
///
/// It cannot be used twice:
///
/// ```compile_fail,E0382
/// # use fencepost_core::attempt::Attempt;
/// # fn send(_: Attempt) {}
/// # fn example(attempt: Attempt) {
/// send(attempt);
/// send(attempt); // use of moved value
/// # }
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Attempt(CommitToken);

impl Attempt {
    /// A new attempt, with a token that nobody has ever drawn before.
    pub fn draw(tokens: &(impl TokenSource + ?Sized)) -> Self {
        Self(tokens.commit_token())
    }

    /// The attempt with this token, for whom tokens travel as values of their own.
    ///
    /// Whoever calls this vouches for it that no other batch is ever sent with this token:
    /// what [`draw`](Self::draw) sees to by itself.
    pub fn vouched_for(token: CommitToken) -> Self {
        Self(token)
    }

    /// The name of its token, for asking what became of it.
    pub fn token(&self) -> &CommitToken {
        &self.0
    }

    /// What is left of it once it has been sent.
    pub fn into_token(self) -> CommitToken {
        self.0
    }
}
