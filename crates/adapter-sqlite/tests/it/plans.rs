//! What SQLite makes of every text: how many parameters, and by which way to the rows.

use std::path::PathBuf;

use expect_test::expect_file;
use fencepost_adapter_sqlite::MIGRATIONS;
use fencepost_sql::catalog;
use sqlx::{AssertSqlSafe, Row};

use crate::backend::fresh;

/// Texts that look at everything on purpose: for people and for the verifier.
const LOOKS_AT_EVERYTHING: [&str; 4] =
    ["verifier/", "puzzle_bank/read_import", "job_runs/overview", "outbox/tally"];

#[test]
fn every_text_takes_as_many_parameters_as_it_is_given() {
    assert_eq!(fencepost_sqlite::prepare(MIGRATIONS, catalog::texts()), Ok(()));
}

#[tokio::test]
async fn no_statement_of_a_job_or_a_page_scans_or_sorts_a_table() {
    let (_store, _, file) = fresh().await;
    let mut plans = String::new();
    for text in catalog::texts() {
        plans.push_str(text.name());
        plans.push('\n');
        let explain = format!("EXPLAIN QUERY PLAN {}", text.sql());
        let steps = sqlx::query(AssertSqlSafe(explain)).fetch_all(&file.pool).await.unwrap();
        for step in steps {
            let detail: String = step.get("detail");
            let on_purpose = LOOKS_AT_EVERYTHING.iter().any(|prefix| text.name().starts_with(prefix));
            let costly = is_full_scan(&detail) || detail.contains("TEMP B-TREE");
            assert!(on_purpose || !costly, "{}: {detail}", text.name());
            plans.push_str(&format!("  {detail}\n"));
        }
    }
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/output/plans.txt");
    expect_file![file].assert_eq(&plans);
}

/// Whether a step walks a whole table. The rows of a JSON parameter, of a subquery or
/// of a constant are not a table; an index walked in order up to a LIMIT is a seek.
fn is_full_scan(detail: &str) -> bool {
    const TABLES: [&str; 14] = [
        "job_leases",
        "puzzles",
        "bank_edits",
        "publication_items",
        "answer_posts",
        "site_state",
        "commit_receipts",
        "daily_quotas",
        "source_images",
        "daily_results",
        "job_runs",
        "outbox",
        "outbox_cursor",
        "alert_episodes",
    ];
    const ALIASES: [&str; 23] = [
        "p", "i", "a", "b", "r", "l", "m", "q", "e", "s", "d", "newest", "shown", "taken", "before", "last",
        "o", "c", "held", "v", "one", "second", "ended",
    ];
    let Some(scanned) = detail.strip_prefix("SCAN ") else { return false };
    if scanned.contains("VIRTUAL TABLE") {
        return false;
    }
    let name = scanned.split(' ').next().unwrap_or_default();
    TABLES.contains(&name) || ALIASES.contains(&name)
}
