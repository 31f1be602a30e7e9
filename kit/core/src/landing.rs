//! Landing a commit on a store whose answers get lost.
//!
//! A commit that got no answer may have landed, may still be queued, or may be gone.
//! Repeating it with the *same* token would be wrong: if the first one did land, every
//! statement that depends on the token would run a second time. Giving up would be wrong too:
//! the work would wait for the lease to expire although nothing stood in its way. So every
//! attempt gets a token of its own, and after each lost answer the receipts are asked what
//! became of all so far. The version in the guard lets at most one of the attempts land,
//! whichever of them arrive and whenever.
//!
//! `Store::commit` of `fencepost-batch` does all of this for a guarded batch. Whoever has more to
//! tell of an attempt than its version implements [`Landing`]:
//!
//! ```
//! use fencepost_core::{
//!     StoreError,
//!     attempt::Attempt,
//!     id::CommitToken,
//!     landing::{Ended, Landing, Resolved, Trace, Verdict, land},
//!     retry::Patience,
//!     time::UnixMillis,
//! };
//!
//! /// What sends the batch of an attempt, and asks for receipts.
//! #[async_trait::async_trait]
//! trait Orders: Send + Sync {
//!     /// The number of the parcel, or why the guard said no.
//!     async fn ship(&self, attempt: Attempt) -> Result<Result<i64, String>, StoreError>;
//!     async fn receipt(&self, tokens: &[CommitToken]) -> Result<Trace<i64>, StoreError>;
//! }
//!
//! struct Shipment<'a> { orders: &'a dyn Orders, lease_ends: UnixMillis }
//!
//! #[async_trait::async_trait]
//! impl Landing for Shipment<'_> {
//!     type Landed = i64;
//!     type Refused = String;
//!
//!     async fn attempt(&self, attempt: Attempt) -> Result<Verdict<i64, String>, StoreError> {
//!         Ok(match self.orders.ship(attempt).await? {
//!             Ok(parcel) => Verdict::Landed(parcel),
//!             Err(why) => Verdict::Refused(why),
//!         })
//!     }
//!
//!     async fn resolve(&self, tokens: &[CommitToken]) -> Resolved<i64> {
//!         match self.orders.receipt(tokens).await {
//!             Ok(trace) => trace.judge(self.lease_ends),
//!             Err(error) => Resolved::silence(error),
//!         }
//!     }
//! }
//!
//! async fn ship(shipment: &Shipment<'_>, patience: Patience<'_>) -> Result<String, StoreError> {
//!     Ok(match land(shipment, patience).await? {
//!         Ended::Landed(parcel) => format!("sent as parcel {parcel}"),
//!         Ended::Refused(why) => format!("not sent: {why}"),
//!         Ended::Superseded => "somebody else has changed the order".to_owned(),
//!         Ended::Unknown => "not known; the next holder of the lease finds out".to_owned(),
//!     })
//! }
//! ```

use async_trait::async_trait;

use crate::{
    StoreError, StoreErrorKind,
    attempt::Attempt,
    id::CommitToken,
    resolution::Resolution,
    retry::{Patience, TRIES},
    time::UnixMillis,
};

/// What is to land: a change of which attempts are made.
#[async_trait]
pub trait Landing: Send + Sync {
    /// What is told of an attempt that landed.
    type Landed: Send;
    /// What is told of one that the guard refused.
    type Refused: Send;

