//! What is shown to the oracle: each change of the database, each answer to a reader, each
//! report.

use fencepost_domain::image::ImageKey;

use super::{ActorId, World};
use crate::oracle::{Reading, Rule, SentRow, Step, Target, Told, Violation, Window};

impl World {
    /// A photo that is recorded for a puzzle, or shown by its page.
    pub(crate) fn photo_of(&mut self, puzzle: i64) -> Option<ImageKey> {
        let state = self.oracle.state();
        let of_page = state.page(puzzle).and_then(|page| page.image_key.clone());
        let of_bank = state.photo(puzzle).and_then(|photo| photo.object_key.clone());
        let keys: Vec<_> = of_page.into_iter().chain(of_bank).collect();
        if keys.is_empty() {
            return None;
        }
        let at = usize::from(self.dice().happens(5_000)).min(keys.len() - 1);
        keys[at].parse().ok()
    }

    /// A request begins.
    pub(crate) fn open_window(&self) -> Window {
        self.oracle.open_window(self.clock())
    }

    /// A request has been answered.
    pub(crate) fn judge_reading(&mut self, reading: &Reading, window: &Window) {
        self.note(|| format!("GET {}: {}", reading.target.path(), reading.status));
        let times = (self.now, self.clock());
        let stored = match &reading.target {
            Target::Image(key) => self.blobs.get(key),
            _ => None,
        };
        self.oracle.judge_reading(reading, window, times, stored, &mut self.stats);
    }

    /// An import has been answered.
    pub(crate) fn judge_import(&mut self, rows: &[SentRow], done: bool, window: &Window) {
        self.oracle.judge_import(rows, done, window, &mut self.stats);
    }

    /// Somebody tells what became of an item.
    pub(crate) fn hear(&mut self, told: Told) {
        self.note(|| format!("puzzle {}: {}", told.puzzle, told.outcome));
        self.oracle.hear(told, &mut self.stats);
    }

    /// Somebody who begins several runs tells what one of them did.
    pub(crate) fn hear_of_deed(&mut self, told: &Told) {
        self.oracle.hear_of_deed(told, &mut self.stats);
    }

    /// Counts a check.
    pub(crate) fn check(&mut self, rule: Rule, holds: bool, detail: impl FnOnce() -> String) {
        self.oracle.check(rule, &mut self.stats, holds, detail);
    }

    /// The last check of all, and what was found first.
    pub(crate) fn judge_the_end(&mut self) -> Option<Violation> {
        self.oracle.judge_reports(&mut self.stats);
        self.stats.published = self.oracle.state().pages.len() as u64;
        let violation = self.oracle.violation().cloned();
        if let Some(violation) = &violation {
            let line = format!("VIOLATION {}: {}", violation.rule.as_str(), violation.detail);
            self.note(|| line);
        }
        violation
    }

    /// Holds what the database has now against the promises.
    pub(crate) fn look(&mut self, drift: i64, call: Option<(ActorId, &'static str)>) {
        let step = Step {
            database: &self.database,
            blobs: &self.blobs,
            clock: self.clock(),
            drift,
            now: self.now,
            call,
        };
        self.oracle.look(&step, &mut self.stats);
    }
}
