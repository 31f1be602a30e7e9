//! The check of the whole database: one query per invariant, each returning what
//! violates it. Looks at everything, so it is for people and tests, not for requests.
//!
//! Every query reads one state, but two queries may read two, since nothing keeps a running
//! site from writing between them. So no rule is spread over queries, and none of them needs
//! another to have held before.
//!
//! What a violation is proven from are the receipts. They are written once, together with
//! what they prove, and are never changed. Whatever else the database says of a page can be
//! derived from them, and has to agree.

use fencepost_domain::{
    image::ImageKey,
    sorting::sort,
    violation::{ReferencedImage, Schema, StoredRow, Violation},
};
use serde::Deserialize;

use crate::{
    DecodeError, Query, Row, SqlText, decode,
    migrations::{self, NAMES},
    sql_texts,
};

mod counts;

mod receipts;

mod pages;

mod schedule;

mod outbox;

sql_texts! {
    /// Whether the database has a list of its migrations.
    HAS_JOURNAL = "verifier/has_journal", migrations::HAS_JOURNAL;
    /// The migrations of the database.
    APPLIED = "verifier/applied", migrations::APPLIED;
    /// The photos that pages and ready images refer to, in order, and the rows that do.
    REFERENCED_IMAGES = "verifier/referenced_images", "\
SELECT needed.object_key,
  (SELECT json_group_array(json_array(it.source, it.puzzle_id))
   FROM (SELECT 'answer_posts' AS source, a.puzzle_id FROM answer_posts AS a WHERE a.image_key = needed.object_key
         UNION ALL
         SELECT 'source_images', m.puzzle_id FROM source_images AS m WHERE m.object_key = needed.object_key) AS it)
    AS concerned
FROM (SELECT m.object_key FROM source_images AS m WHERE m.object_key > ?1
      UNION
      SELECT a.image_key FROM answer_posts AS a WHERE a.image_key > ?1
      ORDER BY 1
      LIMIT CAST(?2 AS INTEGER)) AS needed
ORDER BY needed.object_key";
}

/// The beginning of a check: its rule, and the expressions for what violates it, for what
/// was found, and for the rows concerned. The key of a row that is not there may be NULL.
fn finding(rule: &str, subject: &str, detail: &str, rows: &[(&str, &str)]) -> String {
    let row = |(table, key): &(&str, &str)| format!("json_array('{table}', {key})");
    let rows: Vec<_> = rows.iter().map(row).collect();
    finding_of(&format!("'{rule}'"), subject, detail, &format!("json_array({})", rows.join(", ")))
}

/// The same, where the rule and the rows concerned are expressions of their own.
fn finding_of(rule: &str, subject: &str, detail: &str, rows: &str) -> String {
    format!("SELECT {rule} AS rule,\n  {subject} AS subject,\n  {detail} AS detail,\n  {rows} AS concerned")
}

/// The texts of every check.
fn check_texts() -> Vec<&'static SqlText> {
    [counts::texts(), receipts::texts(), pages::texts(), schedule::texts(), outbox::texts()].concat()
}

/// Every text of the verifier.
pub(crate) fn all_texts() -> Vec<&'static SqlText> {
    [check_texts(), texts()].concat()
}

/// Every check.
pub fn checks() -> Vec<Query<Violation>> {
    let check = |text| {
        Query::new(text, Vec::new(), |row| {
            Ok(Violation {
                rule: decode::text(row, "rule")?,
                subject: decode::text(row, "subject")?,
                detail: decode::text(row, "detail")?,
                rows: concerned(row)?,
            })
        })
    };
    check_texts().into_iter().map(check).collect()
}

/// Whether the database has a list of its migrations.
pub fn has_journal() -> Query<bool> {
    Query::new(&HAS_JOURNAL, Vec::new(), |row| decode::flag(row, "is_there"))
}

/// The migrations of the database, in their order; only of one that has a list of them.
pub fn applied_migrations() -> Query<String> {
    Query::new(&APPLIED, Vec::new(), |row| decode::text(row, "name"))
}

/// How these migrations of a database compare with those of this version.
pub fn schema(applied: &[String]) -> Schema {
    let is_known = |name: &&String| NAMES.contains(&name.as_str());
    Schema {
        missing: NAMES
            .iter()
            .filter(|name| applied.iter().all(|it| it != *name))
            .map(|&it| it.to_owned())
            .collect(),
        unknown: applied.iter().filter(|name| !is_known(name)).cloned().collect(),
    }
}

/// Photos that pages and ready images refer to, in order, after `after`.
pub fn referenced_images(after: Option<&ImageKey>, limit: u32) -> Query<ReferencedImage> {
    let params = vec![after.map_or("", ImageKey::as_str).into(), i64::from(limit).into()];
    Query::new(&REFERENCED_IMAGES, params, |row| {
        Ok(ReferencedImage { key: decode::parsed(row, "object_key")?, rows: concerned(row)? })
    })
}

/// A primary key, as a database writes it into JSON.
#[derive(Deserialize)]
#[serde(untagged)]
enum Key {
    Number(i64),
    Text(String),
}

fn concerned(row: &dyn Row) -> Result<Vec<StoredRow>, DecodeError> {
    let named: Vec<(String, Option<Key>)> = decode::json(row, "concerned")?;
    let there = named.into_iter().filter_map(|(table, key)| {
        Some(match key? {
            Key::Number(number) => StoredRow::new(&table, number),
            Key::Text(text) => StoredRow::new(&table, text),
        })
    });
    let mut rows: Vec<_> = there.collect();
    sort(&mut rows);
    Ok(rows)
}
