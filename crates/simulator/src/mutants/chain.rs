//! The token that chains a batch, the assertion, and how success is judged.

use super::{Mutation, Part, Policy, SqlEdits};

const READ_BACKS: [&str; 4] = [
    "commit/read_back_publish",
    "commit/read_back_update",
    "commit/read_back_withdraw",
    "commit/read_back_reinstate",
];

const LANDED: &str =
    "EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?2 AND a.commit_token = ?7)";

/// The statements that depend on the token, and by what.
const LINKS: [(&str, &str, &str); 6] = [
    ("commit/move_item", LANDED, "an item is called published that has no page"),
    ("commit/raise_revision", LANDED, "the revision goes up although nothing has changed"),
    ("commit/write_receipt", "a.commit_token = ?7", "a commit that was refused gets a receipt"),
    ("commit/count_quota", "a.commit_token = ?7", "a commit that was refused is counted"),
    ("commit/trace_deed", "a.commit_token = ?7", "a commit that was refused is told of as done"),
    ("commit/release_lease", LANDED, "a commit that was refused ends the lease"),
];

/// The statements whose effect the assertion does not look at.
const UNASSERTED: [&str; 3] = ["commit/count_quota", "commit/trace_deed", "commit/release_lease"];

/// The read-backs without their assertion.
fn not_asserted() -> SqlEdits {
    READ_BACKS.iter().fold(SqlEdits::default(), |edits, name| {
        edits.and_one(name, "json_extract('{}', CASE", "(CASE").and_one(
            name,
            "ELSE '$' END) AS assertion",
            "ELSE '$' END) AS assertion",
        )
    })
}

/// A commit that leaves its lease alone.
pub(super) fn lease_not_released() -> SqlEdits {
    SqlEdits::one("commit/release_lease", LANDED, "false")
}

pub(super) fn mutations() -> Vec<Mutation> {
    let mut all = Vec::new();
    for (name, link, danger) in LINKS {
        let edits = || SqlEdits::one(name, link, "true");
        let new = |clause: String, edits| Mutation::new(Part::Chain, clause, danger, edits);
        all.push(new(format!("{name}: the token"), edits()));
        // The assertion says nothing of quota and lease.
        if !UNASSERTED.contains(&name) {
            let clause = format!("{name}: the token, without an assertion");
            all.push(new(clause, edits()).behind("the assertion", not_asserted(), &[]));
        }
    }
    let omitted = [
        ("commit/move_item", LANDED, "a page is out whose item is still in hand"),
        ("commit/raise_revision", LANDED, "a page comes out, and caches keep what was before"),
        ("commit/write_receipt", "a.commit_token = ?7", "nobody can tell whether a commit has landed"),
        ("commit/count_quota", "a.commit_token = ?7", "pages are published and not counted"),
        ("commit/trace_deed", "a.commit_token = ?7", "nobody knows who has taken a page back"),
        ("commit/release_lease", LANDED, "an item stays in hand after its page is out"),
    ];
    for (name, link, danger) in omitted {
        let edits = SqlEdits::one(name, link, "false");
        let new = Mutation::new(Part::Chain, format!("{name}: the statement"), danger, edits);
        all.push(if UNASSERTED.contains(&name) {
            new
        } else {
            new.behind("the assertion", not_asserted(), &[])
        });
    }
    all.extend(judgement());
    all
}

fn judgement() -> Vec<Mutation> {
    let by_no_error = READ_BACKS.iter().fold(SqlEdits::default(), |edits, name| {
        let landed = "EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?2 AND a.commit_token = ?7) AS landed";
        edits.and_one(name, landed, "1 AS landed")
    });
    let sql = |clause: &str, danger, edits| Mutation::new(Part::Judgement, clause, danger, edits);
    let policy = |clause: &str, danger, policy| Mutation::of_policy(Part::Judgement, clause, danger, policy);
    vec![
        policy(
            "a new token for every attempt",
            "an attempt that did land is counted a second time",
            Policy::SameToken,
        ),
        sql(
            "success is judged by the read-back, not by the absence of an error",
            "a commit that was refused is reported as published",
            by_no_error,
        ),
        sql(
            "a lost answer is looked for among the receipts",
            "a commit that has landed is reported as refused",
            SqlEdits::one("commit/trace", "r.commit_token IN (SELECT value FROM json_each(?3))", "false"),
        ),
        sql(
            "a lost answer is looked for by its token",
            "somebody else's commit is taken for one's own",
            SqlEdits::one("commit/trace", "r.commit_token IN (SELECT value FROM json_each(?3))", "true"),
        ),
        sql(
            "a lost answer is looked for in the receipts, not on the page",
            "a commit that somebody has followed up is reported as refused",
            SqlEdits::one(
                "commit/trace",
                "r.puzzle_id = ?2",
                "r.puzzle_id = ?2 AND r.commit_token = (SELECT a.commit_token FROM answer_posts AS a WHERE a.puzzle_id = ?2)",
            ),
        ),
    ]
}
