//! Clauses of what a run forgets, taken away one at a time.
//!
//! The oracle does not look at the records of runs, nor at the tokens of imports. So each
//! clause has a case of the contract, which has to fail without it.

use super::trial::{Clause, missed};

const OLDER_RUNS: &str = "forgetting::old_runs_are_forgotten_but_the_first_and_the_newest_of_each_job";
const YOUNG: &str = "forgetting::what_is_not_old_is_kept_to_the_millisecond";
const AT_ONCE: &str = "forgetting::only_so_many_rows_are_forgotten_at_once";
const OLDER_EDITS: &str = "forgetting::tokens_of_old_imports_are_forgotten_and_nothing_of_the_bank";
const OLDER_EVENTS: &str = "forgetting::delivered_events_are_forgotten_and_never_enqueued_again";

const CLAUSES: &[Clause] = &[
    ("retention/prune_runs", "r.rowid > (SELECT min(one.rowid) FROM job_runs AS one)", "true", OLDER_RUNS),
    ("retention/prune_runs", "job_runs.started_at + ", "0 * ", YOUNG),
    (
        "retention/prune_runs",
        "iif(job_runs.finished_at IS NULL, 604800000, 0)",
        "0",
        "forgetting::whoever_takes_long_is_not_forgotten_before_its_end",
    ),
    (
        "retention/prune_runs",
        "AND job_runs.run_id <> ?1",
        "",
        "forgetting::whoever_takes_long_is_not_forgotten_before_its_end",
    ),
    (
        "retention/prune_runs",
        "job_runs.rowid <> (SELECT newest.rowid",
        "0 <> (SELECT newest.rowid",
        OLDER_RUNS,
    ),
    ("retention/prune_runs", "job_runs.rowid <> coalesce(", "0 <> coalesce(", OLDER_RUNS),
    ("retention/prune_runs", "LIMIT 500", "LIMIT 5000", AT_ONCE),
    (
        "retention/prune_edits",
        "e.rowid > (SELECT min(one.rowid) FROM bank_edits AS one)",
        "true",
        OLDER_EDITS,
    ),
    ("retention/prune_edits", "bank_edits.edited_at < ", "0 < ", OLDER_EDITS),
    ("retention/prune_events", "o.delivered_at < ", "0 < ", OLDER_EVENTS),
    (
        "retention/prune_events",
        "outbox.number < (SELECT max(one.number) FROM outbox AS one)",
        "true",
        OLDER_EVENTS,
    ),
];

#[test]
fn a_clause_of_what_is_forgotten_is_missed_by_its_case() {
    missed(CLAUSES);
}
