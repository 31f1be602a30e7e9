//! Time and revision, the first read of every request.

use fencepost_domain::{
    calendar::Stretch,
    revision::{Revision, SiteMoment},
};

use crate::{Query, Value, clock::CLOCK, decode, guard::caught_up, publication_ledger::RUNNABLE, sql_texts};

sql_texts! {
    /// The clock, both revisions, whether anything is overdue, and the instants next to the
    /// clock. Every request asks, so each of the four is the end of an index: four rows are
    /// read, however long the ledger is.
    MOMENT = "revision_source/moment", format!("\
SELECT clock.now, s.publication_revision, s.bank_revision,
  s.paused = 0
    AND EXISTS (SELECT 1
                FROM publication_items AS i INDEXED BY publication_items_wake
                WHERE {RUNNABLE}
                  AND max(i.due_at, i.next_attempt_at) BETWEEN {since} AND clock.now
                  AND i.due_at >= {since}) AS overdue,
  (SELECT max(v.instant) FROM visibility_instants AS v WHERE v.instant <= clock.now) AS last_instant,
  (SELECT min(v.instant) FROM visibility_instants AS v WHERE v.instant > clock.now) AS next_instant
FROM {CLOCK}
JOIN site_state AS s ON s.id = 1", since = caught_up("clock.now"));
}

/// The clock, both revisions, whether anything is overdue, and the stretch of time.
pub fn moment() -> Query<SiteMoment> {
    Query::new(&MOMENT, vec![Value::Clock], |row| {
        let now = decode::instant(row, "now")?;
        let instant = |column| decode::optional_instant(row, column);
        Ok(SiteMoment {
            now,
            publication_revision: Revision::new(decode::integer(row, "publication_revision")?),
            bank_revision: decode::integer(row, "bank_revision")?,
            overdue: decode::flag(row, "overdue")?,
            stretch: Stretch::around(now, instant("last_instant")?, instant("next_instant")?),
        })
    })
}
