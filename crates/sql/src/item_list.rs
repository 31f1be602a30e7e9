//! The ledger as people look through it: by date of play, in both directions.

use fencepost_domain::{id::ContentVersion, item_view::ItemSummary, time::PlayDate};

use crate::{
    DecodeError, Query, Row,
    decode::{self, ITEM_COLUMNS},
    sql_texts,
};

sql_texts! {
    /// Items for people, newest date of play first.
    LIST_ITEMS = "publication_ledger/list_items", list_sql("p.play_date < coalesce(?1, '9999')", "DESC");
    /// Later items for people, the nearest date of play first.
    LIST_LATER_ITEMS = "publication_ledger/list_later_items", list_sql("p.play_date > ?1", "ASC");
}

/// The items of which `condition` holds, by date of play.
fn list_sql(condition: &str, order: &str) -> String {
    format!(
        "\
SELECT p.puzzle_id, p.play_date, p.name, {ITEM_COLUMNS},
  coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = p.puzzle_id), 0) AS page_version
FROM puzzles AS p
JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
WHERE {condition}
ORDER BY p.play_date {order}
LIMIT CAST(?2 AS INTEGER)"
    )
}

/// Items for people.
pub fn items(before: Option<PlayDate>, limit: u32) -> Query<ItemSummary> {
    let params = vec![before.map(|date| date.to_string()).into(), i64::from(limit).into()];
    Query::new(&LIST_ITEMS, params, item_summary)
}

/// Later items for people.
pub fn later_items(after: PlayDate, limit: u32) -> Query<ItemSummary> {
    let params = vec![after.to_string().into(), i64::from(limit).into()];
    Query::new(&LIST_LATER_ITEMS, params, item_summary)
}

fn item_summary(row: &dyn Row) -> Result<ItemSummary, DecodeError> {
    Ok(ItemSummary {
        puzzle_id: decode::puzzle_id(row, "puzzle_id")?,
        play_date: decode::parsed(row, "play_date")?,
        name: decode::text(row, "name")?,
        item: decode::required(decode::optional_item(row)?, "state")?,
        content_version: ContentVersion::new(decode::integer(row, "page_version")?),
    })
}
