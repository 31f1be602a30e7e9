//! Clauses by which a setting is changed only from where it was seen, taken away one at a
//! time.
//!
//! Whoever sets something in a schedule has not looked at it before. So each clause has a case
//! of the contract, which has to fail without it.

use super::trial::{Clause, missed};

const OVERTAKEN: &str = "acting::whoever_saw_what_is_not_so_any_more_sets_nothing";

const CLAUSES: &[Clause] = &[
    ("switches/trace_quota", "OR q.set_quota IS CAST(?8 AS INTEGER)", "OR ?8 IS ?8", OVERTAKEN),
    ("switches/trace_policy", "s.publish_late = CAST(?8 AS INTEGER)", "?8 IS NOT NULL", OVERTAKEN),
    ("switches/trace_policy", "s.skip_older_than IS CAST(?9 AS INTEGER)", "?9 IS ?9", OVERTAKEN),
];

#[test]
fn a_clause_of_what_was_seen_is_missed_by_its_case() {
    missed(CLAUSES);
}
