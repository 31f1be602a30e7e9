//! Puzzle, item, page and receipts of one puzzle say the same.

use std::collections::BTreeSet;

use fencepost_domain::{
    commit::{CommitKind, Receipt},
    id::{ContentVersion, PuzzleId},
    ledger::ItemState,
    page::AnswerPage,
};

use super::{expect, row_of, subject};
use crate::{StoredRow, Violation, memory::State};

impl State {
    pub(super) fn check_item(&self, id: PuzzleId, found: &mut Vec<Violation>) {
        let page = self.page(id);
        let row = |table| StoredRow::new(table, id);
        let (Some(puzzle), Some(item)) = (self.puzzle(id), self.items.get(&id)) else {
            let (rule, table) = match page {
                Some(_) => ("page_without_item", "answer_posts"),
                None => ("puzzle_without_item", "puzzles"),
            };
            let rows = [row(table), row("publication_items")];
            return expect(found, rule, &subject(id), &rows, false, || "there is no item".to_owned());
        };
        let rows = [row("publication_items"), row("puzzles")];
        let late_enough = item.due_at >= puzzle.playable_until;
        expect(found, "due_before_end_of_play", &subject(id), &rows, late_enough, || {
            format!("the answer is due at {}, play ends at {}", item.due_at, puzzle.playable_until)
        });
        for instant in BTreeSet::from_iter(self.instants_of(id)) {
            let rows = [row("puzzles"), StoredRow::new("visibility_instants", instant.get())];
            let known = self.instants.contains(&instant);
            expect(found, "instant_not_in_calendar", &subject(id), &rows, known, || {
                format!("its answer changes at {instant}, which the calendar does not have")
            });
        }
        let fits = match item.state {
            ItemState::Published => page.is_some_and(|page| page.withdrawn_at.is_none()),
            ItemState::Withdrawn => page.is_none_or(|page| page.withdrawn_at.is_some()),
            ItemState::Scheduled | ItemState::Processing | ItemState::Blocked => page.is_none(),
        };
        let rows = [row("publication_items"), row("answer_posts")];
        expect(found, "item_does_not_fit_page", &subject(id), &rows, fits, || {
            format!("the item is {}, the page at version {}", item.state.as_str(), self.content_version(id))
        });
    }

    pub(super) fn check_page(&self, id: PuzzleId, found: &mut Vec<Violation>) {
        let receipts = self.story_of(id);
        let page_row = StoredRow::new("answer_posts", id);
        let Some(stored) = self.pages.get(&id) else {
            for receipt in receipts {
                let rows = [row_of(receipt), page_row.clone()];
                expect(found, "receipt_without_page", &subject(id), &rows, false, || {
                    format!("the receipt of revision {} has no page", receipt.revision)
                });
            }
            return;
        };
        let page = &stored.page;
        let newest = receipts.last().copied();
        let fits = newest.is_some_and(|newest| {
            newest.commit_token == stored.commit_token && newest.content_version == page.content_version
        });
        let rows: Vec<_> = [page_row.clone()].into_iter().chain(newest.map(row_of)).collect();
        expect(found, "page_does_not_fit_receipts", &subject(id), &rows, fits, || {
            format!("the page is at version {}, and has {} receipts", page.content_version, receipts.len())
        });
        let has_photo = page.content.image_key.is_some();
        expect(
            found,
            "indexable_without_photo",
            &subject(id),
            &[page_row],
            page.indexable == has_photo,
            || format!("indexable is {}, a photo is there is {has_photo}", page.indexable),
        );
        if let Some(newest) = newest {
            check_times(page, &receipts, newest, found);
        }
    }
}

/// The instants of a page are those of its receipts.
fn check_times(page: &AnswerPage, receipts: &[&Receipt], newest: &Receipt, found: &mut Vec<Violation>) {
    let id = newest.puzzle_id;
    let rows = |receipt| [StoredRow::new("answer_posts", id), row_of(receipt)];
    let first = receipts.iter().find(|receipt| receipt.content_version == ContentVersion::NONE.next());
    if let Some(first) = first {
        let fits = page.published_at == first.committed_at;
        expect(found, "published_at_does_not_fit_receipt", &subject(id), &rows(first), fits, || {
            format!("published_at is {}, and the first receipt of {}", page.published_at, first.committed_at)
        });
    }
    let fits = page.updated_at == newest.committed_at;
    expect(found, "updated_at_does_not_fit_receipt", &subject(id), &rows(newest), fits, || {
        format!("updated_at is {}, and the newest receipt of {}", page.updated_at, newest.committed_at)
    });
    let expected = (newest.kind == CommitKind::Withdraw).then_some(newest.committed_at);
    let fits = page.withdrawn_at == expected;
    expect(found, "withdrawn_at_does_not_fit_receipt", &subject(id), &rows(newest), fits, || {
        format!("withdrawn_at is {:?}, and by the newest receipt it is {expected:?}", page.withdrawn_at)
    });
}
