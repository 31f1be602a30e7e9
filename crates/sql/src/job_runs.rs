//! The heartbeat, and the overview for people.

use std::{collections::BTreeMap, iter};

use fencepost_domain::{
    action::{ActionKind, Actor},
    id::{OwnerId, RunId},
    job::{FinishedRun, Job, JobRun, LoggedRun, Overview, RECENT_MS, RECENT_RUNS},
    outcome::Outcome,
    retention::Pruning,
    revision::Revision,
    time::{DAY_MS, UnixMillis, UtcDay},
    work::Wake,
};

use crate::{
    Batch, DecodeError, Query, Row, Statement, Value, action_log,
    clock::{CLOCK, NOW},
    decode::{self, CATCH_UP_COLUMNS, QUOTA_COLUMNS},
    guard::caught_up,
    lease_store::lease_is_live,
    publication_ledger::{BACKLOG, RUNNABLE, free, rested},
    retention::prune,
    sql_texts,
};

/// The newest run of each job that has ended.
pub(crate) const HEARTBEATS: &str = "\
(SELECT json_group_array(json_object('job', r.job, 'ended_at', r.finished_at,
     'unknown', coalesce(r.counts ->> 'unknown', 0)))
   FROM (SELECT column1 AS job FROM (VALUES ('compensate'), ('publish'))) AS jobs
   JOIN job_runs AS r ON r.run_id = (SELECT newest.run_id FROM job_runs AS newest
                                     WHERE newest.job = jobs.job
                                       AND newest.finished_at IS NOT NULL
                                     ORDER BY newest.rowid DESC
                                     LIMIT 1))";

/// The oldest instant that anything remembers. Runs and commits are in their order; imports
/// are not.
pub(crate) const KNOWN_SINCE: &str = "\
(SELECT min(column1)
   FROM (VALUES
     ((SELECT e.edited_at FROM bank_edits AS e WHERE e.rowid = (SELECT min(rowid) FROM bank_edits))),
     ((SELECT r.started_at FROM job_runs AS r WHERE r.rowid = (SELECT min(rowid) FROM job_runs))),
     ((SELECT c.committed_at FROM commit_receipts AS c
       WHERE c.revision = (SELECT min(revision) FROM commit_receipts)))))";

/// A run in a list.
const RUN_COLUMNS: &str = "r.rowid AS number, r.run_id, r.job, r.owner_id, r.build, r.utc_day, r.started_at, \
r.finished_at, r.counts, r.error";

