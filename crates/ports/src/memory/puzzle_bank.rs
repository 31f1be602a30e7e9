//! The bank: imports as a whole or not at all.

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use fencepost_domain::{
    action::ActionKind,
    id::{BankVersion, CommitToken, PuzzleId},
    ledger::Item,
    puzzle::{Puzzle, PuzzleRow, Schedule},
    time::{PlayDate, UnixMillis},
};

use super::{
    MemoryStore, State,
    action_log::details,
    state::{StoredEdit, StoredPuzzle},
};
use crate::{BankEdit, ImportReadback, PuzzleBank, RefusedRow, RowRefusal, StoreError};

#[async_trait]
impl PuzzleBank for MemoryStore {
    async fn import(&self, edit: &BankEdit) -> Result<ImportReadback, StoreError> {
        self.write(|state, now| {
            if state.bank_edits.contains_key(&edit.token) {
                return Err(StoreError::refused(format!("edit token {} was used before", edit.token)));
            }
            let taken = state.dates_without(edit);
            let mut refused: Vec<_> = edit.rows.iter().flat_map(|row| state.refusals(row, &taken)).collect();
            refused.sort_by_key(|row| row.puzzle_id);
            if !refused.is_empty() {
                let bank_revision = state.bank_revision;
                return Ok(ImportReadback { inserted: 0, updated: 0, unchanged: 0, bank_revision, refused });
            }
            let number = state.bank_edits.values().map(|edit| edit.number).max().unwrap_or(0) + 1;
            let mut counts = StoredEdit { number, inserted: 0, updated: 0, unchanged: 0, edited_at: now };
            for row in &edit.rows {
                match state.put(row, edit) {
                    Put::Inserted => counts.inserted += 1,
                    Put::Updated => counts.updated += 1,
                    Put::Unchanged => {
                        counts.unchanged += 1;
                        continue;
                    }
                }
                state.record_instants(row.puzzle_id);
            }
            state.bank_revision += i64::from(counts.inserted + counts.updated > 0);
            state.bank_edits.insert(edit.token.clone(), counts);
            if counts.inserted + counts.updated > 0 {
                let edited = edit.edits.and_then(|edited| state.puzzle(edited));
                let puzzle_id = edited.map(|puzzle| puzzle.puzzle_id);
                let (kind, detail) = match edited {
                    Some(puzzle) => {
                        let version = puzzle.bank_version.get();
                        (ActionKind::Edit, details([("bank_version", Some(version.into()))]))
                    }
                    None => {
                        let counted = [
                            ("inserted", Some(counts.inserted.into())),
                            ("unchanged", Some(counts.unchanged.into())),
                            ("updated", Some(counts.updated.into())),
                        ];
                        (ActionKind::Import, details(counted))
                    }
                };
                state.trace(&edit.token, &edit.by.does(kind), puzzle_id, detail, now);
            }
            Ok(state.readback(counts))
        })
    }

    async fn stored(&self, puzzles: &[PuzzleId]) -> Result<Vec<Puzzle>, StoreError> {
        let wanted: BTreeSet<_> = puzzles.iter().collect();
        Ok(self.read(|state, _| wanted.into_iter().filter_map(|id| state.puzzle(*id)).cloned().collect()))
    }

    async fn trace_import(&self, token: &CommitToken) -> Result<Option<ImportReadback>, StoreError> {
        Ok(self.read(|state, _| state.bank_edits.get(token).map(|counts| state.readback(*counts))))
    }
}

enum Put {
    Inserted,
    Updated,
    Unchanged,
}

impl State {
    /// The dates of all puzzles that `edit` does not write: the others may trade theirs.
    fn dates_without(&self, edit: &BankEdit) -> BTreeMap<PlayDate, PuzzleId> {
        let written: BTreeSet<_> = edit.rows.iter().map(|row| row.puzzle_id).collect();
        let kept = self.puzzles.values().filter(|stored| !written.contains(&stored.puzzle.puzzle_id));
        kept.map(|stored| (stored.puzzle.play_date, stored.puzzle.puzzle_id)).collect()
    }

    /// Every reason for which the bank does not take `row`.
    fn refusals(&self, row: &PuzzleRow, taken: &BTreeMap<PlayDate, PuzzleId>) -> Vec<RefusedRow> {
        let stored = self.puzzle(row.puzzle_id);
        let version = stored.map(|puzzle| puzzle.bank_version);
        let stale = row
            .expected_version
            .is_some_and(|expected| expected.get() != version.map_or(0, BankVersion::get));
        let moves = stored.is_some_and(|puzzle| puzzle.play_date != row.play_date);
        let fixed = moves && self.pages.contains_key(&row.puzzle_id);
        [
            fixed.then_some(RowRefusal::DateFixed),
            taken.get(&row.play_date).map(|other| RowRefusal::DateTaken { by: *other }),
            stale.then_some(RowRefusal::StaleVersion { stored: version }),
        ]
        .into_iter()
        .flatten()
        .map(|reason| RefusedRow { puzzle_id: row.puzzle_id, reason })
        .collect()
    }

    fn put(&mut self, row: &PuzzleRow, edit: &BankEdit) -> Put {
        match self.puzzle(row.puzzle_id).cloned() {
            None => {
                let schedule = Schedule::of(row.play_date, edit.grace_ms);
                self.put_puzzle(row, edit, BankVersion::FIRST, schedule.opens_at, schedule.playable_until);
                self.items.insert(row.puzzle_id, Item::scheduled(schedule.due_at));
                Put::Inserted
            }
            Some(stored) if row.equals(&stored) => Put::Unchanged,
            Some(stored) => {
                let (mut opens_at, mut playable_until) = (stored.opens_at, stored.playable_until);
                let item = self.items.get_mut(&row.puzzle_id).expect("every puzzle has its item");
                *item = item.retried();
                if row.play_date != stored.play_date {
                    let schedule = Schedule::of(row.play_date, edit.grace_ms);
                    (opens_at, playable_until) = (schedule.opens_at, schedule.playable_until);
                    // An answer that somebody postponed stays postponed.
                    let postponed = item.due_at > stored.playable_until;
                    item.due_at = if postponed { schedule.due_at.max(item.due_at) } else { schedule.due_at };
                }
                self.put_puzzle(row, edit, stored.bank_version.next(), opens_at, playable_until);
                Put::Updated
            }
        }
    }

    fn put_puzzle(
        &mut self,
        row: &PuzzleRow,
        edit: &BankEdit,
        bank_version: BankVersion,
        opens_at: UnixMillis,
        playable_until: UnixMillis,
    ) {
        let puzzle = Puzzle {
            puzzle_id: row.puzzle_id,
            play_date: row.play_date,
            opens_at,
            playable_until,
            name: row.name.clone(),
            price_cents: row.price_cents,
            description: row.description.clone(),
            image_url: row.image_url.clone(),
            bank_version,
        };
        self.puzzles.insert(row.puzzle_id, StoredPuzzle { puzzle, edit_token: edit.token.clone() });
    }

    fn readback(&self, counts: StoredEdit) -> ImportReadback {
        ImportReadback {
            inserted: counts.inserted,
            updated: counts.updated,
            unchanged: counts.unchanged,
            bank_revision: self.bank_revision,
            refused: Vec::new(),
        }
    }
}
