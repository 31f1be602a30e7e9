//! Imports.

use serde_json::{Value, json};

/// A row without a photo.
pub(crate) fn row(id: i64, play_date: &str) -> Value {
    json!({
        "id": id,
        "play_date": play_date,
        "name": format!("Thing {id}"),
        "price_cents": 100 * id,
        "description": format!("About *thing* {id}."),
    })
}

/// A row whose photo is at `image_url`.
pub(crate) fn row_with_photo(id: i64, play_date: &str, image_url: &str) -> Value {
    let mut row = row(id, play_date);
    row["image_url"] = image_url.into();
    row
}

/// An import of these rows.
pub(crate) fn bank(rows: impl IntoIterator<Item = Value>) -> Value {
    json!({ "puzzles": rows.into_iter().collect::<Vec<_>>() })
}

/// `count` rows without photos, numbered from 1, on consecutive days of one November.
pub(crate) fn november(count: i64) -> impl Iterator<Item = Value> {
    (1..=count).map(|day| row(day, &format!("2026-11-{day:02}")))
}
