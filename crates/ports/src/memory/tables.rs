//! The whole state as values, and what differs between two of them.
//!
//! The shape follows the migrations by hand. An adapter may build its dump from
//! [`SCHEMA`]; a column that is missing on either side fails the first case.

use std::{cmp::Ordering, collections::BTreeMap};

use serde_json::Value;

/// A row: column to value. Numbers are integers, NULL is [`Value::Null`].
pub type Row = BTreeMap<String, Value>;

/// Every table by its name, rows in the order of their primary key.
pub type Tables = BTreeMap<String, Vec<Row>>;

/// What a table looks like.
#[derive(Clone, Copy, Debug)]
pub struct TableShape {
    /// Its name.
    pub name: &'static str,
    /// The columns of its primary key.
    pub key: &'static [&'static str],
    /// All of its columns.
    pub columns: &'static [&'static str],
}

/// Every table.
pub const SCHEMA: &[TableShape] = &[
    TableShape {
        name: "job_leases",
        key: &["key"],
        columns: &["key", "owner_id", "fence", "expires_at", "updated_at"],
    },
    TableShape {
        name: "puzzles",
        key: &["puzzle_id"],
        columns: &[
            "puzzle_id",
            "play_date",
            "opens_at",
            "playable_until",
            "name",
            "price_cents",
            "description",
            "image_url",
            "bank_version",
            "edit_token",
        ],
    },
    TableShape {
        name: "bank_edits",
        key: &["edit_token"],
        columns: &["edit_token", "inserted", "updated", "unchanged", "edited_at"],
    },
    TableShape {
        name: "publication_items",
        key: &["puzzle_id"],
        columns: &["puzzle_id", "state", "due_at", "attempts", "next_attempt_at", "blocked_reason"],
    },
    TableShape {
        name: "answer_posts",
        key: &["puzzle_id"],
        columns: &[
            "puzzle_id",
            "content_version",
            "commit_token",
            "bank_version",
            "play_date",
            "name",
            "price_cents",
            "body_html",
            "image_key",
            "indexable",
            "published_at",
            "updated_at",
            "withdrawn_at",
        ],
    },
    TableShape {
        name: "site_state",
        key: &["id"],
        columns: &[
            "id",
            "publication_revision",
            "bank_revision",
            "paused",
            "publish_late",
            "skip_older_than",
        ],
    },
    TableShape {
        name: "commit_receipts",
        key: &["commit_token"],
        columns: &[
            "commit_token",
            "puzzle_id",
            "kind",
            "owner_id",
            "fence",
            "content_version",
            "revision",
            "committed_at",
        ],
    },
    TableShape {
        name: "daily_quotas",
        key: &["utc_day"],
        columns: &["utc_day", "published", "quota", "set_quota"],
    },
    TableShape {
        name: "source_images",
        key: &["puzzle_id"],
        columns: &[
            "puzzle_id",
            "image_url",
            "state",
            "object_key",
            "content_type",
            "bytes",
            "error",
            "next_attempt_at",
            "updated_at",
        ],
    },
    TableShape { name: "visibility_instants", key: &["instant"], columns: &["instant"] },
    TableShape {
        name: "daily_results",
        key: &["puzzle_id", "session_id"],
        columns: &[
            "puzzle_id",
            "session_id",
            "slot",
            "outcome",
            "guesses_used",
            "report_token",
            "created_at",
            "won_with_1",
            "won_with_2",
            "won_with_3",
            "won_with_4",
            "won_with_5",
            "won_with_6",
        ],
    },
    TableShape {
        name: "operator_actions",
        key: &["token"],
        columns: &["token", "at", "actor", "action", "puzzle_id", "reason", "detail", "landing"],
    },
    TableShape {
        name: "job_runs",
        key: &["run_id"],
        columns: &[
            "run_id",
            "job",
            "owner_id",
            "build",
            "utc_day",
            "started_at",
            "finished_at",
            "counts",
            "error",
        ],
    },
    TableShape {
        name: "outbox",
        key: &["number"],
        columns: &[
            "number",
            "event_id",
            "kind",
            "puzzle_id",
            "content_version",
            "revision",
            "happened_at",
            "created_at",
            "state",
            "attempts",
            "next_attempt_at",
            "claimed_by",
            "claimed_until",
            "last_error",
            "delivered_at",
            "episode",
        ],
    },
    TableShape {
        name: "alert_episodes",
        key: &["number"],
        columns: &[
            "number",
            "kind",
            "job",
            "since",
            "count",
            "meaning",
            "remedy",
            "raised_at",
            "raised_by",
            "calm_since",
            "cleared_at",
            "cleared_by",
        ],
    },
    TableShape { name: "outbox_cursor", key: &["id"], columns: &["id", "revision"] },
];

