//! The ledger's own writes: giving back, taking back, moving.

use super::{Mutation, Part, SqlEdits};
use crate::oracle::Rule;

const HELD: &str =
    "EXISTS (SELECT 1 FROM job_leases AS l WHERE l.key = ?2 AND l.owner_id = ?3 AND l.fence = ?4)";
const NOT_OUT: &str = "state IN ('scheduled', 'processing', 'blocked')";
const MOVABLE_STATE: &str = "i.state IN ('scheduled', 'processing', 'blocked')";
const NO_PAGE: &str = "NOT EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?1)";

/// An item that is changed by whoever asks for it.
fn not_held(change: &str) -> SqlEdits {
    SqlEdits::one(&format!("publication_ledger/{change}_item"), HELD, "true").and_one(
        &format!("publication_ledger/raise_for_{change}"),
        HELD,
        "true",
    )
}

pub(super) fn mutations() -> Vec<Mutation> {
    let new = |clause: &str, danger, edits| Mutation::new(Part::Ledger, clause, danger, edits);
    let both = |old: &'static str, new: &'static str| {
        SqlEdits::one("publication_ledger/move_due", old, new).and_one(
            "publication_ledger/raise_for_move",
            old,
            new,
        )
    };
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
            SqlEdits::one("publication_ledger/withdraw_item", NOT_OUT, "true"),
        )
        .behind("the lease", not_held("withdraw"), &[Rule::MovedByHolder]),
        new(
            "withdraw: only by the holder",
            "an item is taken back that somebody else has in hand",
            SqlEdits::one("publication_ledger/withdraw_item", HELD, "true"),
        ),
        new(
            "withdraw: the bank's revision goes up",
            "today's game stays in caches after it was taken back",
            SqlEdits::one("publication_ledger/raise_for_withdraw", HELD, "false"),
        ),
        new(
            "reinstate: only an item that was taken back",
            "an item is scheduled again that is out",
            SqlEdits::one("publication_ledger/reinstate_item", "state = 'withdrawn'", "true"),
        )
        .behind("the lease", not_held("reinstate"), &[Rule::MovedByHolder]),
        new(
            "reinstate: only an item without a page",
            "a page that was taken back is called scheduled",
            SqlEdits::one("publication_ledger/reinstate_item", NO_PAGE, "true"),
        )
        .behind("the lease", not_held("reinstate"), &[Rule::MovedByHolder]),
        new(
            "reinstate: the bank's revision goes up for an item without a page alone",
            "caches let go of what is still true",
            SqlEdits::one("publication_ledger/raise_for_reinstate", NO_PAGE, "true"),
        )
        .behind("the lease", not_held("reinstate"), &[Rule::MovedByHolder]),
        new(
            "withdraw: the bank's revision goes up for what is not out alone",
            "caches let go of what is still true",
            SqlEdits::one("publication_ledger/raise_for_withdraw", MOVABLE_STATE, "true"),
        ),
        new(
            "reinstate: the bank's revision goes up for what was taken back alone",
            "caches let go of what is still true",
            SqlEdits::one("publication_ledger/raise_for_reinstate", "i.state = 'withdrawn'", "true"),
        ),
        new(
            "reinstate: the bank's revision goes up",
            "a puzzle that is back stays unknown in caches",
            SqlEdits::one("publication_ledger/raise_for_reinstate", HELD, "false"),
        ),
        new(
            "retry: only what is not out",
            "a page that is out is called scheduled",
            SqlEdits::one("publication_ledger/retry_item", NOT_OUT, "true"),
        ),
        new(
            "retry: only the item that was asked for",
            "every item that is in hand is taken out of it",
            SqlEdits::one("publication_ledger/retry_item", "puzzle_id = ?1", "true"),
        ),
        new(
            "reschedule: only from where it was seen",
            "a late move undoes another",
            both("AND i.due_at = coalesce(CAST(?3 AS INTEGER), i.due_at)", ""),
        ),
        new(
            "reschedule: not before the end of play",
            "an answer comes out while its puzzle is played",
            both(
                "AND CAST(?2 AS INTEGER) >= (SELECT p.playable_until FROM puzzles AS p WHERE p.puzzle_id = ?1)",
                "",
            ),
        ),
        new(
            "reschedule: only what is not out",
            "a public answer is hidden again",
            both(MOVABLE_STATE, "true"),
        ),
        new(
            "reschedule: the bank's revision goes up",
            "caches tell the old instant",
            SqlEdits::one("publication_ledger/raise_for_move", "WHERE id = 1", "WHERE id = 2"),
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
