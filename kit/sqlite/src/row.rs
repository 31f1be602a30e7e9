//! A row of a driver, as the plans decode it.

use fencepost_batch::{DecodeError, Row};
use sqlx::{Row as _, sqlite::SqliteRow};

/// A row of a driver.
pub(crate) struct Decoded<'a, R>(pub(crate) &'a R);

impl Row for Decoded<'_, SqliteRow> {
    fn integer(&self, column: &'static str) -> Result<Option<i64>, DecodeError> {
        self.0.try_get(column).map_err(|error| DecodeError::new(column, error.to_string()))
    }

    fn text(&self, column: &'static str) -> Result<Option<String>, DecodeError> {
        self.0.try_get(column).map_err(|error| DecodeError::new(column, error.to_string()))
    }
}

impl Row for Decoded<'_, rusqlite::Row<'_>> {
    fn integer(&self, column: &'static str) -> Result<Option<i64>, DecodeError> {
        self.0.get(column).map_err(|error| DecodeError::new(column, error.to_string()))
    }

    fn text(&self, column: &'static str) -> Result<Option<String>, DecodeError> {
        self.0.get(column).map_err(|error| DecodeError::new(column, error.to_string()))
    }
}
