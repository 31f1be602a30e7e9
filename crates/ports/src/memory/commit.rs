//! The commit: the guard, the writes that depend on it, and the assertion at the end.

use fencepost_domain::{
    commit::{Change, Commit, CommitReadback, Receipt},
    guard::Predicate,
    id::PuzzleId,
    ledger::ItemState,
    page::{AnswerContent, AnswerPage},
    quota::DailyQuota,
    revision::Revision,
    time::UnixMillis,
};

use super::{
    State,
    action_log::{details, word},
    state::StoredPage,
};
use crate::{StoreError, StoreErrorKind};

impl State {
    /// Attempts `commit`. The caller throws the changes of an error away.
    pub(super) fn commit(&mut self, commit: &Commit, now: UnixMillis) -> Result<CommitReadback, StoreError> {
        if self.receipts.iter().any(|receipt| receipt.commit_token == commit.token) {
            return Err(StoreError::refused(format!("commit token {} was used before", commit.token)));
        }
        if self.guard(commit, now).into_iter().all(|(_, holds)| holds) {
            self.land(commit, now);
        }
        self.assert_consistent(commit)?;
        let id = commit.puzzle_id();
        let landed = self.pages.get(&id).filter(|stored| stored.commit_token == commit.token);
        Ok(CommitReadback {
            landed: landed.is_some(),
            committed_at: landed.map(|stored| stored.page.updated_at),
            content_version: self.content_version(id),
            revision: self.publication_revision,
            guard: self.guard(commit, now),
        })
    }

    pub(super) fn receipts_of(&self, puzzle: PuzzleId) -> impl DoubleEndedIterator<Item = &Receipt> {
        self.receipts.iter().filter(move |receipt| receipt.puzzle_id == puzzle)
    }

    fn guard(&self, commit: &Commit, now: UnixMillis) -> Vec<(Predicate, bool)> {
        let seen = self.preflight(commit.puzzle_id(), now);
        let facts = seen.guard_facts();
        let guard = commit.change.kind().guard();
        guard.iter().map(|predicate| (*predicate, predicate.holds(commit, &facts))).collect()
    }

    fn land(&mut self, commit: &Commit, now: UnixMillis) {
        let (id, kind) = (commit.puzzle_id(), commit.change.kind());
        let Some(page) = self.changed_page(commit, now) else { return };
        let content_version = page.content_version;
        self.pages.insert(id, StoredPage { page, commit_token: commit.token.clone() });
        if let Some(item) = self.items.get_mut(&id) {
            item.state = kind.state_after();
        }
        self.publication_revision = self.publication_revision.next();
        self.receipts.push(Receipt {
            commit_token: commit.token.clone(),
            puzzle_id: id,
            kind,
            owner_id: commit.lease.owner.clone(),
            fence: commit.lease.fence,
            content_version,
            revision: self.publication_revision,
            committed_at: now,
        });
        if kind.guard().contains(&Predicate::QuotaLeft) {
            self.count_published(1, commit.daily_quota, now);
        }
        if let Some(deed) = &commit.by {
            let detail = details([
                ("outcome", word(kind.outcome().as_str())),
                ("revision", Some(self.publication_revision.get().into())),
                ("version", Some(content_version.get().into())),
            ]);
            self.trace(&commit.token, deed, Some(id), detail, now);
        }
        self.release(&commit.lease, now);
    }

    /// So many pages more on this day.
    pub(super) fn count_published(&mut self, pages: i64, daily_quota: i64, now: UnixMillis) {
        if let Some(row) = DailyQuota::after(self.quota(now), pages, daily_quota) {
            self.quotas.insert(now.utc_day(), row);
        }
    }

    /// The page as `commit` leaves it; `None` when there is no page to change.
    fn changed_page(&self, commit: &Commit, now: UnixMillis) -> Option<AnswerPage> {
        let stored = self.page(commit.puzzle_id()).cloned();
        let content_version = commit.content_version.next();
        match &commit.change {
            Change::Publish(content) => Some(AnswerPage {
                content: content.clone(),
                indexable: AnswerContent::indexable(content),
                content_version,
                bank_version: commit.bank_version,
                published_at: now,
                updated_at: now,
                withdrawn_at: None,
            }),
            Change::Update(content) => stored.map(|page| AnswerPage {
                content: content.clone(),
                indexable: AnswerContent::indexable(content),
                content_version,
                bank_version: commit.bank_version,
                updated_at: now,
                ..page
            }),
            Change::Withdraw => stored.map(|page| AnswerPage {
                content_version,
                updated_at: now,
                withdrawn_at: Some(now),
                ..page
            }),
            Change::Reinstate => {
                stored.map(|page| AnswerPage { content_version, updated_at: now, withdrawn_at: None, ..page })
            }
        }
    }

    /// Whether page, item, receipt and revision agree, landed or not.
    fn assert_consistent(&self, commit: &Commit) -> Result<(), StoreError> {
        let id = commit.puzzle_id();
        let stored = self.pages.get(&id);
        let newest = self.receipts_of(id).next_back();
        let carries_token = stored.is_some_and(|it| it.commit_token == commit.token);
        let has_receipt = newest.is_some_and(|receipt| receipt.commit_token == commit.token);
        let fits = match (self.items.get(&id).map(|item| item.state), stored) {
            (Some(ItemState::Published), Some(stored)) => stored.page.withdrawn_at.is_none(),
            (Some(ItemState::Withdrawn), Some(stored)) => stored.page.withdrawn_at.is_some(),
            (Some(ItemState::Published), None) => false,
            (_, stored) => stored.is_none(),
        };
        let agrees = self.highest_revision() == self.publication_revision
            && carries_token == has_receipt
            && stored.map(|it| it.page.content_version) == newest.map(|receipt| receipt.content_version)
            && fits;
        if agrees {
            Ok(())
        } else {
            Err(StoreError::new(
                StoreErrorKind::Assertion,
                format!("puzzle {id}: page, item, receipt and revision are at odds"),
            ))
        }
    }

    fn highest_revision(&self) -> Revision {
        self.receipts.last().map_or(Revision::NONE, |receipt| receipt.revision)
    }
}
