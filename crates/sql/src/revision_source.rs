//! Time and revision, the first read of every request.

use fencepost_domain::revision::{Revision, SiteMoment};

use crate::{
    Query, Value,
    clock::CLOCK,
    decode,
    publication_ledger::{BACKLOG, RUNNABLE, rested},
    statement::sql_texts,
};

sql_texts! {
    /// The clock, both revisions, and whether anything is overdue. Every request asks, so
    /// what is looked for is in the index of the backlog, which holds nothing else.
    MOMENT = "revision_source/moment", format!("\
SELECT clock.now, s.publication_revision, s.bank_revision,
  s.paused = 0
    AND EXISTS (SELECT 1
                FROM {BACKLOG}
                WHERE {RUNNABLE}
                  AND i.due_at <= clock.now
                  AND {rested}) AS overdue
FROM {CLOCK}
JOIN site_state AS s ON s.id = 1", rested = rested("clock.now"));
}

/// The clock, both revisions, and whether anything is overdue.
pub fn moment() -> Query<SiteMoment> {
    Query::new(&MOMENT, vec![Value::Clock], |row| {
        Ok(SiteMoment {
            now: decode::instant(row, "now")?,
            publication_revision: Revision::new(decode::integer(row, "publication_revision")?),
            bank_revision: decode::integer(row, "bank_revision")?,
            overdue: decode::flag(row, "overdue")?,
        })
    })
}
