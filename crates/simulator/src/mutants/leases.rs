//! Leases: who gets one, who keeps it, and that a fence only grows.

use super::{Mutation, Part, SqlEdits};
use crate::oracle::Rule;

const CLAIM: &str = "publication_ledger/claim_item";
const MARK: &str = "publication_ledger/mark_processing";
const CLAIM_IMAGE: &str = "source_images/claim_image";

/// Leases change hands, and their fences stay what they were.
pub(super) fn fences_stand_still() -> SqlEdits {
    SqlEdits::one(CLAIM, "ELSE fence + 1 END", "ELSE fence END").and_one(
        "publication_ledger/take_item_over",
        "fence = fence + 1",
        "fence = fence",
    )
}

/// What is too late for jobs is work, and is taken in hand.
pub(super) fn late_is_claimed() -> SqlEdits {
    SqlEdits::one(CLAIM, "(?6 OR ", "(true OR ").and_one(MARK, "(?5 OR ", "(true OR ").and_one(
        "publication_ledger/runnable_items",
        "i.due_at BETWEEN ",
        "i.due_at BETWEEN 0 * ",
    )
}

pub(super) fn mutations() -> Vec<Mutation> {
    let new = |clause: &str, danger, edits| Mutation::new(Part::Leases, clause, danger, edits);
    let live = "job_leases.expires_at > excluded.updated_at AND job_leases.expires_at <= excluded.updated_at + 900000";
    let too_long = "AND job_leases.expires_at <= excluded.updated_at + 900000";
    vec![
        new(
            "claim: only a lease that has run out changes hands",
            "two workers have an item in hand",
            SqlEdits::one(CLAIM, format!("OR NOT ({live})"), "OR true"),
        ),
        new(
            "claim: the fence grows when a lease changes hands",
            "whoever lost a lease cannot be told from whoever has it",
            SqlEdits::one(CLAIM, "ELSE fence + 1 END", "ELSE fence END"),
        ),
        new(
            "claim: a lease is not believed that lives longer than the longest",
            "a clock that jumped back leaves an item in nobody's hands for hours",
            SqlEdits::default().and_all(CLAIM, too_long, "", 2),
        ),
        new(
            "claim: whoever asks again keeps his fence",
            "a claim that arrives twice takes the item out of its own worker's hands",
            SqlEdits::one(CLAIM, format!("CASE WHEN {live} THEN fence ELSE fence + 1 END"), "fence + 1"),
        ),
        new(
            "claim: only what is due",
            "an item is taken in hand before its time",
            SqlEdits::one(CLAIM, "AND i.due_at", "AND 0"),
        ),
        new(
            "claim: only what has rested",
            "what has just failed is tried again at once",
            SqlEdits::one(CLAIM, "AND (i.next_attempt_at <=", "AND (0 <="),
        ),
        new(
            "claim: only what is to come out",
            "an item is leased that no job has any business with",
            SqlEdits::one(CLAIM, "AND i.state IN ('scheduled', 'processing')", ""),
        ),
        new(
            "mark: only what is due",
            "an item is taken in hand before its time",
            SqlEdits::one(MARK, "AND due_at", "AND 0"),
        ),
        new(
            "mark: only what has rested",
            "what has just failed is tried again at once",
            SqlEdits::one(MARK, "AND (next_attempt_at <=", "AND (0 <="),
        )
        .behind(
            "the claim",
            SqlEdits::one(CLAIM, "AND (i.next_attempt_at <=", "AND (0 <="),
            &[Rule::LeasedWhenRipe],
        ),
        new(
            "mark: only what is scheduled",
            "a page that is out is called one that is in hand",
            SqlEdits::one(MARK, "AND state = 'scheduled'", ""),
        ),
        new(
            "mark: only under the claimer's own lease",
            "an item is marked that somebody else has in hand",
            SqlEdits::one(MARK, "l.owner_id = ?4", "true"),
        ),
        new(
            "mark: only under the lease of the item",
            "an item is marked that somebody else has in hand",
            SqlEdits::one(MARK, "l.key = ?3", "true"),
        ),
        new(
            "mark: only under a lease that is live",
            "an item is marked that is in nobody's hands",
            SqlEdits::one(MARK, "AND l.expires_at > ", "AND 0 < "),
        )
        .behind(
            "the instant that it asks for",
            SqlEdits::one(MARK, "AND due_at", "AND 0"),
            &[Rule::LawfulMoves],
        ),
        new(
            "take over: the fence grows",
            "an operator's action does not stop the worker that had the item",
            SqlEdits::one("publication_ledger/take_item_over", "fence = fence + 1", "fence = fence"),
        ),
        new(
            "renew: only for the fence that was had",
            "whoever lost a lease prolongs somebody else's",
            SqlEdits::one(
                "lease_store/renew",
                "AND job_leases.owner_id = ?3\n  AND job_leases.fence = ?4",
                "",
            ),
        ),
        new(
            "renew: only while the lease is live",
            "a lease that has run out comes back to life",
            SqlEdits::one("lease_store/renew", "AND job_leases.expires_at > clock.now", ""),
        ),
        new(
            "renew: only the lease that was had",
            "another item, which a worker has lost sight of, stays in its hands",
            SqlEdits::one("lease_store/renew", "job_leases.key = ?2", "true"),
        ),
        new(
            "release: only the lease that was had",
            "whoever has fetched a photo loses the item that it is for",
            SqlEdits::one("lease_store/release", "job_leases.key = ?2", "true"),
        ),
        new(
            "release: only by the holder",
            "whoever lost a lease ends somebody else's",
            SqlEdits::one(
                "lease_store/release",
                "AND job_leases.owner_id = ?3\n  AND job_leases.fence = ?4",
                "",
            ),
        ),
        new(
            "photo: only a lease that has run out changes hands",
            "two workers fetch one photo",
            SqlEdits::one(CLAIM_IMAGE, format!("OR NOT ({live})"), "OR true"),
        ),
        new(
            "photo: the fence grows when a lease changes hands",
            "a fetch of long ago replaces a newer one",
            SqlEdits::one(CLAIM_IMAGE, "ELSE fence + 1 END", "ELSE fence END"),
        ),
    ]
}
