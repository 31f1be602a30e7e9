//! Clauses of what is told to others, taken away one at a time.
//!
//! What readers see does not depend on them, and the oracle judges what readers see. So they
//! are no part of the catalogue, and nothing is played: each has a case of the contract, which
//! every store has to keep, and which has to fail without the clause.

use super::trial::{Clause, missed};

const WANTED: &str = "o.kind IN (SELECT value FROM json_each(?3))";
const DUE: &str = "o.next_attempt_at <= ";
const FREE: &str = "o.claimed_until <= ";
const FRESH: &str = "clock.now <= ?3 + 60000";
const RAISED_WANTED: &str = "'alert_raised' IN (SELECT value FROM json_each(?2))";
const CALM_AS_SEEN: &str = "alert_episodes.calm_since IS m.value ->> 'calm_since'";

const CLAUSES: &[Clause] = &[
    (
        "outbox/begin",
        "SELECT 1, s.publication_revision",
        "SELECT 1, 0",
        "outbox::nothing_of_the_past_is_enqueued",
    ),
    (
        "outbox/begin",
        "DO NOTHING",
        "DO UPDATE SET revision = excluded.revision",
        "outbox::a_commit_is_enqueued_once_with_what_its_receipt_says",
    ),
    ("outbox/enqueue", "r.revision > c.revision", "true", "outbox::nothing_of_the_past_is_enqueued"),
    (
        "outbox/enqueue",
        "IN (SELECT value FROM json_each(?2))",
        "IS NOT NULL AND ?2 IS NOT NULL",
        "outbox::a_kind_that_is_not_wanted_is_passed_over_for_good",
    ),
    (
        "outbox/advance",
        "outbox_cursor.revision < s.publication_revision",
        "false",
        "outbox::a_kind_that_is_not_wanted_is_passed_over_for_good",
    ),
    ("outbox/claim", "o.state = 'pending'", "true", "outbox::a_delivery_is_recorded_and_ends_it"),
    (
        "outbox/claim",
        DUE,
        "0 * o.next_attempt_at <= ",
        "outbox::a_failure_waits_twice_as_long_each_time_until_the_event_is_dead",
    ),
    ("outbox/claim", FREE, "0 * o.claimed_until <= ", "outbox::an_event_is_claimed_by_one"),
    ("outbox/claim", WANTED, "?3 IS NOT NULL", "outbox::only_kinds_that_are_told_are_claimed"),
    (
        "outbox/claim",
        "ORDER BY o.next_attempt_at, o.number",
        "ORDER BY o.number DESC",
        "outbox::each_has_an_event_of_its_own_and_the_one_due_longest_comes_first",
    ),
    (
        "outbox/claim",
        "attempts = attempts + 1",
        "attempts = attempts",
        "outbox::an_attempt_that_nobody_reports_of_counts_as_one_that_failed",
    ),
    (
        "outbox/claim",
        "clock.now + min(",
        "clock.now + 0 * min(",
        "outbox::an_attempt_that_nobody_reports_of_counts_as_one_that_failed",
    ),
    (
        "outbox/record",
        "outbox.claimed_by = ?3",
        "true",
        "outbox::an_event_of_a_dead_worker_is_claimed_by_the_next",
    ),
    (
        "outbox/record",
        "claimed_by = NULL",
        "claimed_by = claimed_by",
        "outbox::a_delivery_is_recorded_and_ends_it",
    ),
    ("outbox/trace_retry", "e.state <> 'delivered'", "true", "outbox::a_delivery_is_recorded_and_ends_it"),
    (
        "outbox/trace_retry",
        "NOT (e.state = 'pending' AND e.attempts = 0 AND e.next_attempt_at <= clock.now)",
        "true",
        "outbox::a_retry_of_what_is_to_be_tried_at_once_changes_nothing",
    ),
    (
        "outbox/retry",
        "EXISTS (SELECT 1 FROM operator_actions AS o WHERE o.token = ?3 AND o.landing = 1)",
        "?3 IS NOT NULL",
        "outbox::a_delivery_is_recorded_and_ends_it",
    ),
    (
        "outbox/retry",
        "attempts = 0",
        "attempts = attempts",
        "outbox::a_person_lets_an_event_be_tried_again_from_the_beginning",
    ),
    ("alert_log/move", CALM_AS_SEEN, "true", "alerting::an_episode_moves_on_only_from_where_it_was_seen"),
    (
        "alert_log/move",
        "alert_episodes.cleared_at IS NULL",
        "true",
        "alerting::of_two_that_see_the_same_edge_one_writes_it",
    ),
    ("alert_log/move", FRESH, "true", "alerting::what_was_seen_too_long_ago_moves_nothing"),
    ("alert_log/raise", FRESH, "true", "alerting::what_was_seen_too_long_ago_moves_nothing"),
    (
        "alert_log/tell",
        "v.raised_by = ?1",
        "true",
        "alerting::an_edge_that_nobody_is_told_of_is_remembered_all_the_same",
    ),
    (
        "alert_log/tell",
        RAISED_WANTED,
        "true",
        "alerting::an_edge_that_nobody_is_told_of_is_remembered_all_the_same",
    ),
];

#[test]
fn a_clause_of_what_is_told_is_missed_by_its_case() {
    missed(CLAUSES);
}