    /// Sends the batch of one attempt, with the attempt's token on all that it writes.
    ///
    /// # Errors
    /// A store that misbehaved. Whether the attempt may have landed, the error tells.
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
    ///
    /// ```
    /// use fencepost_core::{landing::{Resolved, Trace}, time::UnixMillis};
    ///
    /// let trace = Trace { now: UnixMillis::new(500), receipt: None::<i64>, is_unchanged: true };
    /// assert_eq!(trace.judge(UnixMillis::new(1_000)), Resolved::NotSeen);
    /// ```
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

/// Attempts a commit until its fate is known, the lease has run out, or the budget has: at most
/// [`TRIES`] times, with a token of its own each, and with a pause before each further one.
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

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeSet, VecDeque},
        sync::Mutex,
    };

    use super::*;
    use crate::{Timer, TokenSource};

    type Answer = Result<Verdict<i64, &'static str>, StoreError>;

    /// A store that answers as it is told to.
    #[derive(Default)]
    struct Script {
        answers: Mutex<VecDeque<Answer>>,
        resolutions: Mutex<VecDeque<Resolved<i64>>>,
        sent: Mutex<Vec<CommitToken>>,
        asked: Mutex<Vec<Vec<CommitToken>>>,
    }

    #[async_trait]
    impl Landing for Script {
        type Landed = i64;
        type Refused = &'static str;

        async fn attempt(&self, attempt: Attempt) -> Answer {
            self.sent.lock().unwrap().push(attempt.into_token());
            self.answers.lock().unwrap().pop_front().expect("an answer for each attempt")
        }

        async fn resolve(&self, tokens: &[CommitToken]) -> Resolved<i64> {
            self.asked.lock().unwrap().push(tokens.to_vec());
            self.resolutions.lock().unwrap().pop_front().expect("a resolution for each question")
        }
    }

    #[derive(Default)]
    struct Edge(Mutex<u32>);

    impl TokenSource for Edge {
        fn draw(&self) -> String {
            let mut drawn = self.0.lock().unwrap();
            *drawn += 1;
            format!("token-{drawn}")
        }
    }

    #[async_trait]
    impl Timer for Edge {
        async fn sleep(&self, _: u64) {}
    }

    type End = Result<Ended<i64, &'static str>, StoreErrorKind>;

    /// What comes of attempts that are answered so, how many there are, and how often it is
    /// asked what became of them.
    async fn check(
        answers: impl IntoIterator<Item = Answer>,
        resolutions: impl IntoIterator<Item = Resolved<i64>>,
        expected: (End, usize, usize),
    ) {
        let script = Script::default();
        script.answers.lock().unwrap().extend(answers);
        script.resolutions.lock().unwrap().extend(resolutions);
        let edge = Edge::default();
        let ended = land(&script, Patience { timer: &edge, tokens: &edge }).await;
        let (sent, asked) = (script.sent.lock().unwrap(), script.asked.lock().unwrap());
        assert_eq!((ended.map_err(|error| error.kind()), sent.len(), asked.len()), expected);
        assert_eq!(sent.iter().collect::<BTreeSet<_>>().len(), sent.len(), "a token was sent twice");
        assert!(asked.iter().all(|tokens| tokens.iter().all(|token| sent.contains(token))));
    }

    fn lost() -> Answer {
        Err(StoreError::unknown("the connection broke off"))
    }

    fn silence() -> Resolved<i64> {
        Resolved::silence(StoreError::unknown("the connection broke off"))
    }

    #[tokio::test]
    async fn what_is_answered_is_so() {
        check([Ok(Verdict::Landed(1))], [], (Ok(Ended::Landed(1)), 1, 0)).await;
        check([Ok(Verdict::Refused("paused"))], [], (Ok(Ended::Refused("paused")), 1, 0)).await;
        let refused = [Err(StoreError::refused("no such table"))];
        check(refused, [], (Err(StoreErrorKind::Refused), 1, 0)).await;
    }

    #[tokio::test]
    async fn what_was_not_begun_is_tried_again() {
        let busy = || Err(StoreError::new(StoreErrorKind::Busy, "locked"));
        check([busy(), Ok(Verdict::Landed(1))], [], (Ok(Ended::Landed(1)), 2, 0)).await;
        check([busy(), busy(), busy(), busy()], [], (Ok(Ended::Unknown), 4, 0)).await;
    }

    #[tokio::test]
    async fn a_lost_answer_is_looked_for() {
        check([lost()], [Resolved::Committed(1)], (Ok(Ended::Landed(1)), 1, 1)).await;
        check([lost()], [Resolved::Superseded], (Ok(Ended::Superseded), 1, 1)).await;
        let over = Resolved::Unknown(Doubt::LeaseOver);
        check([lost()], [over], (Ok(Ended::Unknown), 1, 1)).await;
        check([lost(), Ok(Verdict::Landed(1))], [Resolved::NotSeen], (Ok(Ended::Landed(1)), 2, 1)).await;
        check([lost(), Ok(Verdict::Landed(1))], [silence()], (Ok(Ended::Landed(1)), 2, 1)).await;
    }

    #[tokio::test]
    async fn a_refusal_may_be_the_work_of_an_earlier_attempt() {
        let answers = || [lost(), Ok(Verdict::Refused("version"))];
        let not_seen = Resolved::NotSeen;
        check(answers(), [not_seen.clone(), Resolved::Committed(1)], (Ok(Ended::Landed(1)), 2, 2)).await;
        check(answers(), [not_seen.clone(), Resolved::NotSeen], (Ok(Ended::Refused("version")), 2, 2)).await;
        check(answers(), [not_seen, silence()], (Err(StoreErrorKind::Unknown), 2, 2)).await;
    }

    #[tokio::test]
    async fn without_calls_left_nobody_can_say() {
        let over = || Err(StoreError::new(StoreErrorKind::OverBudget, "50 of 50"));
        check([over()], [], (Err(StoreErrorKind::OverBudget), 1, 0)).await;
        check([lost(), over()], [Resolved::NotSeen], (Ok(Ended::Unknown), 2, 1)).await;
    }

    #[test]
    fn a_receipt_proves_more_than_a_version_and_a_version_more_than_the_time() {
        let judge = |receipt, is_unchanged, now| {
            Trace { now: UnixMillis::new(now), receipt, is_unchanged }.judge(UnixMillis::new(10))
        };
        assert_eq!(judge(Some(1), false, 10), Resolved::Committed(1));
        assert_eq!(judge(None, false, 10), Resolved::Superseded);
        assert_eq!(judge(None, true, 10), Resolved::Unknown(Doubt::LeaseOver));
        assert_eq!(judge(None, true, 9), Resolved::NotSeen);
    }
}
