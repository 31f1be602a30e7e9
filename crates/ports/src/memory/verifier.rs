//! The check that nothing is half published: every invariant, over the whole state.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use fencepost_domain::{
    commit::{CommitKind, Receipt},
    id::{ContentVersion, PuzzleId},
    image::{ImageKey, ImageState},
    lease::LeaseKey,
    ledger::ItemState,
};

use super::{MemoryStore, State};
use crate::{StoreError, Verifier, Violation};

#[async_trait]
impl Verifier for MemoryStore {
    async fn violations(&self) -> Result<Vec<Violation>, StoreError> {
        Ok(self.read(|state, _| state.violations()))
    }

    async fn referenced_images(
        &self,
        after: Option<ImageKey>,
        limit: u32,
    ) -> Result<Vec<ImageKey>, StoreError> {
        Ok(self.read(|state, _| {
            let shown = state.pages.values().filter_map(|stored| stored.page.content.image_key.as_ref());
            let ready = state
                .images
                .values()
                .filter(|stored| stored.image.state == ImageState::Ready)
                .filter_map(|stored| stored.image.object_key.as_ref());
            let keys: BTreeSet<_> = shown.chain(ready).collect();
            keys.into_iter()
                .filter(|key| after.as_ref().is_none_or(|after| *key > after))
                .take(limit as usize)
                .cloned()
                .collect()
        }))
    }
}

impl State {
    fn violations(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        self.check_revisions(&mut found);
        self.check_quotas(&mut found);
        self.check_results(&mut found);
        for id in self.known_puzzles() {
            self.check_item(id, &mut found);
            self.check_page(id, &mut found);
            self.check_receipts(id, &mut found);
        }
        found.sort();
        found
    }

    /// Every puzzle that any table names.
    fn known_puzzles(&self) -> BTreeSet<PuzzleId> {
        let ids = self.puzzles.keys().chain(self.items.keys()).chain(self.pages.keys());
        ids.copied().chain(self.receipts.iter().map(|receipt| receipt.puzzle_id)).collect()
    }

    fn check_revisions(&self, found: &mut Vec<Violation>) {
        let revisions: Vec<_> = self.receipts.iter().map(|receipt| receipt.revision.get()).collect();
        let expected: Vec<_> = (1..=self.publication_revision.get()).collect();
        expect(found, "revisions_not_dense", "site", revisions == expected, || {
            format!("receipts carry the revisions {revisions:?}, expected {expected:?}")
        });
    }

    fn check_quotas(&self, found: &mut Vec<Violation>) {
        let mut published: BTreeMap<_, i64> = self.quotas.keys().map(|day| (*day, 0)).collect();
        for receipt in self.receipts.iter().filter(|receipt| receipt.kind == CommitKind::Publish) {
            *published.entry(receipt.committed_at.utc_day()).or_default() += 1;
        }
        for (day, expected) in published {
            let counted = self.quotas.get(&day).map_or(0, |quota| quota.published);
            expect(found, "quota_miscounted", format!("day {}", day.get()), counted == expected, || {
                format!("the day counts {counted} published pages, its receipts {expected}")
            });
        }
    }

    fn check_results(&self, found: &mut Vec<Violation>) {
        for (id, sessions) in &self.results {
            let mut slots: Vec<_> = sessions.values().map(|stored| stored.slot.get()).collect();
            slots.sort_unstable();
            expect(
                found,
                "results_not_dense",
                subject(*id),
                slots.iter().copied().eq(1..=count(&slots)),
                || format!("results carry the slots {slots:?}"),
            );
        }
    }

    fn check_item(&self, id: PuzzleId, found: &mut Vec<Violation>) {
        let page = self.page(id);
        let (Some(puzzle), Some(item)) = (self.puzzle(id), self.items.get(&id)) else {
            let rule = if page.is_some() { "page_without_item" } else { "puzzle_without_item" };
            return expect(found, rule, subject(id), false, || "it will never be published".to_owned());
        };
        expect(found, "due_before_end_of_play", subject(id), item.due_at >= puzzle.playable_until, || {
            format!("the answer is due at {}, play ends at {}", item.due_at, puzzle.playable_until)
        });
        let missing: Vec<_> =
            self.instants_of(id).into_iter().filter(|instant| !self.instants.contains(instant)).collect();
        expect(found, "instant_not_in_calendar", subject(id), missing.is_empty(), || {
            format!("its answer changes at {missing:?}, which the calendar does not have")
        });
        let fits = match item.state {
            ItemState::Published => page.is_some_and(|page| page.withdrawn_at.is_none()),
            ItemState::Withdrawn => page.is_none_or(|page| page.withdrawn_at.is_some()),
            ItemState::Scheduled | ItemState::Processing | ItemState::Blocked => page.is_none(),
        };
        expect(found, "item_does_not_fit_page", subject(id), fits, || {
            format!("the item is {}, the page at version {}", item.state.as_str(), self.content_version(id))
        });
        let early = page.filter(|page| page.published_at < item.due_at);
        expect(found, "published_early", subject(id), early.is_none(), || {
            format!("the page was published before {}", item.due_at)
        });
    }