/// Puts the rows of every table in the order of their primary key.
pub fn sort(tables: &mut Tables) {
    for (name, rows) in tables {
        if let Some(shape) = shape_of(name) {
            rows.sort_by(|a, b| {
                shape.key.iter().fold(Ordering::Equal, |so_far, column| {
                    so_far.then_with(|| compare(a.get(*column), b.get(*column)))
                })
            });
        }
    }
}

/// What differs, a line for every row that came or went and for every column that
/// changed, in the order of the text:
///
/// ```text
/// job_leases/publication:7 + expires_at=180000, fence=1, owner_id="ada", updated_at=0
/// publication_items/7.state: "scheduled" -> "processing"
/// bank_edits/e1 is gone
/// ```
pub fn changes(before: &Tables, after: &Tables) -> Vec<String> {
    let (before, after) = (by_label(before), by_label(after));
    let mut lines: Vec<String> = Vec::new();
    for (label, row) in &after {
        match before.get(label) {
            None => lines.push(inserted(label, row)),
            Some(old) => lines.extend(changed(label, old, row)),
        }
    }
    lines.extend(before.keys().filter(|label| !after.contains_key(*label)).map(|it| format!("{it} is gone")));
    lines.sort();
    lines
}

/// What is wrong with the shape of a dump, a line for every complaint.
pub fn misshapen(tables: &Tables) -> Vec<String> {
    let mut complaints = Vec::new();
    for name in tables.keys().filter(|name| shape_of(name).is_none()) {
        complaints.push(format!("the dump has a table {name} that the schema does not have"));
    }
    for shape in SCHEMA {
        let Some(rows) = tables.get(shape.name) else {
            complaints.push(format!("the dump lacks the table {}", shape.name));
            continue;
        };
        let mut expected = shape.columns.to_vec();
        expected.sort_unstable();
        for row in rows.iter().filter(|row| !row.keys().eq(&expected)) {
            let found: Vec<_> = row.keys().collect();
            complaints.push(format!("{}: the columns are {found:?}, expected {expected:?}", shape.name));
        }
    }
    complaints
}

fn shape_of(table: &str) -> Option<&'static TableShape> {
    SCHEMA.iter().find(|shape| shape.name == table)
}

fn compare(a: Option<&Value>, b: Option<&Value>) -> Ordering {
    let number = |value: Option<&Value>| value.and_then(Value::as_i64);
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    number(a).cmp(&number(b)).then_with(|| text(a).cmp(&text(b)))
}

fn by_label(tables: &Tables) -> BTreeMap<String, &Row> {
    tables
        .iter()
        .flat_map(|(name, rows)| rows.iter().map(move |row| (format!("{name}/{}", key_of(name, row)), row)))
        .collect()
}

fn key_of(table: &str, row: &Row) -> String {
    let columns = shape_of(table).map_or(&[] as &[&str], |shape| shape.key);
    let parts: Vec<_> = columns.iter().map(|column| plain(row.get(*column))).collect();
    parts.join(",")
}

fn plain(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => "?".to_owned(),
    }
}

fn inserted(label: &str, row: &Row) -> String {
    let table = label.split('/').next().unwrap_or_default();
    let key = shape_of(table).map_or(&[] as &[&str], |shape| shape.key);
    let columns: Vec<_> = row
        .iter()
        .filter(|(column, _)| !key.contains(&column.as_str()))
        .map(|(column, value)| format!("{column}={value}"))
        .collect();
    format!("{label} + {}", columns.join(", "))
}

fn changed(label: &str, old: &Row, new: &Row) -> Vec<String> {
    new.iter()
        .filter(|(column, value)| old.get(*column) != Some(value))
        .map(|(column, value)| {
            let was = old.get(column).map_or_else(|| "?".to_owned(), Value::to_string);
            format!("{label}.{column}: {was} -> {value}")
        })
        .collect()
}
