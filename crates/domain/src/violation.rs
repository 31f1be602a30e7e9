//! What the verifier finds, and what it looks for.

use std::fmt;

use serde::Serialize;

use crate::image::ImageKey;

/// One violation of an invariant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Violation {
    /// The invariant, as a short word: `receipt_without_page`.
    pub rule: String,
    /// What violates it: `puzzle 1121`.
    pub subject: String,
    /// What was found and what was expected.
    pub detail: String,
    /// The rows that are at odds, those included that should be there and are not.
    pub rows: Vec<StoredRow>,
}

/// A row of the database, by its name: where somebody has to look.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct StoredRow {
    /// Its table.
    pub table: String,
    /// Its primary key, as text.
    pub key: String,
}

impl StoredRow {
    /// The row of `table` with this key.
    pub fn new(table: &str, key: impl fmt::Display) -> Self {
        Self { table: table.to_owned(), key: key.to_string() }
    }
}

impl fmt::Display for StoredRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.table, self.key)
    }
}

/// A photo that has to be there, and the rows that say so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferencedImage {
    /// Under which key it is kept.
    pub key: ImageKey,
    /// The pages and the ready photos that refer to it, in order.
    pub rows: Vec<StoredRow>,
}

/// How the tables of a database compare with those that a program was made for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schema {
    /// Migrations of the program that the database does not have.
    pub missing: Vec<String>,
    /// Migrations of the database that the program does not know.
    pub unknown: Vec<String>,
}
