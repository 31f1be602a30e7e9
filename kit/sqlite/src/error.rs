//! SQLite's errors, told apart by what is known to have been written.
//!
//! Until COMMIT nothing is written, whatever goes wrong: a failing statement or a full
//! disk is a definite refusal. Only a COMMIT that fails for an unusual reason leaves
//! open what happened.

use fencepost_batch::texts::failed_assertion;
use fencepost_core::{StoreError, StoreErrorKind};

/// SQLite's primary result codes.
const BUSY: u32 = 5;
const LOCKED: u32 = 6;
const READONLY: u32 = 8;
const IOERR: u32 = 10;
const FULL: u32 = 13;
const CANTOPEN: u32 = 14;
const NOTADB: u32 = 26;
const CORRUPT: u32 = 11;

/// What went wrong, whichever driver told it.
pub(crate) struct Fault {
    /// SQLite's primary result code.
    code: Option<u32>,
    kind: StoreErrorKind,
    told: String,
}

/// An error before COMMIT: nothing was written.
pub(crate) fn refusal(error: impl Into<Fault>) -> StoreError {
    let Fault { kind, told, .. } = error.into();
    StoreError::new(kind, told)
}

/// Whether others keep this one from what it asked for.
pub(crate) fn is_busy(error: impl Into<Fault>) -> bool {
    error.into().kind == StoreErrorKind::Busy
}

/// An error of COMMIT itself.
pub(crate) fn commit_failure(error: &rusqlite::Error) -> StoreError {
    let fault = Fault::from(error);
    match fault.code {
        // The transaction is still open, or was rolled back whole.
        Some(BUSY | LOCKED | FULL | READONLY) => refusal(fault),
        _ => StoreError::unknown(fault.told),
    }
}

impl From<&sqlx::Error> for Fault {
    fn from(error: &sqlx::Error) -> Self {
        match error {
            sqlx::Error::PoolTimedOut => Self::waited_too_long(),
            sqlx::Error::PoolClosed => Self::closed(),
            sqlx::Error::Database(error) => {
                let code = error.code().and_then(|code| code.parse().ok());
                Self::of_sqlite(code, error.message())
            }
            other => Self::of_sqlite(None, &other.to_string()),
        }
    }
}

impl From<&rusqlite::Error> for Fault {
    fn from(error: &rusqlite::Error) -> Self {
        let code = |error: &rusqlite::ffi::Error| u32::try_from(error.extended_code).ok();
        match error {
            rusqlite::Error::SqliteFailure(failure, Some(message)) => Self::of_sqlite(code(failure), message),
            // Without the statement, which is long.
            rusqlite::Error::SqlInputError { error, msg, .. } => Self::of_sqlite(code(error), msg),
            other => Self::of_sqlite(other.sqlite_error().and_then(code), &other.to_string()),
        }
    }
}

impl Fault {
    /// A connection was waited for in vain.
    pub(crate) fn waited_too_long() -> Self {
        let told = "no connection became free; too many requests wait for it";
        Self { code: None, kind: StoreErrorKind::Busy, told: told.to_owned() }
    }

    /// There is no connection to wait for.
    pub(crate) fn closed() -> Self {
        let told = "the database is closed, or was opened only to be read";
        Self { code: None, kind: StoreErrorKind::Refused, told: told.to_owned() }
    }

    fn of_sqlite(extended: Option<u32>, message: &str) -> Self {
        let code = extended.map(|code| code & 0xFF);
        if let Some(failed) = failed_assertion(message) {
            return Self { code, kind: StoreErrorKind::Assertion, told: failed.to_owned() };
        }
        let kind = match code {
            Some(BUSY | LOCKED) => StoreErrorKind::Busy,
            _ => StoreErrorKind::Refused,
        };
        let message = extended.map_or_else(|| message.to_owned(), |code| format!("{message} (code {code})"));
        Self { code, kind, told: told(code, message) }
    }
}

/// What happened and what to do.
fn told(code: Option<u32>, message: String) -> String {
    match code {
        Some(BUSY | LOCKED) => format!(
            "another process keeps writing ({message}); if this lasts, find the process that holds the file"
        ),
        Some(READONLY) => format!(
            "{message}; give this process write permission to the file and its folder, or if this is a query \
             that writes, run it as a batch"
        ),
        Some(IOERR) => {
            format!("{message}; check the disk: its free space, its health, and limits on the size of files")
        }
        Some(FULL) => format!("{message}; free some space on its disk"),
        Some(CANTOPEN) => format!("{message}; check that the folder exists and may be written"),
        Some(NOTADB) => format!("{message}; name another file, or restore a backup"),
        Some(CORRUPT) => format!("{message}; stop the site and restore a backup"),
        _ => message,
    }
}
