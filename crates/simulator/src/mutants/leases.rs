//! Leases: who gets one, who keeps it, and that a fence only grows.

use super::{Mutation, Part, SqlEdits};

const CLAIM: &str = "publication_ledger/claim_item";
const CLAIM_IMAGE: &str = "source_images/claim_image";

/// Leases change hands, and their fences stay what they were.
pub(super) fn fences_stand_still() -> SqlEdits {
    SqlEdits::one(CLAIM, "ELSE fence + 1 END", "ELSE fence END").and_one(
        "publication_ledger/take_item_over",
        "fence = fence + 1",
        "fence = fence",
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
            "claim: only what is due",
            "an item is taken in hand before its time",
            SqlEdits::one(CLAIM, "AND i.due_at <= clock.now", "").and_one(
                "publication_ledger/mark_processing",
                "AND due_at <= (",
                "AND 0 <= (",
            ),
        ),
        new(
            "mark: only under the claimer's own lease",
            "an item is marked that somebody else has in hand",
            SqlEdits::one("publication_ledger/mark_processing", "l.owner_id = ?4", "true"),
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
