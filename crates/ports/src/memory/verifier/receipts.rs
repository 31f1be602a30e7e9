//! Receipts number every change of the site, and tell a story of each puzzle that can have
//! happened.

use std::collections::BTreeSet;

use fencepost_domain::{
    commit::{CommitKind, Receipt},
    id::{ContentVersion, PuzzleId},
    lease::LeaseKey,
    ledger::ItemState,
};

use super::{expect, row_of, subject};
use crate::{StoredRow, Violation, memory::State};

impl State {
    pub(super) fn check_revisions(&self, found: &mut Vec<Violation>) {
        let known: BTreeSet<_> = self.receipts.iter().map(|receipt| receipt.revision.get()).collect();
        let site = self.publication_revision.get();
        let mut low = 1;
        while low <= site {
            let high = (low..=site).find(|revision| known.contains(revision)).map_or(site, |next| next - 1);
            self.check_gap(low, high, found);
            low = high + 2;
        }
        for receipt in &self.receipts {
            let reached = (1..=site).contains(&receipt.revision.get());
            let rows = [row_of(receipt), StoredRow::new("site_state", 1)];
            expect(found, "revision_surplus", &subject(receipt.puzzle_id), &rows, reached, || {
                format!("a receipt has revision {}, and the site is at revision {site}", receipt.revision)
            });
        }
    }

    /// The revisions from `low` to `high` have no receipt; there may be none of them.
    fn check_gap(&self, low: i64, high: i64, found: &mut Vec<Violation>) {
        let affected = self.pages.keys().filter(|id| self.has_hole(**id, low, high));
        let mut rows: Vec<_> = affected.map(|id| StoredRow::new("answer_posts", id)).collect();
        if rows.is_empty() {
            rows.push(StoredRow::new("site_state", 1));
        }
        let subject =
            if low == high { format!("revision {low}") } else { format!("revisions {low} to {high}") };
        expect(found, "revision_missing", &subject, &rows, high < low, || {
            "the site has got further, and no receipt tells of it".to_owned()
        });
    }

    /// Whether a version of the page has no receipt, although it has to have had one of the
    /// revisions from `low` to `high`.
    fn has_hole(&self, id: PuzzleId, low: i64, high: i64) -> bool {
        let end = (self.content_version(id).get() + 1, self.publication_revision.get() + 1);
        let receipts = self.story_of(id).into_iter();
        let told = receipts.map(|receipt| (receipt.content_version.get(), receipt.revision.get()));
        let steps: Vec<_> = std::iter::once((0, 0)).chain(told).chain([end]).collect();
        steps.windows(2).any(|pair| {
            let [(version, revision), (next_version, next_revision)] = [pair[0], pair[1]];
            next_version > version + 1 && revision < high && next_revision > low
        })
    }

    /// The receipts of a puzzle, in the order of their versions.
    pub(super) fn story_of(&self, id: PuzzleId) -> Vec<&Receipt> {
        let mut receipts: Vec<_> = self.receipts_of(id).collect();
        receipts.sort_by_key(|receipt| receipt.content_version);
        receipts
    }

    pub(super) fn check_receipts(&self, id: PuzzleId, found: &mut Vec<Violation>) {
        let receipts = self.story_of(id);
        let subject = subject(id);
        let versions: Vec<_> = receipts.iter().map(|receipt| receipt.content_version.get()).collect();
        let rows: Vec<_> = receipts.iter().map(|receipt| row_of(receipt)).collect();
        let dense = (1..).zip(&versions).all(|(expected, version)| expected == *version);
        expect(found, "versions_not_dense", &subject, &rows, dense, || {
            format!("the receipts are of the versions {versions:?}")
        });
        for receipt in &receipts {
            let first = receipt.content_version == ContentVersion::NONE.next();
            let once = (receipt.kind == CommitKind::Publish) == first;
            expect(found, "published_not_once", &subject, &[row_of(receipt)], once, || {
                "the first receipt, and no other, tells of a publication".to_owned()
            });
            self.check_embargo(receipt, found);
        }
        for pair in
            receipts.windows(2).filter(|pair| pair[0].content_version.next() == pair[1].content_version)
        {
            check_pair(pair[0], pair[1], found);
        }
        self.check_lease(id, &receipts, found);
    }

    fn check_embargo(&self, receipt: &Receipt, found: &mut Vec<Violation>) {
        let id = receipt.puzzle_id;
        let Some(item) = self.items.get(&id).filter(|_| receipt.kind == CommitKind::Publish) else { return };
        let rows = [row_of(receipt), StoredRow::new("publication_items", id)];
        expect(found, "published_early", &subject(id), &rows, receipt.committed_at >= item.due_at, || {
            format!("the page was published at {}, due at {}", receipt.committed_at, item.due_at)
        });
    }

    fn check_lease(&self, id: PuzzleId, receipts: &[&Receipt], found: &mut Vec<Violation>) {
        let Some(highest) = receipts.iter().max_by_key(|receipt| receipt.fence) else { return };
        let key = LeaseKey::Publication(id);
        let held = self.lease(key).map(|row| row.fence);
        let rows = [StoredRow::new("job_leases", key), row_of(highest)];
        expect(found, "lease_fence_fell", &subject(id), &rows, Some(highest.fence) <= held, || {
            format!("the lease is at fence {held:?}, but a receipt has {}", highest.fence)
        });
    }
}

/// Two receipts of a puzzle, one after the other.
fn check_pair(earlier: &Receipt, later: &Receipt, found: &mut Vec<Violation>) {
    let subject = subject(later.puzzle_id);
    let rows = [row_of(earlier), row_of(later)];
    let version = later.content_version;
    expect(found, "revision_fell", &subject, &rows, earlier.revision <= later.revision, || {
        format!("version {version} has a lower revision than the version before it")
    });
    expect(found, "fence_fell", &subject, &rows, earlier.fence <= later.fence, || {
        format!("version {version} has a lower fence than the version before it")
    });
    // That a page is not published again is a rule of its own.
    let before = later.kind.state_before();
    let follows = before == ItemState::Processing || before == earlier.kind.state_after();
    expect(found, "kind_out_of_order", &subject, &rows, follows, || {
        format!("a page is {} and cannot be changed so", earlier.kind.state_after().as_str())
    });
}
