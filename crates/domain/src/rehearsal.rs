//! A publication that is tried and leaves no trace.
//!
//! It is the claim and the commit of one item, with everything that both would carry. A
//! store runs them as it would in earnest, tells what came of it, and undoes it all.

use crate::{
    commit::{Change, Commit},
    id::{BankVersion, CommitToken, ContentVersion},
    lease::{self, Lease},
    page::AnswerContent,
    preflight::{Begin, Preflight},
};

/// A publication that is to be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rehearsal {
    /// The claim.
    pub begin: Begin,
    /// The lease that the claim will get, unless somebody changes it before.
    pub lease: Lease,
    /// The mark of this attempt, never used before.
    pub token: CommitToken,
    /// What the page would show.
    pub content: AnswerContent,
    /// The bank version that the content was rendered from.
    pub bank_version: BankVersion,
    /// The version of the page that was seen.
    pub content_version: ContentVersion,
    /// How many pages may be published on a day, unless its row says otherwise.
    pub daily_quota: i64,
    /// How many publications of the same day were tried before it, and would count.
    pub earlier: i64,
}

impl Rehearsal {
    /// The publication of what was seen, as the first of its day; `None` if nothing is there
    /// that could be claimed.
    pub fn of(
        seen: &Preflight,
        begin: Begin,
        token: CommitToken,
        content: AnswerContent,
        daily_quota: i64,
    ) -> Option<Self> {
        let puzzle = seen.puzzle.as_ref()?;
        seen.item.as_ref().filter(|item| begin.may_take(item, seen.catch_up, seen.now))?;
        let row = lease::claim(seen.lease.as_ref(), &begin.owner, seen.now, begin.ttl_ms)?;
        Some(Self {
            lease: Lease { key: begin.key(), owner: row.owner, fence: row.fence, expires_at: row.expires_at },
            begin,
            token,
            content,
            bank_version: puzzle.bank_version,
            content_version: seen.content_version(),
            daily_quota,
            earlier: 0,
        })
    }

    /// The same after so many others of its day.
    #[must_use]
    pub fn after(self, earlier: i64) -> Self {
        Self { earlier, ..self }
    }

    /// The commit.
    pub fn commit(&self) -> Commit {
        Commit {
            lease: self.lease.clone(),
            token: self.token.clone(),
            change: Change::Publish(self.content.clone()),
            bank_version: self.bank_version,
            content_version: self.content_version,
            daily_quota: self.daily_quota,
            by: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        commit::CommitKind,
        id::{Fence, OwnerId},
        ledger::ItemState,
        scene,
    };

    fn rehearsal(seen: &Preflight, owner: &str) -> Option<Rehearsal> {
        let begin = Begin {
            puzzle_id: scene::puzzle_id(),
            owner: OwnerId::new(owner),
            ttl_ms: 180_000,
            by_hand: false,
        };
        let content = scene::content(Some(scene::photo()));
        Rehearsal::of(seen, begin, CommitToken::new("token"), content, 10)
    }

    #[test]
    fn the_commit_is_that_of_whoever_has_claimed() {
        let seen = scene::seen(CommitKind::Publish);
        let mine = rehearsal(&seen, "me").unwrap();
        let expected = scene::commit(CommitKind::Publish);
        let lease = Lease { expires_at: seen.now.plus(180_000), ..expected.lease.clone() };
        assert_eq!(mine.commit(), Commit { lease, ..expected });
        assert_eq!((mine.earlier, mine.after(3).earlier), (0, 3));

        let mut expired = seen.clone();
        expired.lease.as_mut().unwrap().expires_at = seen.now;
        assert_eq!(rehearsal(&expired, "you").unwrap().lease.fence, Fence::new(5), "it changes hands");
    }

    #[test]
    fn what_cannot_be_claimed_is_not_tried() {
        let seen = scene::seen(CommitKind::Publish);
        assert_eq!(rehearsal(&seen, "you"), None, "somebody else has it in hand");
        let mut early = seen.clone();
        early.now = early.now.plus(-1);
        assert_eq!(rehearsal(&early, "me"), None);
        let mut blocked = seen.clone();
        blocked.item.as_mut().unwrap().state = ItemState::Blocked;
        assert_eq!(rehearsal(&blocked, "me"), None);
        assert_eq!(rehearsal(&Preflight { item: None, ..seen.clone() }, "me"), None);
        assert_eq!(rehearsal(&Preflight { puzzle: None, ..seen }, "me"), None);
    }
}
