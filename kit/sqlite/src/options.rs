//! How a database is opened.

use std::{path::PathBuf, time::Duration};

use fencepost_batch::StoreClock;
use fencepost_core::StoreCounts;

use crate::Migration;

/// How a database is opened.
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    /// The file; created when it does not exist.
    pub path: PathBuf,
    /// What time it is.
    pub clock: StoreClock,
    /// What survives a power failure.
    pub durability: Durability,
    /// How long a write waits for other processes' writes.
    pub busy_timeout: Duration,
    /// Where calls are counted.
    pub counts: StoreCounts,
    /// Every file of the schema, in the order in which they are applied.
    pub migrations: &'static [Migration],
}

impl SqliteOptions {
    /// A file with this schema, the database's own clock, full durability and ten seconds of
    /// patience.
    pub fn new(path: impl Into<PathBuf>, migrations: &'static [Migration]) -> Self {
        Self {
            path: path.into(),
            clock: StoreClock::Database,
            durability: Durability::Full,
            busy_timeout: Duration::from_secs(10),
            counts: StoreCounts::default(),
            migrations,
        }
    }
}

/// What survives a power failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Every commit, before it is reported (`synchronous=FULL`).
    #[default]
    Full,
    /// All but perhaps the last commits; the file stays consistent (`synchronous=NORMAL`).
    Normal,
}

impl Durability {
    /// What SQLite calls it, as a value of `synchronous`.
    pub(crate) const fn level(self) -> &'static str {
        match self {
            Self::Full => "FULL",
            Self::Normal => "NORMAL",
        }
    }
}
