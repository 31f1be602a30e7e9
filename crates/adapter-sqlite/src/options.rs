//! How a database is opened.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use fencepost_sql::clock::ClockArgument;

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
}

impl SqliteOptions {
    /// A file with the database's own clock, full durability and ten seconds of patience.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            clock: StoreClock::Database,
            durability: Durability::Full,
            busy_timeout: Duration::from_secs(10),
        }
    }
}

/// What time it is for every statement of a store.
#[derive(Clone, Debug)]
pub enum StoreClock {
    /// The database's clock.
    Database,
    /// The database's clock, shifted by so many milliseconds.
    ShiftedBy(i64),
    /// Whatever instant the cell holds, in milliseconds: time as an argument.
    Manual(Arc<AtomicI64>),
}

impl StoreClock {
    pub(crate) fn argument(&self) -> ClockArgument {
        match self {
            Self::Database => ClockArgument::Database,
            Self::ShiftedBy(ms) => ClockArgument::ShiftedBy(*ms),
            Self::Manual(instant) => ClockArgument::At(instant.load(Ordering::SeqCst)),
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
