//! A commit: one attempt to change what is published.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{
    action::Deed,
    guard::Predicate,
    id::{BankVersion, CommitToken, ContentVersion, Fence, OwnerId, PuzzleId},
    lease::Lease,
    ledger::ItemState,
    outcome::Outcome,
    page::AnswerContent,
    revision::Revision,
    time::UnixMillis,
};

/// The kinds of commit. Each has its own list of guard predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommitKind {
    /// A page appears for the first time.
    Publish,
    /// A public page gets new content.
    Update,
    /// A public page is taken back, leaving a tombstone.
    Withdraw,
    /// A tombstone becomes a public page again.
    Reinstate,
}

impl CommitKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Publish, Self::Update, Self::Withdraw, Self::Reinstate];

    /// The word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Publish => "publish",
            Self::Update => "update",
            Self::Withdraw => "withdraw",
            Self::Reinstate => "reinstate",
        }
    }

    /// The state that the item must be in.
    pub const fn state_before(self) -> ItemState {
        match self {
            Self::Publish => ItemState::Processing,
            Self::Update | Self::Withdraw => ItemState::Published,
            Self::Reinstate => ItemState::Withdrawn,
        }
    }

    /// The state that the item gets.
    pub const fn state_after(self) -> ItemState {
        match self {
            Self::Publish | Self::Update | Self::Reinstate => ItemState::Published,
            Self::Withdraw => ItemState::Withdrawn,
        }
    }

    /// What a landed commit is called in reports.
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::Publish => Outcome::Published,
            Self::Update => Outcome::Updated,
            Self::Withdraw => Outcome::Withdrawn,
            Self::Reinstate => Outcome::Reinstated,
        }
    }
}

impl FromStr for CommitKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(())
    }
}

/// What a commit changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Publish this content.
    Publish(AnswerContent),
    /// Replace the public content by this.
    Update(AnswerContent),
    /// Take the page back.
    Withdraw,
    /// Show the page again.
    Reinstate,
}

impl Change {
    /// Its kind.
    pub const fn kind(&self) -> CommitKind {
        match self {
            Self::Publish(_) => CommitKind::Publish,
            Self::Update(_) => CommitKind::Update,
            Self::Withdraw => CommitKind::Withdraw,
            Self::Reinstate => CommitKind::Reinstate,
        }
    }

    /// The content that it writes, if it writes any.
    pub const fn content(&self) -> Option<&AnswerContent> {
        match self {
            Self::Publish(content) | Self::Update(content) => Some(content),
            Self::Withdraw | Self::Reinstate => None,
        }
    }
}

/// One attempt: everything that was seen when it was prepared, to be checked again
/// inside the write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Proof of who is writing; its key names the puzzle.
    pub lease: Lease,
    /// The mark of this attempt, never used before.
    pub token: CommitToken,
    /// What is to change.
    pub change: Change,
    /// The bank version that the content was rendered from.
    pub bank_version: BankVersion,
    /// The version of the page that was seen; [`ContentVersion::NONE`] without a page.
    pub content_version: ContentVersion,
    /// How many pages may be published on a day, unless its row says otherwise.
    pub daily_quota: i64,
    /// The deed of a person that this is, whose trace lands with it; `None` for a job.
    pub by: Option<Deed>,
}

impl Commit {
    /// The puzzle concerned.
    pub const fn puzzle_id(&self) -> PuzzleId {
        self.lease.key.puzzle_id()
    }
}

/// What the store read back at the end of a commit batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitReadback {
    /// Whether the page carries the attempt's token.
    pub landed: bool,
    /// The page's version now.
    pub content_version: ContentVersion,
    /// The site's revision now.
    pub revision: Revision,
    /// When the attempt landed, if it did. Nobody tells it of a rehearsal, which never did.
    pub committed_at: Option<UnixMillis>,
    /// The guard, evaluated once more. Tells why an attempt did not land; means
    /// nothing when it did.
    pub guard: Vec<(Predicate, bool)>,
}

/// How an attempt ended, as far as the store could tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitOutcome {
    /// It landed.
    Landed {
        /// The page's new version.
        content_version: ContentVersion,
        /// The site's new revision.
        revision: Revision,
    },
    /// The guard said no, and nothing was written.
    Refused {
        /// What that is called.
        outcome: Outcome,
        /// The predicates that did not hold.
        blocked_by: Vec<Predicate>,
    },
}

impl CommitReadback {
    /// Judges an attempt by what was read back, never by a count of changed rows.
    pub fn judge(self) -> CommitOutcome {
        if self.landed {
            return CommitOutcome::Landed { content_version: self.content_version, revision: self.revision };
        }
        let blocked_by: Vec<_> =
            self.guard.into_iter().filter(|(_, holds)| !holds).map(|(it, _)| it).collect();
        CommitOutcome::Refused { outcome: Predicate::refusal(&blocked_by), blocked_by }
    }
}

/// The proof that a commit happened: one row per change of published content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The attempt that landed.
    pub commit_token: CommitToken,
    /// The puzzle concerned.
    pub puzzle_id: PuzzleId,
    /// What changed.
    pub kind: CommitKind,
    /// Who wrote.
    pub owner_id: OwnerId,
    /// Under which fence.
    pub fence: Fence,
    /// The page's version after it.
    pub content_version: ContentVersion,
    /// The site's revision after it; no two receipts share one.
    pub revision: Revision,
    /// When, by the store's clock.
    pub committed_at: UnixMillis,
}

/// What is known of attempts that got no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitTrace {
    /// The store's clock.
    pub now: UnixMillis,
    /// The receipt of one of the tokens asked for: that attempt landed.
    pub receipt: Option<Receipt>,
    /// The page's version now.
    pub content_version: ContentVersion,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene;

    #[test]
    fn a_commit_that_publishes_or_updates_writes_content() {
        let content = scene::content(Some(scene::photo()));
        for kind in CommitKind::ALL {
            let change = scene::commit(kind).change;
            let writes = matches!(kind, CommitKind::Publish | CommitKind::Update);
            assert_eq!((change.kind(), change.content()), (kind, writes.then_some(&content)));
        }
    }

    #[test]
    fn an_attempt_is_judged_by_whether_it_landed_and_refused_for_what_does_not_hold() {
        let readback = |landed, guard: &[(Predicate, bool)]| CommitReadback {
            landed,
            content_version: ContentVersion::new(3),
            revision: Revision::new(8),
            committed_at: landed.then_some(UnixMillis::new(600_000)),
            guard: guard.to_vec(),
        };
        let guard =
            [(Predicate::LeaseLive, true), (Predicate::ItemDue, false), (Predicate::NotPaused, false)];
        assert_eq!(
            readback(true, &guard).judge(),
            CommitOutcome::Landed { content_version: ContentVersion::new(3), revision: Revision::new(8) }
        );
        assert_eq!(
            readback(false, &guard).judge(),
            CommitOutcome::Refused {
                outcome: Outcome::NotDue,
                blocked_by: vec![Predicate::ItemDue, Predicate::NotPaused]
            }
        );
        assert_eq!(
            readback(false, &[(Predicate::LeaseLive, true)]).judge(),
            CommitOutcome::Refused { outcome: Outcome::Conflict, blocked_by: Vec::new() }
        );
    }
}