    fn check_page(&self, id: PuzzleId, found: &mut Vec<Violation>) {
        let receipts: Vec<&Receipt> = self.receipts_of(id).collect();
        let Some(stored) = self.pages.get(&id) else {
            return expect(found, "receipt_without_page", subject(id), receipts.is_empty(), || {
                format!("{} receipts have no page", receipts.len())
            });
        };
        let page = &stored.page;
        let version = page.content_version;
        let fits = receipts.last().is_some_and(|newest| {
            newest.commit_token == stored.commit_token && newest.content_version == version
        });
        let counted = count(&receipts) == version.get();
        expect(found, "page_does_not_fit_receipts", subject(id), fits && counted, || {
            format!("the page is at version {version}, but has {} receipts", receipts.len())
        });
        let has_photo = page.content.image_key.is_some();
        expect(found, "indexable_without_photo", subject(id), page.indexable == has_photo, || {
            format!("indexable is {}, a photo is there is {has_photo}", page.indexable)
        });
    }

    fn check_receipts(&self, id: PuzzleId, found: &mut Vec<Violation>) {
        let receipts: Vec<&Receipt> = self.receipts_of(id).collect();
        let first = ContentVersion::NONE.next();
        let once = receipts
            .iter()
            .all(|receipt| (receipt.kind == CommitKind::Publish) == (receipt.content_version == first));
        expect(found, "published_not_once", subject(id), once, || {
            "the first receipt, and no other, tells of a publication".to_owned()
        });
        let rising = receipts.is_sorted_by_key(|receipt| receipt.fence);
        expect(found, "fence_fell", subject(id), rising, || {
            "a later receipt has a lower fence than an earlier one".to_owned()
        });
        let highest = receipts.iter().map(|receipt| receipt.fence).max();
        let held = self.lease(LeaseKey::Publication(id)).map(|row| row.fence);
        expect(found, "lease_fence_fell", subject(id), highest <= held, || {
            format!("the lease is at fence {held:?}, but a receipt has {highest:?}")
        });
    }
}

fn count<T>(things: &[T]) -> i64 {
    i64::try_from(things.len()).expect("rows fit into memory")
}

fn subject(id: PuzzleId) -> String {
    format!("puzzle {id}")
}

fn expect(
    found: &mut Vec<Violation>,
    rule: &str,
    subject: impl Into<String>,
    holds: bool,
    detail: impl FnOnce() -> String,
) {
    if !holds {
        found.push(Violation { rule: rule.to_owned(), subject: subject.into(), detail: detail() });
    }
}

#[cfg(test)]
mod tests {
    use fencepost_domain::{
        id::{BankVersion, CommitToken, Fence, OwnerId},
        image::ImageFormat,
        ledger::Item,
        page::{AnswerContent, AnswerPage},
        puzzle::{Puzzle, Schedule},
        quota::DailyQuota,
        results::{GameOutcome, GameResult, SessionId, Slot},
        revision::Revision,
        time::{PlayDate, UnixMillis},
    };

    use super::*;
    use crate::memory::state::{StoredPage, StoredPuzzle, StoredResult};

    fn id() -> PuzzleId {
        PuzzleId::try_from(7).unwrap()
    }

    /// A site with one published page.
    fn sound() -> State {
        let play_date: PlayDate = "2026-11-28".parse().unwrap();
        let schedule = Schedule::of(play_date, 0);
        let due_at = schedule.due_at;
        let image_key = Some(ImageKey::new([7; 32], ImageFormat::Png));
        let mut state = State::default();
        let puzzle = Puzzle {
            puzzle_id: id(),
            play_date,
            opens_at: schedule.opens_at,
            playable_until: schedule.playable_until,
            name: "A teapot".to_owned(),
            price_cents: 1899,
            description: String::new(),
            image_url: None,
            bank_version: BankVersion::FIRST,
        };
        state.puzzles.insert(id(), StoredPuzzle { puzzle, edit_token: CommitToken::new("e1") });
        state.items.insert(id(), Item { state: ItemState::Published, ..Item::scheduled(due_at) });
        state.record_instants(id());
        let content = AnswerContent {
            play_date,
            name: "A teapot".to_owned(),
            price_cents: 1899,
            body_html: String::new(),
            image_key,
        };
        let page = AnswerPage {
            indexable: content.indexable(),
            content,
            content_version: ContentVersion::new(1),
            bank_version: BankVersion::FIRST,
            published_at: due_at,
            updated_at: due_at,
            withdrawn_at: None,
        };
        state.pages.insert(id(), StoredPage { page, commit_token: CommitToken::new("c1") });
        state.receipts.push(Receipt {
            commit_token: CommitToken::new("c1"),
            puzzle_id: id(),
            kind: CommitKind::Publish,
            owner_id: OwnerId::new("ada"),
            fence: Fence::new(3),
            content_version: ContentVersion::new(1),
            revision: Revision::new(1),
            committed_at: due_at,
        });
        state.publication_revision = Revision::new(1);
        state.quotas.insert(due_at.utc_day(), DailyQuota { published: 1, quota: 1 });
        let row = fencepost_domain::lease::LeaseRow {
            owner: OwnerId::new("ada"),
            fence: Fence::new(3),
            expires_at: UnixMillis::new(0),
        };
        state.set_lease(LeaseKey::Publication(id()), row, due_at);
        state
    }

