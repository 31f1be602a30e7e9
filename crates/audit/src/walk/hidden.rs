//! What nobody may know of: told apart by nothing from what there is not.

use std::collections::BTreeSet;

use fencepost_domain::time::UnixMillis;

use super::{Depth, Walk, by_distance, plain};
use crate::{
    ask::{AskError, Question},
    bank::{KnownPuzzle, Standing},
    compare::{about, differences},
    finding::{Finding, Kind},
    surfaces::{NOBODYS, about_number, about_photo, photos_beside, unused_beside},
};

/// How often two answers are compared before the site's own changes are put up with.
const TRIES: usize = 3;

/// How many numbers are tried until two are found that nobody has.
const MOST_CANDIDATES: usize = 20;

impl Walk<'_> {
    /// Holds every number that nobody may know against one that nobody has.
    pub(super) async fn hidden(&mut self, now: UnixMillis, depth: Depth) -> Result<(), AskError> {
        let hidden = by_distance(self.bank, now, |standing| standing == Standing::Hidden, |it| it.opens_at);
        let (near, far) = hidden.split_at(hidden.len().min(depth.nearest()));
        let public: BTreeSet<_> = self
            .bank
            .puzzles()
            .filter(|it| it.standing(now) != Standing::Hidden)
            .flat_map(|it| &it.photo_key)
            .collect();
        for puzzle in near {
            let id = puzzle.id.to_string();
            let others = self.unused_beside(puzzle).await?;
            let beside = [about_number(&others[0]), about_number(&others[1])];
            for (at, question) in about_number(&id).into_iter().enumerate() {
                let controls = [&beside[0][at], &beside[1][at]].map(Clone::clone);
                self.tell_apart(puzzle, question, controls, &id, &others).await?;
            }
            let Some(key) = puzzle.photo_key.as_ref().filter(|key| !public.contains(key)) else { continue };
            let others = photos_beside(key);
            let beside = [about_photo(&others[0]), about_photo(&others[1])];
            for (at, question) in about_photo(key).into_iter().enumerate() {
                let controls = [&beside[0][at], &beside[1][at]].map(Clone::clone);
                self.tell_apart(puzzle, question, controls, key, &others).await?;
            }
        }
        for puzzle in far.iter().take(depth.further()) {
            let others = self.unused_beside(puzzle).await?;
            let id = puzzle.id.to_string();
            self.tell_apart(puzzle, plain(&id), [plain(&others[0]), plain(&others[1])], &id, &others).await?;
        }
        Ok(())
    }

    /// Two numbers that nobody has. A bank that is known from a file may not be the whole bank,
    /// so a number has to be answered like one that no bank has reached.
    async fn unused_beside(&mut self, puzzle: &KnownPuzzle) -> Result<[String; 2], AskError> {
        let mut unused = Vec::new();
        for id in unused_beside(puzzle.id.get(), self.bank).take(MOST_CANDIDATES) {
            let nothing = self.ask(&plain(NOBODYS)).await?;
            let got = self.ask(&plain(&id)).await?;
            let alike = [about(&nothing, NOBODYS, &id), nothing];
            if alike.iter().any(|nothing| differences(nothing, &got).is_empty()) {
                unused.push(id);
            }
            if unused.len() == 2 {
                break;
            }
        }
        let mut next = || unused.pop().unwrap_or_else(|| NOBODYS.to_owned());
        Ok([next(), next()])
    }

    /// Asks about a hidden puzzle between two numbers that nobody has. If these two are
    /// answered alike, the puzzle has to be as well.
    async fn tell_apart(
        &mut self,
        puzzle: &KnownPuzzle,
        question: Question,
        controls: [Question; 2],
        name: &str,
        others: &[String; 2],
    ) -> Result<(), AskError> {
        for may_pass in (0..TRIES).rev().map(|left| left > 0) {
            let before = self.ask(&controls[0]).await?;
            let got = self.ask(&question).await?;
            let after = self.ask(&controls[1]).await?;
            if puzzle.standing(got.window.until) != Standing::Hidden {
                return Ok(());
            }
            // A fault that passes has nothing to do with what was asked.
            if may_pass && [&before, &got, &after].iter().any(|answer| answer.is_fault()) {
                continue;
            }
            // As they are, and as they would be if they repeat what they were asked for.
            let echoing = [about(&before, &others[0], name), about(&after, &others[1], name)];
            let pairs = [[before, after], echoing];
            if pairs.iter().flatten().any(|control| differences(control, &got).is_empty()) {
                return Ok(());
            }
            let settled = pairs.iter().find(|[before, after]| differences(before, after).is_empty());
            if let Some([control, _]) = settled {
                for (what, evidence) in differences(control, &got) {
                    self.report.find(Finding {
                        kind: Kind::ToldApart,
                        surface: question.words(),
                        at: got.window.until,
                        puzzle_id: Some(puzzle.id),
                        what,
                        evidence,
                    });
                }
                return Ok(());
            }
        }
        self.report.unsettled.insert(question.words());
        Ok(())
    }
}
