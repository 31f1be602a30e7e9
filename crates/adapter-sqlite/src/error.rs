//! SQLite's errors, told apart by what is known to have been written.
//!
//! Until COMMIT nothing is written, whatever goes wrong: a failing statement or a full
//! disk is a definite refusal. Only a COMMIT that fails for an unusual reason leaves
//! open what happened.

use fencepost_ports::{StoreError, StoreErrorKind};
use fencepost_sql::commit::ASSERTION;

/// SQLite's primary result codes.
const BUSY: u32 = 5;
const LOCKED: u32 = 6;
const READONLY: u32 = 8;
const FULL: u32 = 13;
const CANTOPEN: u32 = 14;
const NOTADB: u32 = 26;
const CORRUPT: u32 = 11;

/// An error before COMMIT: nothing was written.
pub(crate) fn refusal(error: &sqlx::Error) -> StoreError {
    let message = error.to_string();
    if message.contains(ASSERTION) {
        return StoreError::new(StoreErrorKind::Assertion, message);
    }
    if matches!(error, sqlx::Error::PoolTimedOut) {
        return StoreError::new(
            StoreErrorKind::Busy,
            "no connection became free; too many requests wait for it",
        );
    }
    match primary_code(error) {
        Some(BUSY | LOCKED) => StoreError::new(
            StoreErrorKind::Busy,
            format!(
                "another process keeps writing ({message}); if this lasts, find the process that holds the file"
            ),
        ),
        Some(READONLY) => StoreError::refused(format!(
            "{message}; give this process write permission to the file and its folder"
        )),
        Some(FULL) => StoreError::refused(format!("{message}; free some space on its disk")),
        Some(CANTOPEN) => {
            StoreError::refused(format!("{message}; check that the folder exists and may be written"))
        }
        Some(NOTADB) => StoreError::refused(format!("{message}; name another file, or restore a backup")),
        Some(CORRUPT) => StoreError::refused(format!("{message}; stop the site and restore a backup")),
        _ => StoreError::refused(message),
    }
}

/// An error of COMMIT itself.
pub(crate) fn commit_failure(error: &sqlx::Error) -> StoreError {
    match primary_code(error) {
        // The transaction is still open, or was rolled back whole.
        Some(BUSY | LOCKED | FULL | READONLY) => refusal(error),
        _ => StoreError::unknown(error.to_string()),
    }
}

fn primary_code(error: &sqlx::Error) -> Option<u32> {
    let code = error.as_database_error()?.code()?;
    code.parse::<u32>().ok().map(|extended| extended & 0xFF)
}
