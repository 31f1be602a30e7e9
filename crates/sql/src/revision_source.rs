//! Time and revision, the first read of every request.

use fencepost_domain::revision::{Revision, SiteMoment};

use crate::{Query, Value, clock::CLOCK, decode, statement::sql_texts};

sql_texts! {
    /// The clock and both revisions.
    MOMENT = "revision_source/moment", format!("\
SELECT clock.now, s.publication_revision, s.bank_revision
FROM {CLOCK}
JOIN site_state AS s ON s.id = 1");
}

/// The clock and both revisions.
pub fn moment() -> Query<SiteMoment> {
    Query::new(&MOMENT, vec![Value::Clock], |row| {
        Ok(SiteMoment {
            now: decode::instant(row, "now")?,
            publication_revision: Revision::new(decode::integer(row, "publication_revision")?),
            bank_revision: decode::integer(row, "bank_revision")?,
        })
    })
}
