//! A row of sqlx, as the plans decode it.

use fencepost_sql::{DecodeError, Row};
use sqlx::{Row as _, sqlite::SqliteRow};

/// A row of sqlx.
pub(crate) struct Decoded<'a>(pub(crate) &'a SqliteRow);

impl Row for Decoded<'_> {
    fn integer(&self, column: &'static str) -> Result<Option<i64>, DecodeError> {
        self.0.try_get(column).map_err(|error| DecodeError::new(column, error.to_string()))
    }

    fn text(&self, column: &'static str) -> Result<Option<String>, DecodeError> {
        self.0.try_get(column).map_err(|error| DecodeError::new(column, error.to_string()))
    }
}
