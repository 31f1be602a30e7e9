//! Importing puzzles: all rows or none.

use fencepost_domain::puzzle::{Complaint, ImportFile, validate_import};
use fencepost_ports::{BankEdit, ImportReadback, RefusedRow, StoreError, StoreErrorKind};

use crate::{Site, retry::TRIES};

/// Why nothing was imported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// Rows that cannot be, whatever the bank holds.
    #[error("nothing was imported: the import has {}", plural(.0.len(), "wrong field"))]
    Invalid(Vec<Complaint>),
    /// Rows that contradict what the bank holds.
    #[error("nothing was imported: {} at odds with the bank", plural(.0.len(), "row"))]
    Refused(Vec<RefusedRow>),
    /// The store misbehaved.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Site {
    /// Imports a file, as a whole. Importing the same file again changes nothing.
    pub async fn import(&self, file: ImportFile) -> Result<ImportReadback, ImportError> {
        let rows = validate_import(file).map_err(ImportError::Invalid)?;
        let mut edit = BankEdit { token: self.tokens.commit_token(), rows, grace_ms: self.settings.grace_ms };
        let mut tried = 0;
        loop {
            tried += 1;
            let error = match self.stores.bank.import(&edit).await {
                Ok(readback) if readback.refused.is_empty() => return Ok(readback),
                Ok(readback) => return Err(ImportError::Refused(readback.refused)),
                Err(error) => error,
            };
            if error.may_have_written() {
                let landed = self.persistently(|| self.stores.bank.trace_import(&edit.token)).await?;
                if let Some(readback) = landed {
                    return Ok(readback);
                }
            } else if error.kind() != StoreErrorKind::Busy {
                return Err(error.into());
            }
            if tried == TRIES {
                return Err(error.into());
            }
            self.back_off(tried).await;
            edit.token = self.tokens.commit_token();
        }
    }
}

fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
