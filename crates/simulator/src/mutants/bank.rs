//! Imports, as one batch behind a token; and photos.

use super::{Mutation, Part, Policy, SqlEdits};

const ACCEPTED: &str = "EXISTS (SELECT 1 FROM bank_edits AS e WHERE e.edit_token = ?1)";

/// Whoever has the date leaves it.
const MOVING: &str = "p.puzzle_id NOT IN (SELECT moving.id
                            FROM keys AS moving
                            JOIN puzzles AS m ON m.puzzle_id = moving.id
                            WHERE m.play_date <> moving.date)";

pub(super) fn mutations() -> Vec<Mutation> {
    let new = |clause: &str, danger, edits| Mutation::new(Part::Bank, clause, danger, edits);
    let of_policy = |clause: &str, danger, policy| Mutation::of_policy(Part::Bank, clause, danger, policy);
    let expected = "coalesce(p.bank_version, 0) <> k.expected";
    let fixed = "p.play_date <> k.date\n    AND EXISTS";
    let refusal = |old: &'static str, new: &'static str| {
        SqlEdits::one("puzzle_bank/accept", old, new).and_one("puzzle_bank/read_import", old, new)
    };
    let recordable = "AND l.owner_id = ?4";
    vec![
        new(
            "import: the version that was seen",
            "a late import undoes a correction",
            refusal(expected, "false"),
        ),
        new(
            "import: a published puzzle keeps its date",
            "a public answer is due another day",
            refusal(fixed, "false\n    AND EXISTS"),
        ),
        new(
            "import: only a page keeps its date",
            "a puzzle cannot be moved that is not out",
            refusal("EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = k.id)", "true"),
        ),
        new(
            "import: only another date is refused",
            "a page cannot be corrected any more",
            refusal("WHERE p.play_date <> k.date", "WHERE true"),
        ),
        new(
            "import: a date is no longer taken when its puzzle moves in the same import",
            "two puzzles cannot trade their dates",
            refusal(MOVING, "true"),
        ),
        new(
            "import: a changed name is a change",
            "a correction is told as done and is not",
            SqlEdits::one("puzzle_bank/write_rows", "OR puzzles.name <> excluded.name", "")
                .and_one("puzzle_bank/write_rows", "OR puzzles.price_cents <> excluded.price_cents", "")
                .and_one("puzzle_bank/write_rows", "OR puzzles.description <> excluded.description", ""),
        ),
        new(
            "import: rows are written only if it was accepted",
            "half of a refused import takes effect",
            SqlEdits::one("puzzle_bank/write_rows", ACCEPTED, "true"),
        ),
        new(
            "import: items are moved only if it was accepted",
            "half of a refused import takes effect",
            SqlEdits::one("puzzle_bank/move_items", ACCEPTED, "true"),
        ),
        new(
            "import: dates are vacated only if it was accepted",
            "half of a refused import takes effect",
            SqlEdits::one("puzzle_bank/vacate_dates", ACCEPTED, "true"),
        ),
        new(
            "import: only what is not out is scheduled again",
            "a page that is out is called scheduled",
            SqlEdits::one(
                "puzzle_bank/schedule_items",
                "publication_items.state IN ('scheduled', 'processing', 'blocked')",
                "true",
            ),
        ),
        new(
            "import: every row counts in its version",
            "a row that was corrected cannot be told from the one before",
            SqlEdits::one(
                "puzzle_bank/write_rows",
                "bank_version = puzzles.bank_version + 1",
                "bank_version = puzzles.bank_version",
            ),
        ),
        new(
            "import: the bank's revision goes up",
            "caches show the old row",
            SqlEdits::one("puzzle_bank/raise_bank_revision", "p.edit_token = ?1", "false"),
        ),
        new(
            "import: the instants enter the calendar",
            "a page of before an instant is shown after it",
            SqlEdits::one("puzzle_bank/record_instants", "p.edit_token = ?1", "false"),
        ),
        new(
            "photo: recorded only by the holder of its lease",
            "a fetch of long ago replaces a newer one",
            SqlEdits::one("source_images/record_image", "AND l.owner_id = ?4\n  AND l.fence = ?5", "")
                .and_one(
                    "source_images/raise_for_photo",
                    "AND l.owner_id = ?4\n                AND l.fence = ?5",
                    "",
                ),
        ),
        new(
            "photo: recorded only for the address that the puzzle has",
            "a page shows a photo that was replaced",
            SqlEdits::one("source_images/record_image", "p.image_url = ?6", "true").and_one(
                "source_images/raise_for_photo",
                "p.image_url = ?6",
                "true",
            ),
        ),
        new(
            "photo: the bank's revision goes up",
            "caches show the puzzle without its photo",
            SqlEdits::one("source_images/raise_for_photo", recordable, "AND false"),
        ),
        of_policy(
            "photo: stored before it is recorded",
            "a page shows a photo that is not there",
            Policy::PhotoNotStored,
        ),
        of_policy(
            "photo: a put creates and never overwrites",
            "a photo is stored twice",
            Policy::BlobsOverwrite,
        ),
    ]
}