sql_texts! {
    /// A run begins. Telling it twice changes nothing.
    START_RUN = "job_runs/start_run", format!("\
INSERT INTO job_runs (run_id, job, owner_id, build, utc_day, started_at)
SELECT ?2, ?3, ?4, ?5, clock.now / {DAY_MS}, clock.now
FROM {CLOCK}
WHERE true
ON CONFLICT (run_id) DO NOTHING");
    /// The deed of a person that the run is. Telling it twice changes nothing.
    TRACE_RUN = "job_runs/trace_run", format!("\
INSERT INTO operator_actions ({})
SELECT r.run_id, r.started_at, ?2, ?3, NULL, ?4, json_object('job', r.job), 0
FROM job_runs AS r
WHERE r.run_id = ?1
ON CONFLICT (token) DO NOTHING", action_log::COLUMNS);
    /// When the run began.
    READ_START = "job_runs/read_start", "\
SELECT started_at
FROM job_runs
WHERE run_id = ?1";
    /// A run ends.
    FINISH_RUN = "job_runs/finish_run", format!("\
UPDATE job_runs
SET finished_at = clock.now,
    counts = ?3,
    error = ?4
FROM {CLOCK}
WHERE job_runs.run_id = ?2");
    /// When it ended, the revision then, and how much was left. What is left is counted in
    /// the index of the backlog, of which only what is due is looked at.
    READ_FINISH = "job_runs/read_finish", format!("\
SELECT r.finished_at, s.publication_revision,
  (SELECT count(*)
   FROM {BACKLOG}
   WHERE {RUNNABLE}
     AND i.due_at BETWEEN {since} AND r.finished_at
     AND {rested}
     AND {free}) AS still_due
FROM job_runs AS r
JOIN site_state AS s ON s.id = 1
WHERE r.run_id = ?1", since = caught_up("r.finished_at"), rested = rested("r.finished_at"), free = free("r.finished_at"));
    /// Runs, the newest first.
    RUNS = "job_runs/runs", format!("\
SELECT {RUN_COLUMNS}
FROM job_runs AS r
WHERE r.rowid < coalesce(?1, 9223372036854775807)
ORDER BY r.rowid DESC
LIMIT CAST(?2 AS INTEGER)");
    /// The runs of some owners, in any order.
    RUNS_OF = "job_runs/runs_of", format!("\
SELECT {RUN_COLUMNS}
FROM job_runs AS r
WHERE r.owner_id IN (SELECT wanted.value FROM json_each(?1) AS wanted)");
    /// What a person wants to know at a glance. It counts the whole ledger: for people, not
    /// for requests.
    OVERVIEW = "job_runs/overview", format!("\
SELECT clock.now, s.publication_revision, s.bank_revision, s.paused, {QUOTA_COLUMNS}, {CATCH_UP_COLUMNS},
  items.scheduled, items.overdue, items.outstanding, items.outstanding_since, items.left_alone, items.left_alone_since, items.processing, items.blocked, items.published, items.withdrawn,
  (SELECT json_group_array(json_object('run_id', r.run_id, 'job', r.job, 'owner_id', r.owner_id,
     'build', r.build, 'utc_day', r.utc_day, 'started_at', r.started_at, 'finished_at', r.finished_at,
     'counts', json(r.counts), 'error', r.error))
   FROM (SELECT column1 AS job FROM (VALUES ('compensate'), ('publish'))) AS jobs
   JOIN job_runs AS r ON r.run_id = (SELECT newest.run_id FROM job_runs AS newest
                                     WHERE newest.job = jobs.job
                                     ORDER BY newest.rowid DESC
                                     LIMIT 1)) AS last_runs,
  {HEARTBEATS} AS heartbeats,
  (SELECT json_group_array(json_object('job', b.job, 'build', b.build, 'ran_at', b.ran_at))
   FROM (SELECT r.job, r.build, max(r.started_at) AS ran_at
         FROM (SELECT * FROM job_runs ORDER BY rowid DESC LIMIT {RECENT_RUNS}) AS r
         WHERE r.started_at > {NOW} - {RECENT_MS}
         GROUP BY r.job, r.build
         ORDER BY r.job, ran_at DESC, r.build) AS b) AS recent_builds,
  {KNOWN_SINCE} AS known_since,
  (SELECT json_group_array(json_object('key', l.key, 'owner_id', l.owner_id, 'fence', l.fence,
     'held_since', l.updated_at, 'expires_at', l.expires_at))
   FROM (SELECT * FROM job_leases AS l WHERE {live} ORDER BY l.key) AS l) AS leases
FROM {CLOCK}
JOIN (SELECT
        count(*) FILTER (WHERE i.state = 'scheduled') AS scheduled,
        count(*) FILTER (WHERE i.state IN ('scheduled', 'processing', 'blocked') AND i.due_at <= {NOW}) AS overdue,
        count(*) FILTER (WHERE i.state IN ('scheduled', 'processing') AND i.due_at BETWEEN {since} AND {NOW}) AS outstanding,
        min(i.due_at) FILTER (WHERE i.state IN ('scheduled', 'processing') AND i.due_at BETWEEN {since} AND {NOW}) AS outstanding_since,
        count(*) FILTER (WHERE i.state IN ('scheduled', 'processing') AND i.due_at < {since}) AS left_alone,
        min(i.due_at) FILTER (WHERE i.state IN ('scheduled', 'processing') AND i.due_at < {since}) AS left_alone_since,
        count(*) FILTER (WHERE i.state = 'processing') AS processing,
        count(*) FILTER (WHERE i.state = 'blocked') AS blocked,
        count(*) FILTER (WHERE i.state = 'published') AS published,
        count(*) FILTER (WHERE i.state = 'withdrawn') AS withdrawn
      FROM publication_items AS i) AS items
JOIN site_state AS s ON s.id = 1
LEFT JOIN daily_quotas AS q ON q.utc_day = clock.now / {DAY_MS}", live = lease_is_live("l", NOW), since = caught_up(NOW));
}

/// Records that a run has begun.
pub fn start(
    run_id: &RunId,
    job: Job,
    owner: &OwnerId,
    build: &str,
    by: Option<&Actor>,
) -> Batch<UnixMillis> {
    let (run, owner) = (run_id.as_str(), owner.as_str());
    let params = vec![Value::Clock, run.into(), job.as_str().into(), owner.into(), build.into()];
    let mut writes = vec![Statement::new(&START_RUN, params)];
    if let Some(actor) = by {
        let [actor, action, reason] = action_log::deed_params(&actor.does(ActionKind::Run));
        writes.push(Statement::new(&TRACE_RUN, vec![run_id.as_str().into(), actor, action, reason]));
    }
    Batch {
        writes,
        readback: Query::new(&READ_START, vec![run_id.as_str().into()], |row| {
            decode::instant(row, "started_at")
        }),
    }
}

/// Records that a run has ended, and forgets what is old then.
pub fn finish(
    run_id: &RunId,
    counts: &BTreeMap<Outcome, u32>,
    error: Option<&str>,
    pruning: Option<Pruning>,
) -> Batch<FinishedRun> {
    let counts = serde_json::to_string(counts).expect("a map from words to numbers is JSON");
    let params = vec![Value::Clock, run_id.as_str().into(), counts.into(), error.into()];
    let finish = Statement::new(&FINISH_RUN, params);
    let writes = iter::once(finish).chain(pruning.map(|it| prune(run_id, it))).collect();
    Batch {
        writes,
        readback: Query::new(&READ_FINISH, vec![run_id.as_str().into()], |row| {
            Ok(FinishedRun {
                finished_at: decode::instant(row, "finished_at")?,
                revision: Revision::new(decode::integer(row, "publication_revision")?),
                left: decode::integer(row, "still_due")?,
            })
        }),
    }
}

/// Runs, the newest first.
pub fn runs(before: Option<i64>, limit: u32) -> Query<LoggedRun> {
    Query::new(&RUNS, vec![before.into(), i64::from(limit).into()], logged_run)
}

/// The runs of some owners, in any order.
pub fn runs_of(owners: &[OwnerId]) -> Query<LoggedRun> {
    let wanted = serde_json::to_string(owners).expect("a list of names is JSON");
    Query::new(&RUNS_OF, vec![wanted.into()], logged_run)
}

fn logged_run(row: &dyn Row) -> Result<LoggedRun, DecodeError> {
    Ok(LoggedRun {
        number: decode::integer(row, "number")?,
        run: JobRun {
            run_id: RunId::new(decode::text(row, "run_id")?),
            job: decode::parsed(row, "job")?,
            owner_id: OwnerId::new(decode::text(row, "owner_id")?),
            build: row.text("build")?,
            utc_day: UtcDay::new(decode::integer(row, "utc_day")?),
            started_at: decode::instant(row, "started_at")?,
            finished_at: decode::optional_instant(row, "finished_at")?,
            counts: decode::json(row, "counts")?,
            error: row.text("error")?,
        },
    })
}

/// The overview. When there is work next is for the ledger to say: `wake`.
pub fn overview(wake: Wake) -> Query<Overview> {
    Query::new(&OVERVIEW, vec![Value::Clock], move |row| {
        let count = |column| decode::integer(row, column);
        Ok(Overview {
            now: decode::instant(row, "now")?,
            publication_revision: Revision::new(count("publication_revision")?),
            bank_revision: count("bank_revision")?,
            paused: decode::flag(row, "paused")?,
            scheduled: count("scheduled")?,
            overdue: count("overdue")?,
            outstanding: count("outstanding")?,
            outstanding_since: decode::optional_instant(row, "outstanding_since")?,
            left_alone: count("left_alone")?,
            left_alone_since: decode::optional_instant(row, "left_alone_since")?,
            processing: count("processing")?,
            blocked: count("blocked")?,
            published: count("published")?,
            withdrawn: count("withdrawn")?,
            quota: decode::optional_quota(row)?,
            catch_up: decode::catch_up(row)?,
            next_wake: wake.first(),
            last_runs: decode::json(row, "last_runs")?,
            heartbeats: decode::json(row, "heartbeats")?,
            recent_builds: decode::json(row, "recent_builds")?,
            known_since: decode::optional_instant(row, "known_since")?,
            leases: decode::json(row, "leases")?,
        })
    })
}