    /// Spoils a sound state, and checks which rules say so.
    fn check(spoil: impl FnOnce(&mut State), expected: &[&str]) {
        let mut state = sound();
        spoil(&mut state);
        let found = state.violations();
        let rules: Vec<_> = found.iter().map(|violation| violation.rule.as_str()).collect();
        assert_eq!(rules, expected, "{found:?}");
    }

    fn page(state: &mut State) -> &mut StoredPage {
        state.pages.get_mut(&id()).unwrap()
    }

    fn item(state: &mut State) -> &mut Item {
        state.items.get_mut(&id()).unwrap()
    }

    fn again(state: &mut State, change: impl FnOnce(&mut Receipt)) {
        let mut receipt = state.receipts[0].clone();
        receipt.kind = CommitKind::Update;
        receipt.content_version = ContentVersion::new(2);
        receipt.revision = Revision::new(2);
        change(&mut receipt);
        state.publication_revision = receipt.revision;
        page(state).page.content_version = receipt.content_version;
        state.receipts.push(receipt);
    }

    /// Stores results in these slots, each of a session of its own.
    fn results(state: &mut State, slots: &[i64]) {
        let result = GameResult::new(GameOutcome::Won, 1).unwrap();
        let sessions = slots.iter().zip('a'..).map(|(slot, letter)| {
            let session: SessionId = letter.to_string().repeat(16).parse().unwrap();
            let created_at = UnixMillis::new(0);
            (session, StoredResult { slot: Slot::new(*slot), result, report_token: None, created_at })
        });
        state.results.insert(id(), sessions.collect());
    }

    #[test]
    fn every_rule_is_broken_by_what_it_is_about() {
        check(|_| (), &[]);
        check(|state| again(state, |_| ()), &[]);
        check(|state| state.publication_revision = Revision::new(2), &["revisions_not_dense"]);
        check(|state| state.quotas.clear(), &["quota_miscounted"]);
        check(|state| state.quotas.values_mut().for_each(|quota| quota.published = 2), &["quota_miscounted"]);
        check(|state| drop(state.items.remove(&id())), &["page_without_item"]);
        check(|state| item(state).state = ItemState::Scheduled, &["item_does_not_fit_page"]);
        check(|state| item(state).state = ItemState::Withdrawn, &["item_does_not_fit_page"]);
        check(|state| page(state).page.withdrawn_at = Some(UnixMillis::new(1)), &["item_does_not_fit_page"]);
        let moved = |by: i64| {
            move |state: &mut State| {
                item(state).due_at = item(state).due_at.plus(by);
                state.record_instants(id());
            }
        };
        check(moved(1), &["published_early"]);
        check(moved(-1), &["due_before_end_of_play"]);
        for forgotten in sound().instants {
            check(|state| assert!(state.instants.remove(&forgotten)), &["instant_not_in_calendar"]);
        }
        check(|state| drop(state.pages.remove(&id())), &["item_does_not_fit_page", "receipt_without_page"]);
        check(
            |state| {
                state.receipts.clear();
                state.quotas.clear();
                state.publication_revision = Revision::NONE;
            },
            &["page_does_not_fit_receipts"],
        );
        check(|state| page(state).commit_token = CommitToken::new("other"), &["page_does_not_fit_receipts"]);
        check(
            |state| page(state).page.content_version = ContentVersion::new(2),
            &["page_does_not_fit_receipts"],
        );
        check(|state| page(state).page.indexable = false, &["indexable_without_photo"]);
        check(
            |state| again(state, |receipt| receipt.kind = CommitKind::Publish),
            &["published_not_once", "quota_miscounted"],
        );
        check(|state| again(state, |receipt| receipt.fence = Fence::new(2)), &["fence_fell"]);
        check(|state| again(state, |receipt| receipt.fence = Fence::new(4)), &["lease_fence_fell"]);
        check(|state| state.leases.clear(), &["lease_fence_fell"]);
        check(|state| results(state, &[2, 1, 3]), &[]);
        for slots in [&[2][..], &[1, 3], &[1, 1]] {
            check(|state| results(state, slots), &["results_not_dense"]);
        }
    }
}
