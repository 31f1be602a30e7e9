//! What can go wrong with a store, told apart by what is known to have been written.

use std::fmt;

use crate::budget::Exhausted;

/// A store that misbehaved.
///
/// The one question that callers ask of an error is whether the write may have
/// happened. Anything that is not definitely a refusal is *unknown*: the write may
/// have committed, or may still be queued, and only a read can settle it.
///
/// It is one pointer wide: almost every call hands it on.
///
/// ```
/// use fencepost_core::{StoreError, StoreErrorKind};
///
/// let lost = StoreError::unknown("the connection broke off");
/// assert!(lost.may_have_written() && lost.is_passing());
/// let refused = StoreError::refused("no such table: orders");
/// assert!(!refused.may_have_written() && !refused.is_passing());
/// // The question what became of a write may be refused; that does not make it unwritten.
/// assert_eq!(refused.in_doubt().kind(), StoreErrorKind::Unknown);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError(Box<Failure>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Failure {
    kind: StoreErrorKind,
    message: String,
}

/// What is known after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreErrorKind {
    /// The store refused: nothing was written, and the same request would be refused again.
    Refused,
    /// A batch's own assertion raised and rolled everything back: two parts of the
    /// program disagree. Nothing was written.
    Assertion,
    /// The store was busy and did not begin: nothing was written, try again.
    Busy,
    /// A row had a value that cannot be. Nothing is known to be lost; the row wants repair.
    Corrupt,
    /// The invocation may make no further call, and this one was not made: nothing was
    /// sent. A later invocation goes on.
    OverBudget,
    /// No answer: the write may have committed.
    Unknown,
    /// What was only to be tried was carried out, because the error that should have undone
    /// it was not raised: a defect of this program or of the store.
    NotUndone,
}

impl StoreError {
    /// An error of this kind. The message says what happened and what to do.
    pub fn new(kind: StoreErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Failure { kind, message: message.into() }))
    }

    /// A definite refusal.
    pub fn refused(message: impl Into<String>) -> Self {
        Self::new(StoreErrorKind::Refused, message)
    }

    /// No answer.
    pub fn unknown(message: impl Into<String>) -> Self {
        Self::new(StoreErrorKind::Unknown, message)
    }

    /// A value in `column` that cannot be.
    pub fn corrupt(column: &str, problem: impl fmt::Display) -> Self {
        Self::new(StoreErrorKind::Corrupt, format!("column {column:?} of the database: {problem}"))
    }

    /// What is known.
    pub fn kind(&self) -> StoreErrorKind {
        self.0.kind
    }

    /// Whether the store may answer when it is asked again. That it does not says nothing of
    /// what it was asked about.
    pub fn is_passing(&self) -> bool {
        matches!(self.kind(), StoreErrorKind::Busy | StoreErrorKind::Unknown)
    }

    /// Whether the call was not made, because the invocation may make no further one.
    pub fn is_over_budget(&self) -> bool {
        self.kind() == StoreErrorKind::OverBudget
    }

    /// What follows from an error when an earlier attempt got no answer: that the question what
    /// became of it was refused, or cannot be afforded, does not make it unwritten.
    #[must_use]
    pub fn in_doubt(self) -> Self {
        if self.may_have_written() { self } else { Self::unknown(self.to_string()) }
    }

    /// Whether the write may have happened.
    pub fn may_have_written(&self) -> bool {
        matches!(self.kind(), StoreErrorKind::Unknown | StoreErrorKind::NotUndone)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind() {
            StoreErrorKind::Refused => "the database refused",
            StoreErrorKind::Assertion => "the database's own check failed and everything was rolled back",
            StoreErrorKind::Busy => "the database is busy",
            StoreErrorKind::Corrupt => "the database holds a value that cannot be",
            StoreErrorKind::OverBudget => "the database was not asked",
            StoreErrorKind::Unknown => "the database gave no answer",
            StoreErrorKind::NotUndone => "the database kept what was only to be tried",
        };
        write!(f, "{what}: {}", self.0.message)
    }
}

impl std::error::Error for StoreError {}

impl From<Exhausted> for StoreError {
    fn from(exhausted: Exhausted) -> Self {
        Self::new(StoreErrorKind::OverBudget, exhausted.to_string())
    }
}
