//! Landing a commit on a store whose answers get lost.
//!
//! A commit that got no answer may have landed, may still be queued, or may be gone.
//! Repeating it with the *same* token would be wrong: if the first one did land, the
//! page carries the token, and every statement that depends on the token would run a
//! second time. Giving up would be wrong too: the item would wait for the lease to
//! expire although nothing stood in its way. So every attempt gets a token of its own,
//! and after each lost answer the receipts are asked, which outlive any later update
//! of the page. The version in the guard lets at most one of the attempts land,
//! whichever of them arrive and whenever.

use fencepost_domain::{
    commit::{Change, Commit, CommitOutcome},
    guard::Predicate,
    id::{BankVersion, CommitToken, ContentVersion},
    lease::Lease,
    outcome::Outcome,
};
use fencepost_ports::{CommitTrace, StoreError, StoreErrorKind};

use crate::{
    Site,
    retry::{TRIES, in_doubt, is_over_budget},
};

/// What is to land: a change, and what it was prepared from.
pub(crate) struct Proposal {
    pub(crate) lease: Lease,
    pub(crate) change: Change,
    pub(crate) bank_version: BankVersion,
    pub(crate) content_version: ContentVersion,
}

impl Site {
    /// Attempts a commit until its fate is known, the lease has run out, or the budget has.
    ///
    /// # Errors
    /// What no further attempt could mend: a definite refusal, a failed assertion or a
    /// budget that is used up, and then nothing was written; or no answer to the question
    /// what became of it all.
    pub(crate) async fn land(&self, proposal: &Proposal) -> Result<CommitOutcome, StoreError> {
        let mut unanswered: Vec<CommitToken> = Vec::new();
        for tried in 1..=TRIES {
            if tried > 1 {
                self.back_off(tried - 1).await;
            }
            let commit = self.attempt(proposal);
            match self.stores.ledger.commit(&commit).await {
                Ok(readback) => {
                    let outcome = readback.judge();
                    if matches!(outcome, CommitOutcome::Landed { .. }) {
                        return Ok(outcome);
                    }
                    return Ok(self.find_landed(proposal, &unanswered).await?.unwrap_or(outcome));
                }
                Err(error) if error.kind() == StoreErrorKind::Busy => {}
                Err(error) if error.may_have_written() => {
                    tracing::warn!(puzzle = %commit.puzzle_id(), tried, %error, "a commit got no answer; asking for its receipt");
                    unanswered.push(commit.token);
                    match self.trace(proposal, &unanswered).await? {
                        Fate::Settled(outcome) => return Ok(outcome),
                        Fate::LeaseOver => break,
                        Fate::NotSeen => {}
                    }
                }
                Err(error) if is_over_budget(&error) && !unanswered.is_empty() => break,
                Err(error) => {
                    return self.find_landed(proposal, &unanswered).await?.ok_or(error);
                }
            }
        }
        Ok(CommitOutcome::Refused { outcome: Outcome::Unknown, blocked_by: Vec::new() })
    }

    fn attempt(&self, proposal: &Proposal) -> Commit {
        Commit {
            lease: proposal.lease.clone(),
            token: self.tokens.commit_token(),
            change: proposal.change.clone(),
            bank_version: proposal.bank_version,
            content_version: proposal.content_version,
            daily_quota: self.settings.daily_quota,
        }
    }

    async fn trace(&self, proposal: &Proposal, tokens: &[CommitToken]) -> Result<Fate, StoreError> {
        let trace = match self.look_up(proposal, tokens).await {
            Ok(trace) => trace,
            // Still no answer. Trying on is safe: every attempt has a token of its own.
            Err(error) if error.may_have_written() || error.kind() == StoreErrorKind::Busy => {
                return Ok(Fate::NotSeen);
            }
            Err(error) => return Err(error),
        };
        Ok(match landed(&trace) {
            Some(outcome) => Fate::Settled(outcome),
            None if trace.content_version != proposal.content_version => {
                Fate::Settled(CommitOutcome::Refused {
                    outcome: Outcome::Conflict,
                    blocked_by: vec![Predicate::ContentVersion],
                })
            }
            None if trace.now >= proposal.lease.expires_at => Fate::LeaseOver,
            None => Fate::NotSeen,
        })
    }

    /// What became of earlier attempts: one of them may be the very reason why the last
    /// one was refused.
    async fn find_landed(
        &self,
        proposal: &Proposal,
        unanswered: &[CommitToken],
    ) -> Result<Option<CommitOutcome>, StoreError> {
        if unanswered.is_empty() {
            return Ok(None);
        }
        Ok(landed(&self.look_up(proposal, unanswered).await?))
    }

    /// Is asked about attempts without an answer only.
    async fn look_up(&self, proposal: &Proposal, tokens: &[CommitToken]) -> Result<CommitTrace, StoreError> {
        let puzzle = proposal.lease.key.puzzle_id();
        self.persistently(|| self.stores.ledger.trace(puzzle, tokens)).await.map_err(in_doubt)
    }
}

enum Fate {
    Settled(CommitOutcome),
    NotSeen,
    LeaseOver,
}

fn landed(trace: &CommitTrace) -> Option<CommitOutcome> {
    trace.receipt.as_ref().map(|receipt| CommitOutcome::Landed {
        content_version: receipt.content_version,
        revision: receipt.revision,
    })
}
