//! Landing a commit on a store whose answers get lost.
//!
//! A commit that got no answer may have landed, may still be queued, or may be gone.
//! Repeating it with the *same* token would be wrong: if the first one did land, every
//! statement that depends on the token would run a second time. Giving up would be wrong too:
//! the work would wait for the lease to expire although nothing stood in its way. So every
//! attempt gets a token of its own, and after each lost answer the receipts are asked what
//! became of all so far. The version in the guard lets at most one of the attempts land,
//! whichever of them arrive and whenever.

use async_trait::async_trait;

use crate::{
    StoreError, StoreErrorKind,
    attempt::Attempt,
    id::CommitToken,
    resolution::Resolution,
    retry::{Patience, TRIES},
    time::UnixMillis,
};

/// What is to land.
#[async_trait]
pub trait Landing: Send + Sync {
    /// What is told of an attempt that landed.
    type Landed: Send;
    /// What is told of one that the guard refused.
    type Refused: Send;

    /// Sends the batch of one attempt.
    async fn attempt(&self, attempt: Attempt) -> Result<Verdict<Self::Landed, Self::Refused>, StoreError>;

    /// Finds out what became of attempts that got no answer, by a [`Trace`] and
    /// [`Trace::judge`].
    async fn resolve(&self, tokens: &[CommitToken]) -> Resolved<Self::Landed>;
}

/// What a batch that was answered told of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<L, R> {
    /// It landed.
    Landed(L),
    /// The guard said no, and nothing was written.
    Refused(R),
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended<L, R> {
    /// One attempt landed, and no other ever will.
    Landed(L),
    /// The guard said no, and no earlier attempt had landed.
    Refused(R),
    /// Somebody else has changed what the attempts were to change. None of them landed.
    Superseded,
    /// It is not known, and nothing more may be tried under this lease. Whoever holds the next
    /// one finds either the work done, or the work to do.
    Unknown,
}

/// What a store knows of attempts that got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace<L> {
    /// The store's clock.
    pub now: UnixMillis,
    /// What the receipt of one of them says, if there is one.
    pub receipt: Option<L>,
    /// Whether what they change is still as they expect it.
    pub is_unchanged: bool,
}

impl<L> Trace<L> {
    /// What follows from it. A receipt proves more than a version, and a version more than the
    /// time.
    ///
    /// `lease_ends` is the instant from which the lease that they were made under may change
    /// hands.
    pub fn judge(self, lease_ends: UnixMillis) -> Resolved<L> {
        match self.receipt {
            Some(receipt) => Resolved::Committed(receipt),
            None if !self.is_unchanged => Resolved::Superseded,
            None if self.now >= lease_ends => Resolved::Unknown(Doubt::LeaseOver),
            None => Resolved::NotSeen,
        }
    }
}

/// What became of attempts without an answer, and what follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Resolved<L> {
    /// One of them landed, and no other ever will.
    Committed(L),
    /// None of them landed or ever will: somebody else was first.
    Superseded,
    /// Nothing is to be seen of them yet.
    NotSeen,
    /// Nobody can say.
    Unknown(Doubt),
}

/// Why nobody can say what became of attempts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The store did not answer this question either. Trying the commit again is safe.
    Silence(StoreError),
    /// Nothing is to be seen of them, and the lease is over: whoever holds the next one has
    /// the right to try.
    LeaseOver,
}

impl<L> Resolved<L> {
    /// Nobody answered when it was asked. A store that fails to answer leaves open what became
    /// of the attempts, whatever its error, and even if it refuses this question.
    pub fn silence(error: StoreError) -> Self {
        Self::Unknown(Doubt::Silence(error.in_doubt()))
    }

    /// The word for it.
    pub const fn resolution(&self) -> Resolution {
        match self {
            Self::Committed(_) => Resolution::Committed,
            Self::Superseded => Resolution::Superseded,
            Self::NotSeen => Resolution::NotSeen,
            Self::Unknown(_) => Resolution::Unknown,
        }
    }
}

/// Attempts a commit until its fate is known, the lease has run out, or the budget has.
///
/// # Errors
/// What no further attempt could mend: a definite refusal, a failed assertion or a
/// budget that is used up, and then nothing was written; or no answer to the question
/// what became of it all.
pub async fn land<L: Landing>(
    landing: &L,
    patience: Patience<'_>,
) -> Result<Ended<L::Landed, L::Refused>, StoreError> {
    let mut unanswered = Vec::new();
    for tried in 1..=TRIES {
        if tried > 1 {
            patience.back_off(tried - 1).await;
        }
        let attempt = Attempt::draw(patience.tokens);
        let token = attempt.token().clone();
        match landing.attempt(attempt).await {
            Ok(Verdict::Landed(landed)) => return Ok(Ended::Landed(landed)),
            Ok(Verdict::Refused(refused)) => {
                let earlier = find_landed(landing, &unanswered).await?;
                return Ok(earlier.map_or(Ended::Refused(refused), Ended::Landed));
            }
            Err(error) if error.kind() == StoreErrorKind::Busy => {}
            Err(error) if error.may_have_written() => {
                unanswered.push(token);
                match landing.resolve(&unanswered).await {
                    Resolved::Committed(landed) => return Ok(Ended::Landed(landed)),
                    Resolved::Superseded => return Ok(Ended::Superseded),
                    Resolved::Unknown(Doubt::LeaseOver) => break,
                    // Trying on is safe: every attempt has a token of its own.
                    Resolved::NotSeen | Resolved::Unknown(Doubt::Silence(_)) => {}
                }
            }
            Err(error) if error.is_over_budget() && !unanswered.is_empty() => break,
            Err(error) => {
                return find_landed(landing, &unanswered).await?.map(Ended::Landed).ok_or(error);
            }
        }
    }
    Ok(Ended::Unknown)
}

/// The landing of an earlier attempt: it may be the very reason why the last one was
/// refused.
async fn find_landed<L: Landing>(
    landing: &L,
    unanswered: &[CommitToken],
) -> Result<Option<L::Landed>, StoreError> {
    if unanswered.is_empty() {
        return Ok(None);
    }
    match landing.resolve(unanswered).await {
        Resolved::Committed(landed) => Ok(Some(landed)),
        Resolved::Unknown(Doubt::Silence(error)) => Err(error),
        Resolved::Superseded | Resolved::NotSeen | Resolved::Unknown(Doubt::LeaseOver) => Ok(None),
    }
}
