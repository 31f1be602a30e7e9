//! Landing a commit on a store whose answers get lost.
//!
//! A commit that got no answer may have landed, may still be queued, or may be gone.
//! Repeating it with the *same* token would be wrong: if the first one did land, the
//! page carries the token, and every statement that depends on the token would run a
//! second time. Giving up would be wrong too: the item would wait for the lease to
//! expire although nothing stood in its way. So every attempt gets a token of its own,
//! and after each lost answer [`Site::resolve`] looks what became of all so far. The
//! version in the guard lets at most one of the attempts land, whichever of them arrive
//! and whenever.

use fencepost_domain::{
    action::Deed,
    commit::{Change, Commit, CommitOutcome},
    guard::Predicate,
    id::{BankVersion, ContentVersion},
    lease::Lease,
    outcome::Outcome,
    time::UnixMillis,
};
use fencepost_ports::{StoreError, StoreErrorKind};

use crate::{
    Doubt, Resolved, Site, Unanswered,
    boxed::Boxed,
    retry::{TRIES, is_over_budget},
};

/// What is to land: a change, and what it was prepared from.
pub(crate) struct Proposal {
    pub(crate) lease: Lease,
    pub(crate) change: Change,
    pub(crate) bank_version: BankVersion,
    pub(crate) content_version: ContentVersion,
    /// Of a publication: when it was due.
    pub(crate) due_at: Option<UnixMillis>,
    /// The deed of a person that it is, if it is one.
    pub(crate) by: Option<Deed>,
}

impl Site {
    /// Attempts a commit until its fate is known, the lease has run out, or the budget has.
    ///
    /// # Errors
    /// What no further attempt could mend: a definite refusal, a failed assertion or a
    /// budget that is used up, and then nothing was written; or no answer to the question
    /// what became of it all.
    pub(crate) fn land<'a>(&'a self, proposal: &'a Proposal) -> Boxed<'a, Result<CommitOutcome, StoreError>> {
        Box::pin(self.attempt_until_known(proposal))
    }

    async fn attempt_until_known(&self, proposal: &Proposal) -> Result<CommitOutcome, StoreError> {
        let mut unanswered = proposal.unanswered();
        for tried in 1..=TRIES {
            if tried > 1 {
                self.back_off(tried - 1).await;
            }
            let commit = self.attempt(proposal);
            match self.stores.ledger.commit(&commit).await {
                Ok(readback) => {
                    self.count_publication(proposal, readback.committed_at);
                    let outcome = readback.judge();
                    if matches!(outcome, CommitOutcome::Landed { .. }) {
                        return Ok(outcome);
                    }
                    return Ok(self.find_landed(proposal, &unanswered).await?.unwrap_or(outcome));
                }
                Err(error) if error.kind() == StoreErrorKind::Busy => {}
                Err(error) if error.may_have_written() => {
                    tracing::warn!(puzzle = %commit.puzzle_id(), tried, %error, "a commit got no answer; asking for its receipt");
                    unanswered.tokens.push(commit.token);
                    match self.resolve(&unanswered).await {
                        Resolved::Committed { content_version, revision, committed_at } => {
                            self.count_publication(proposal, Some(committed_at));
                            return Ok(CommitOutcome::Landed { content_version, revision });
                        }
                        Resolved::Superseded => {
                            return Ok(CommitOutcome::Refused {
                                outcome: Outcome::Conflict,
                                blocked_by: vec![Predicate::ContentVersion],
                            });
                        }
                        Resolved::Unknown(Doubt::LeaseOver) => break,
                        // Trying on is safe: every attempt has a token of its own.
                        Resolved::NotSeen | Resolved::Unknown(Doubt::Silence(_)) => {}
                    }
                }
                Err(error) if is_over_budget(&error) && !unanswered.tokens.is_empty() => break,
                Err(error) => return self.find_landed(proposal, &unanswered).await?.ok_or(error),
            }
        }
        Ok(CommitOutcome::Refused { outcome: Outcome::Unknown, blocked_by: Vec::new() })
    }

    /// Counts how late an answer came out, once it has.
    fn count_publication(&self, proposal: &Proposal, committed_at: Option<UnixMillis>) {
        if let (Some(due_at), Some(committed_at)) = (proposal.due_at, committed_at) {
            self.counters.published(due_at, committed_at);
        }
    }

    fn attempt(&self, proposal: &Proposal) -> Commit {
        Commit {
            lease: proposal.lease.clone(),
            token: self.tokens.commit_token(),
            change: proposal.change.clone(),
            bank_version: proposal.bank_version,
            content_version: proposal.content_version,
            daily_quota: self.settings.daily_quota,
            by: proposal.by.clone(),
        }
    }

    /// The landing of an earlier attempt: it may be the very reason why the last one was
    /// refused.
    async fn find_landed(
        &self,
        proposal: &Proposal,
        unanswered: &Unanswered,
    ) -> Result<Option<CommitOutcome>, StoreError> {
        if unanswered.tokens.is_empty() {
            return Ok(None);
        }
        match self.resolve(unanswered).await {
            Resolved::Committed { content_version, revision, committed_at } => {
                self.count_publication(proposal, Some(committed_at));
                Ok(Some(CommitOutcome::Landed { content_version, revision }))
            }
            Resolved::Unknown(Doubt::Silence(error)) => Err(error),
            Resolved::Superseded | Resolved::NotSeen | Resolved::Unknown(Doubt::LeaseOver) => Ok(None),
        }
    }
}

impl Proposal {
    /// Its attempts without an answer, of which there are none yet.
    fn unanswered(&self) -> Unanswered {
        Unanswered {
            puzzle_id: self.lease.key.puzzle_id(),
            content_version: self.content_version,
            lease_ends: self.lease.expires_at,
            tokens: Vec::new(),
        }
    }
}
