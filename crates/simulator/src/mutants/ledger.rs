//! The ledger's own writes: giving back, taking back, moving.

use super::{Mutation, Part, SqlEdits};
use crate::oracle::Rule;

const HELD: &str =
    "EXISTS (SELECT 1 FROM job_leases AS l WHERE l.key = ?2 AND l.owner_id = ?3 AND l.fence = ?4)";
const NOT_OUT: &str = "i.state IN ('scheduled', 'processing', 'blocked')";
const NO_PAGE: &str = "NOT EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?1)";
const WITHDRAWAL: &str = "publication_ledger/trace_withdrawal";
const REINSTATEMENT: &str = "publication_ledger/trace_reinstatement";
const MOVE: &str = "publication_ledger/trace_move";
/// Whether the action is landing, where its token is the second parameter.
const LANDING: &str = "EXISTS (SELECT 1 FROM operator_actions AS o WHERE o.token = ?2 AND o.landing = 1)";

/// An item that is changed by whoever asks for it.
fn not_held(trace: &str) -> SqlEdits {
    SqlEdits::one(trace, HELD, "true")
}

pub(super) fn mutations() -> Vec<Mutation> {
    let new = |clause: &str, danger, edits| Mutation::new(Part::Ledger, clause, danger, edits);
    vec![
        new(
            "give back: only by the holder",
            "whoever lost an item puts it back while somebody else has it in hand",
            SqlEdits::one("publication_ledger/give_back", HELD, "true"),
        ),
        new(
            "give back: only what is in hand",
            "a page that is out is called scheduled",
            SqlEdits::one("publication_ledger/give_back", "publication_items.state = 'processing'", "true"),
        ),
        new(
            "give back: only under the lease of the item",
            "whoever lost an item puts it back while somebody else has it in hand",
            SqlEdits::one("publication_ledger/give_back", "l.key = ?2", "true"),
        ),
        new(
            "withdraw: only what is not out",
            "a page stays public whose item was taken back",
            SqlEdits::one(WITHDRAWAL, NOT_OUT, "true"),
        )
        .behind("the lease", not_held(WITHDRAWAL), &[Rule::MovedByHolder]),
        new(
            "withdraw: only by the holder",
            "an item is taken back that somebody else has in hand",
            SqlEdits::one(WITHDRAWAL, HELD, "true"),
        ),
        new(
            "withdraw: only what is traced",
            "a page stays public whose item was taken back",
            SqlEdits::one("publication_ledger/withdraw_item", LANDING, "?2 IS NOT NULL"),
        ),
        new(
            "reinstate: only an item that was taken back",
            "an item is scheduled again that is out",
            SqlEdits::one(REINSTATEMENT, "i.state = 'withdrawn'", "true"),
        )
        .behind("the lease", not_held(REINSTATEMENT), &[Rule::MovedByHolder]),
        new(
            "reinstate: only an item without a page",
            "a page that was taken back is called scheduled",
            SqlEdits::one(REINSTATEMENT, NO_PAGE, "true"),
        )
        .behind("the lease", not_held(REINSTATEMENT), &[Rule::MovedByHolder]),
        new(
            "an item is changed: the bank's revision goes up",
            "today's game stays in caches after it was taken back",
            SqlEdits::one("publication_ledger/raise_for_item", "WHERE id = 1", "WHERE id = 2"),
        ),
        new(
            "an item is changed: the bank's revision goes up for what is traced alone",
            "caches let go of what is still true",
            SqlEdits::one(
                "publication_ledger/raise_for_item",
                "EXISTS (SELECT 1 FROM operator_actions AS o WHERE o.token = ?1 AND o.landing = 1)",
                "?1 IS NOT NULL",
            ),
        ),
        new(
            "an action has landed once its batch is over",
            "what was done is done again when its answer was lost",
            SqlEdits::one("action_log/landed", "AND landing = 1", "AND landing = 2"),
        ),
        new(
            "retry: only what is not out",
            "a page that is out is called scheduled",
            SqlEdits::one("publication_ledger/trace_retry", NOT_OUT, "true"),
        ),
        new(
            "retry and reinstate: only what is traced",
            "a page that is out is called scheduled",
            SqlEdits::one("publication_ledger/schedule_anew", LANDING, "?2 IS NOT NULL"),
        ),
        new(
            "retry: only the item that was asked for",
            "every item that is in hand is taken out of it",
            SqlEdits::one("publication_ledger/schedule_anew", "puzzle_id = ?1", "?1 IS NOT NULL"),
        ),
        new(
            "reschedule: only from where it was seen",
            "a late move undoes another",
            SqlEdits::one(MOVE, "AND i.due_at = coalesce(CAST(?3 AS INTEGER), i.due_at)", ""),
        ),
        new(
            "reschedule: not before the end of play",
            "an answer comes out while its puzzle is played",
            SqlEdits::one(
                MOVE,
                "AND CAST(?2 AS INTEGER) >= (SELECT p.playable_until FROM puzzles AS p WHERE p.puzzle_id = ?1)",
                "",
            ),
        ),
        new(
            "reschedule: only what is not out",
            "a public answer is hidden again",
            SqlEdits::one(MOVE, NOT_OUT, "true"),
        ),
        new(
            "reschedule: only what is traced",
            "a public answer is hidden again",
            SqlEdits::one("publication_ledger/move_due", LANDING, "?2 IS NOT NULL"),
        ),
        new(
            "reschedule: the new instant enters the calendar",
            "a page of before the instant is shown after it",
            SqlEdits::one(
                "publication_ledger/record_due",
                "WHERE i.puzzle_id = ?1",
                "WHERE i.puzzle_id = -?1",
            ),
        ),
    ]
}
