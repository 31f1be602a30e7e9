//! SQLite's errors, told apart by what is known to have been written.
//!
//! Until COMMIT nothing is written, whatever goes wrong: a failing statement or a full
//! disk is a definite refusal. Only a COMMIT that fails for an unusual reason leaves
//! open what happened.

use fencepost_batch::texts::ASSERTION;
use fencepost_ports::{StoreError, StoreErrorKind};

/// SQLite's primary result codes.
const BUSY: u32 = 5;
const LOCKED: u32 = 6;
const READONLY: u32 = 8;
const IOERR: u32 = 10;
const FULL: u32 = 13;
const CANTOPEN: u32 = 14;
const NOTADB: u32 = 26;
const CORRUPT: u32 = 11;

/// An error before COMMIT: nothing was written.
pub(crate) fn refusal(error: &sqlx::Error) -> StoreError {
    let kind = match primary_code(error) {
        _ if error.to_string().contains(ASSERTION) => StoreErrorKind::Assertion,
        _ if matches!(error, sqlx::Error::PoolTimedOut) => StoreErrorKind::Busy,
        Some(BUSY | LOCKED) => StoreErrorKind::Busy,
        _ => StoreErrorKind::Refused,
    };
    StoreError::new(kind, told(error))
}

/// Whether others keep this one from what it asked for.
pub(crate) fn is_busy(error: &sqlx::Error) -> bool {
    refusal(error).kind() == StoreErrorKind::Busy
}

/// An error of COMMIT itself.
pub(crate) fn commit_failure(error: &sqlx::Error) -> StoreError {
    match primary_code(error) {
        // The transaction is still open, or was rolled back whole.
        Some(BUSY | LOCKED | FULL | READONLY) => refusal(error),
        _ => StoreError::unknown(told(error)),
    }
}

/// What happened and what to do.
fn told(error: &sqlx::Error) -> String {
    let message = error.to_string();
    match primary_code(error) {
        Some(BUSY | LOCKED) => format!(
            "another process keeps writing ({message}); if this lasts, find the process that holds the file"
        ),
        Some(READONLY) => format!("{message}; give this process write permission to the file and its folder"),
        Some(IOERR) => {
            format!("{message}; check the disk: its free space, its health, and limits on the size of files")
        }
        Some(FULL) => format!("{message}; free some space on its disk"),
        Some(CANTOPEN) => format!("{message}; check that the folder exists and may be written"),
        Some(NOTADB) => format!("{message}; name another file, or restore a backup"),
        Some(CORRUPT) => format!("{message}; stop the site and restore a backup"),
        _ if matches!(error, sqlx::Error::PoolTimedOut) => {
            "no connection became free; too many requests wait for it".to_owned()
        }
        _ if matches!(error, sqlx::Error::PoolClosed) => {
            "the database is closed, or was opened only to be read".to_owned()
        }
        _ => message,
    }
}

fn primary_code(error: &sqlx::Error) -> Option<u32> {
    let code = error.as_database_error()?.code()?;
    code.parse::<u32>().ok().map(|extended| extended & 0xFF)
}
