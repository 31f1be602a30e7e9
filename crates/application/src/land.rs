//! Landing a change of a page on a store whose answers get lost.
//!
//! How attempts are made until the fate of one is known, is [`fencepost_core::landing`]'s to
//! say. Here is what the attempts are of: the page, its guard, and what is counted once one has
//! landed.

use async_trait::async_trait;
use fencepost_core::{
    attempt::Attempt,
    landing::{Ended, Landing, Verdict, land},
};
use fencepost_domain::{
    action::Deed,
    commit::{Change, Commit, CommitOutcome},
    guard::Predicate,
    id::{BankVersion, CommitToken, ContentVersion},
    lease::Lease,
    outcome::Outcome,
    time::UnixMillis,
};
use fencepost_ports::StoreError;

use crate::{Landed, Resolved, Site, Unanswered, boxed::Boxed};

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
        let refused = |outcome, blocked_by| CommitOutcome::Refused { outcome, blocked_by };
        Ok(match land(&Proposed { site: self, proposal }, self.patience()).await? {
            Ended::Landed(Landed { content_version, revision, committed_at }) => {
                if let (Some(due_at), Some(committed_at)) = (proposal.due_at, committed_at) {
                    self.counters.published(due_at, committed_at);
                }
                CommitOutcome::Landed { content_version, revision }
            }
            Ended::Refused(outcome) => outcome,
            Ended::Superseded => refused(Outcome::Conflict, vec![Predicate::ContentVersion]),
            Ended::Unknown => refused(Outcome::Unknown, Vec::new()),
        })
    }
}

/// A proposal, and the site that it is made to.
struct Proposed<'a> {
    site: &'a Site,
    proposal: &'a Proposal,
}

#[async_trait]
impl Landing for Proposed<'_> {
    type Landed = Landed;
    type Refused = CommitOutcome;

    async fn attempt(&self, attempt: Attempt) -> Result<Verdict<Landed, CommitOutcome>, StoreError> {
        let commit = self.commit(attempt);
        let told = self.site.stores.ledger.commit(&commit).await;
        if let Err(error) = &told
            && error.may_have_written()
        {
            tracing::warn!(puzzle = %commit.puzzle_id(), %error, "a commit got no answer; asking for its receipt");
        }
        let readback = told?;
        let committed_at = readback.committed_at;
        Ok(match readback.judge() {
            CommitOutcome::Landed { content_version, revision } => {
                Verdict::Landed(Landed { content_version, revision, committed_at })
            }
            refused @ CommitOutcome::Refused { .. } => Verdict::Refused(refused),
        })
    }

    async fn resolve(&self, tokens: &[CommitToken]) -> Resolved {
        let Proposal { lease, content_version, .. } = self.proposal;
        let unanswered = Unanswered {
            puzzle_id: lease.key.puzzle_id(),
            content_version: *content_version,
            lease_ends: lease.expires_at,
            tokens: tokens.to_vec(),
        };
        self.site.resolve(&unanswered).await
    }
}

impl Proposed<'_> {
    fn commit(&self, attempt: Attempt) -> Commit {
        let Proposal { lease, change, bank_version, content_version, by, .. } = self.proposal;
        Commit {
            lease: lease.clone(),
            token: attempt.into_token(),
            change: change.clone(),
            bank_version: *bank_version,
            content_version: *content_version,
            daily_quota: self.site.settings.daily_quota,
            by: by.clone(),
        }
    }
}
