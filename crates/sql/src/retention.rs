//! Forgetting what is old, by the statement by which a run ends.
//!
//! The run has just been given its end, and that is the instant from which ages count: a run
//! that is not on record forgets nothing. Runs and imports are looked for among the oldest
//! rows, by their numbers, of which only so many are looked at, and none if the first that may
//! go is young; delivered events by an index. So a statement costs next to nothing where there
//! is nothing to forget, and never more than a few hundred rows.

use fencepost_domain::{
    id::RunId,
    retention::{AT_ONCE, OPEN_RUN_MS, Perishable, Pruning},
};

use crate::{Statement, sql_texts};

/// The instant before which rows are old, for the run `?1` and an age of `?2`.
const OLD: &str =
    "(SELECT ended.finished_at - CAST(?2 AS INTEGER) FROM job_runs AS ended WHERE ended.run_id = ?1)";

/// Below the one lies every number that SQLite gives to a row, and below the other none. Whether the first row that may go is old is asked
/// as a bound of the numbers, which is known before any row is looked at. As a condition
/// beside them it would be tried on every row of the table, since no row that fails it
/// counts towards the limit.
const ANY_ROW: i64 = i64::MAX;
const NO_ROW: i64 = i64::MIN;

sql_texts! {
    /// Old runs, but for the very first one, the newest of each job and the newest that ended,
    /// and the one that forgets. One that has not ended may be at work.
    PRUNE_RUNS = "retention/prune_runs", format!("\
DELETE FROM job_runs
WHERE job_runs.rowid IN (SELECT r.rowid
                         FROM job_runs AS r
                         WHERE r.rowid > (SELECT min(one.rowid) FROM job_runs AS one)
                           AND r.rowid < iif((SELECT second.started_at
                                              FROM job_runs AS second
                                              WHERE second.rowid > (SELECT min(one.rowid) FROM job_runs AS one)
                                              ORDER BY second.rowid
                                              LIMIT 1) < {OLD}, {ANY_ROW}, {NO_ROW})
                         ORDER BY r.rowid
                         LIMIT {AT_ONCE})
  AND job_runs.started_at + iif(job_runs.finished_at IS NULL, {OPEN_RUN_MS}, 0) < {OLD}
  AND job_runs.run_id <> ?1
  AND job_runs.rowid <> (SELECT newest.rowid
                         FROM job_runs AS newest
                         WHERE newest.job = job_runs.job
                         ORDER BY newest.rowid DESC
                         LIMIT 1)
  AND job_runs.rowid <> coalesce((SELECT newest.rowid
                                  FROM job_runs AS newest
                                  WHERE newest.job = job_runs.job
                                    AND newest.finished_at IS NOT NULL
                                  ORDER BY newest.rowid DESC
                                  LIMIT 1), 0)");
    /// The tokens of old imports, but for the very first one.
    PRUNE_EDITS = "retention/prune_edits", format!("\
DELETE FROM bank_edits
WHERE bank_edits.rowid IN (SELECT e.rowid
                           FROM bank_edits AS e
                           WHERE e.rowid > (SELECT min(one.rowid) FROM bank_edits AS one)
                             AND e.rowid < iif((SELECT second.edited_at
                                                FROM bank_edits AS second
                                                WHERE second.rowid > (SELECT min(one.rowid) FROM bank_edits AS one)
                                                ORDER BY second.rowid
                                                LIMIT 1) < {OLD}, {ANY_ROW}, {NO_ROW})
                           ORDER BY e.rowid
                           LIMIT {AT_ONCE})
  AND bank_edits.edited_at < {OLD}");
    /// Events that were delivered long ago, but for the one with the highest number: numbers
    /// are given out once.
    PRUNE_EVENTS = "retention/prune_events", format!("\
DELETE FROM outbox
WHERE outbox.number IN (SELECT o.number
                        FROM outbox AS o
                        WHERE o.state = 'delivered'
                          AND o.delivered_at < {OLD}
                        ORDER BY o.delivered_at
                        LIMIT {AT_ONCE})
  AND outbox.number < (SELECT max(one.number) FROM outbox AS one)");
}

/// Forgets what is old at the end of a run.
pub(crate) fn prune(run_id: &RunId, pruning: Pruning) -> Statement {
    let text = match pruning.what {
        Perishable::Runs => &PRUNE_RUNS,
        Perishable::Edits => &PRUNE_EDITS,
        Perishable::Events => &PRUNE_EVENTS,
    };
    Statement::new(text, vec![run_id.as_str().into(), pruning.keep_ms.into()])
}
