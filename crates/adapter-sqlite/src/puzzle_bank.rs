//! [`PuzzleBank`] on SQLite.

use async_trait::async_trait;
use fencepost_domain::id::CommitToken;
use fencepost_ports::{BankEdit, ImportReadback, PuzzleBank, RefusedRow, RowRefusal, StoreError};
use fencepost_sql::puzzle_bank::{self as plan, ImportRow, Refusal, RefusalReason};

use crate::SqliteStore;

#[async_trait]
impl PuzzleBank for SqliteStore {
    async fn import(&self, edit: &BankEdit) -> Result<ImportReadback, StoreError> {
        readback(self.batch_one(plan::import(&edit.token, &edit.rows, edit.grace_ms)).await?)
    }

    async fn trace_import(&self, token: &CommitToken) -> Result<Option<ImportReadback>, StoreError> {
        let row = self.read_one(plan::trace(token)).await?;
        row.counts.is_some().then(|| readback(row)).transpose()
    }
}

fn readback(row: ImportRow) -> Result<ImportReadback, StoreError> {
    let [inserted, updated, unchanged] = row.counts.unwrap_or_default();
    let refused = row.refused.into_iter().map(refused).collect::<Result<_, _>>()?;
    Ok(ImportReadback { inserted, updated, unchanged, bank_revision: row.bank_revision, refused })
}

fn refused(refusal: Refusal) -> Result<RefusedRow, StoreError> {
    let reason = match refusal.reason {
        RefusalReason::StaleVersion => RowRefusal::StaleVersion { stored: refusal.version },
        RefusalReason::DateTaken => RowRefusal::DateTaken {
            by: refusal.taken_by.ok_or_else(|| StoreError::corrupt("taken_by", "is NULL"))?,
        },
        RefusalReason::DateFixed => RowRefusal::DateFixed,
    };
    Ok(RefusedRow { puzzle_id: refusal.id, reason })
}
