//! Who may see an answer, and when: one predicate for page, list, feed and neighbours.

use crate::{ledger::ItemState, time::UnixMillis};

/// How long a reader of an answer that is late is told to wait, in milliseconds.
pub const LATE_RETRY_MS: i64 = 30_000;

/// How long before it opens a puzzle's photo is made ready, in milliseconds: two hours.
pub const IMAGE_LEAD_MS: i64 = 7_200_000;

/// What the visibility of an answer depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerFacts {
    /// When the puzzle becomes known.
    pub opens_at: UnixMillis,
    /// When its answer's embargo ends.
    pub due_at: UnixMillis,
    /// Where its item stands.
    pub state: ItemState,
    /// Whether it has a page.
    pub has_page: bool,
}

/// What a reader may know of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerVisibility {
    /// No more than of a number that was never used.
    Unknown,
    /// That it exists, and when its embargo ends.
    NotYet,
    /// That its embargo has ended, and it is not out.
    Late,
    /// All of it.
    Public,
    /// That it was taken back.
    Withdrawn,
}

impl AnswerFacts {
    /// What a reader may know at `now`. The embargo is checked here as well, published
    /// or not: a clock that jumped back hides the page again.
    pub fn visibility(&self, now: UnixMillis) -> AnswerVisibility {
        use AnswerVisibility::{Late, NotYet, Public, Unknown, Withdrawn};
        let withdrawn_unpublished = self.state == ItemState::Withdrawn && !self.has_page;
        if self.opens_at > now || withdrawn_unpublished {
            return Unknown;
        }
        if self.due_at > now {
            return NotYet;
        }
        match (self.state, self.has_page) {
            (ItemState::Published, true) => Public,
            (ItemState::Withdrawn, true) => Withdrawn,
            _ => Late,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPENS: UnixMillis = UnixMillis::new(1_000);
    const DUE: UnixMillis = UnixMillis::new(2_000);

    fn check(state: ItemState, has_page: bool, now: i64, expected: AnswerVisibility) {
        let facts = AnswerFacts { opens_at: OPENS, due_at: DUE, state, has_page };
        assert_eq!(facts.visibility(UnixMillis::new(now)), expected, "{state:?}, page {has_page}, at {now}");
    }

    #[test]
    fn an_answer_is_seen_from_its_instant_on_and_not_before() {
        use AnswerVisibility::*;
        check(ItemState::Scheduled, false, 999, Unknown);
        check(ItemState::Scheduled, false, 1_000, NotYet);
        check(ItemState::Scheduled, false, 1_999, NotYet);
        check(ItemState::Scheduled, false, 2_000, Late);
        check(ItemState::Blocked, false, 2_000, Late);
        check(ItemState::Published, true, 2_000, Public);
        check(ItemState::Published, true, 1_999, NotYet);
        check(ItemState::Published, true, 999, Unknown);
        check(ItemState::Withdrawn, true, 2_000, Withdrawn);
        check(ItemState::Withdrawn, false, 1_500, Unknown);
        check(ItemState::Withdrawn, false, 2_000, Unknown);
    }
}
