//! The check that nothing is half published: every invariant, over the whole state.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use fencepost_domain::{
    commit::{CommitKind, Receipt},
    id::PuzzleId,
    image::{ImageKey, ImageState},
    outbox::{Event, Subject},
};

use super::{
    MemoryStore, State,
    state::{StoredEpisode, StoredEvent},
};
use crate::{ReferencedImage, Schema, StoreError, StoredRow, Verifier, Violation};

mod pages;

mod receipts;

#[cfg(test)]
mod tests;

#[async_trait]
impl Verifier for MemoryStore {
    async fn violations(&self) -> Result<Vec<Violation>, StoreError> {
        Ok(self.read(|state, _| state.violations()))
    }

    async fn referenced_images(
        &self,
        after: Option<ImageKey>,
        limit: u32,
    ) -> Result<Vec<ReferencedImage>, StoreError> {
        Ok(self.read(|state, _| {
            let mut needed: BTreeMap<&ImageKey, Vec<StoredRow>> = BTreeMap::new();
            for (key, row) in state.references() {
                needed.entry(key).or_default().push(row);
            }
            needed
                .into_iter()
                .filter(|(key, _)| after.as_ref().is_none_or(|after| *key > after))
                .take(limit as usize)
                .map(|(key, rows)| ReferencedImage { key: key.clone(), rows })
                .collect()
        }))
    }

    /// It has no tables that could be of another version.
    async fn schema(&self) -> Result<Schema, StoreError> {
        Ok(Schema::default())
    }
}

impl State {
    fn violations(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        self.check_revisions(&mut found);
        self.check_quotas(&mut found);
        self.check_results(&mut found);
        self.check_outbox(&mut found);
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

    /// The photos of pages, and those that are ready, each with the row that refers to it.
    fn references(&self) -> impl Iterator<Item = (&ImageKey, StoredRow)> {
        let shown = self.pages.iter().filter_map(|(id, stored)| {
            Some((stored.page.content.image_key.as_ref()?, StoredRow::new("answer_posts", id)))
        });
        let ready = self.images.iter().filter(|(_, stored)| stored.image.state == ImageState::Ready);
        let ready = ready.filter_map(|(id, stored)| {
            Some((stored.image.object_key.as_ref()?, StoredRow::new("source_images", id)))
        });
        shown.chain(ready)
    }

    fn check_quotas(&self, found: &mut Vec<Violation>) {
        let mut published: BTreeMap<_, i64> = self.quotas.keys().map(|day| (*day, 0)).collect();
        for receipt in self.receipts.iter().filter(|receipt| receipt.kind == CommitKind::Publish) {
            *published.entry(receipt.committed_at.utc_day()).or_default() += 1;
        }
        for (day, expected) in published {
            let row = [StoredRow::new("daily_quotas", day.get())];
            let subject = format!("day {}", day.get());
            let quota = self.quotas.get(&day);
            let counted = quota.map_or(0, |quota| quota.published);
            expect(found, "quota_miscounted", &subject, &row, counted == expected, || {
                format!("the day counts {counted} published pages, its receipts {expected}")
            });
            let kept = quota.is_none_or(|quota| quota.published <= quota.quota);
            expect(found, "quota_exceeded", &subject, &row, kept, || {
                format!("the day counts {counted} published pages, more than its quota")
            });
        }
    }

    fn check_outbox(&self, found: &mut Vec<Violation>) {
        let happened = self.receipts.iter().map(Event::of);
        let edges = self.episodes.iter().flat_map(StoredEpisode::events);
        let happened: Vec<_> = happened.chain(edges).collect();
        for StoredEvent { entry, .. } in &self.outbox {
            let subject = format!("event {}", entry.event.event_id);
            let row = [StoredRow::new("outbox", entry.number)];
            let (rule, is_passed) = match &entry.event.subject {
                Subject::Page(page) => {
                    ("event_not_of_receipt", self.outbox_cursor.is_some_and(|it| it >= page.revision))
                }
                Subject::Alert(_) => ("event_not_of_alert", true),
            };
            expect(found, rule, &subject, &row, happened.contains(&entry.event), || {
                "nothing of the sort has happened".to_owned()
            });
            expect(found, "event_ahead_of_cursor", &subject, &row, is_passed, || {
                "the cursor has not passed its receipt".to_owned()
            });
        }
        let is_behind = self.outbox_cursor.is_none_or(|cursor| cursor <= self.publication_revision);
        let row = [StoredRow::new("outbox_cursor", 1)];
        expect(found, "outbox_cursor_ahead", "site", &row, is_behind, || {
            "the outbox has looked at receipts that there are not".to_owned()
        });
    }

    fn check_results(&self, found: &mut Vec<Violation>) {
        for (id, sessions) in &self.results {
            let mut slots: Vec<_> = sessions.values().map(|stored| stored.slot.get()).collect();
            slots.sort_unstable();
            let dense = slots.iter().copied().eq(1..=count(&slots));
            let row = [StoredRow::new("puzzles", id)];
            expect(found, "results_not_dense", &subject(*id), &row, dense, || {
                format!("results carry the slots {slots:?}")
            });
        }
    }
}

fn count<T>(things: &[T]) -> i64 {
    i64::try_from(things.len()).expect("rows fit into memory")
}

fn subject(id: PuzzleId) -> String {
    format!("puzzle {id}")
}

/// The row of a receipt.
fn row_of(receipt: &Receipt) -> StoredRow {
    StoredRow::new("commit_receipts", &receipt.commit_token)
}

fn expect(
    found: &mut Vec<Violation>,
    rule: &str,
    subject: &str,
    rows: &[StoredRow],
    holds: bool,
    detail: impl FnOnce() -> String,
) {
    if !holds {
        let mut rows = rows.to_vec();
        rows.sort();
        found.push(Violation { rule: rule.to_owned(), subject: subject.to_owned(), detail: detail(), rows });
    }
}
