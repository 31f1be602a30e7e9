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
/// It cannot be copied, so it cannot be used twice. [`land`](crate::landing::land) draws one for
/// each try.
///
/// ```
/// use fencepost_core::{TokenSource, attempt::Attempt};
///
/// fn send(tokens: &dyn TokenSource, batch: impl FnOnce(&str)) -> Attempt {
///     let attempt = Attempt::draw(tokens);
///     batch(attempt.token().as_str());
///     attempt
/// }
/// # struct Seven;
/// # impl TokenSource for Seven { fn draw(&self) -> String { "seven".to_owned() } }
/// # let sent = send(&Seven, |token| assert_eq!(token, "seven"));
/// // What is left of it is a name to ask the receipts by.
/// let name = sent.into_token();
/// # assert_eq!(name.as_str(), "seven");
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
