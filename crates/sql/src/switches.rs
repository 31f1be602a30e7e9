//! What holds for the whole site: the pause, the quota of the day, the policy of catching up.

use fencepost_domain::{action::Entry, catch_up::CatchUp, quota::DailyQuota, time::DAY_MS};

use crate::{
    Batch, Query, Statement, Value,
    action_log::{entry_params, landed, landing, trace_sql},
    clock::CLOCK,
    decode::{self, CATCH_UP_COLUMNS, QUOTA_COLUMNS},
    sql_texts,
};

sql_texts! {
    /// The trace of a pause or of its end, and its guard.
    TRACE_PAUSE = "switches/trace_pause", trace_sql(
        2,
        "NULL",
        "json_object('from', s.paused, 'to', CAST(?1 AS INTEGER))",
        "\
JOIN site_state AS s ON s.id = 1
WHERE s.paused <> CAST(?1 AS INTEGER)");
    /// Stops or resumes.
    SET_PAUSED = "switches/set_paused", format!("\
UPDATE site_state
SET paused = CAST(?1 AS INTEGER)
WHERE id = 1
  AND {}", landing("?2"));
    /// Whether the site is paused.
    READ_PAUSED = "switches/read_paused", "\
SELECT paused
FROM site_state
WHERE id = 1";
    /// The trace of a quota that is set for the present day, and its guard. Nothing may be
    /// what was seen, so whether anything was seen at all is a parameter of its own.
    TRACE_QUOTA = "switches/trace_quota", trace_sql(
        2,
        "NULL",
        "json_object('from', q.set_quota, 'to', CAST(?1 AS INTEGER))",
        &format!("\
LEFT JOIN daily_quotas AS q ON q.utc_day = clock.now / {DAY_MS}
WHERE q.set_quota IS NOT CAST(?1 AS INTEGER)
  AND (CAST(?7 AS INTEGER) = 0 OR q.set_quota IS CAST(?8 AS INTEGER))"));
    /// Sets the quota of the day of its trace.
    SET_QUOTA = "switches/set_quota", format!("\
INSERT INTO daily_quotas (utc_day, published, quota, set_quota)
SELECT o.at / {DAY_MS}, 0, 0, CAST(?1 AS INTEGER)
FROM operator_actions AS o
WHERE o.token = ?2
  AND o.landing = 1
ON CONFLICT (utc_day) DO UPDATE
SET set_quota = excluded.set_quota");
    /// The quota of the present day.
    READ_QUOTA = "switches/read_quota", format!("\
SELECT {QUOTA_COLUMNS}
FROM {CLOCK}
JOIN daily_quotas AS q ON q.utc_day = clock.now / {DAY_MS}");
    /// The trace of a policy of catching up, and its guard.
    TRACE_POLICY = "switches/trace_policy", trace_sql(
        3,
        "NULL",
        "json_object('from_publish_late', s.publish_late, 'from_skip_older_than', s.skip_older_than,
    'publish_late', CAST(?1 AS INTEGER), 'skip_older_than', CAST(?2 AS INTEGER))",
        "\
JOIN site_state AS s ON s.id = 1
WHERE (s.publish_late <> CAST(?1 AS INTEGER) OR s.skip_older_than IS NOT CAST(?2 AS INTEGER))
  AND (?8 IS NULL
    OR (s.publish_late = CAST(?8 AS INTEGER) AND s.skip_older_than IS CAST(?9 AS INTEGER)))");
    /// Sets the policy.
    SET_POLICY = "switches/set_policy", format!("\
UPDATE site_state
SET publish_late = CAST(?1 AS INTEGER),
    skip_older_than = CAST(?2 AS INTEGER)
WHERE id = 1
  AND {}", landing("?3"));
    /// The policy.
    READ_POLICY = "switches/read_policy", format!("\
SELECT {CATCH_UP_COLUMNS}
FROM site_state AS s
WHERE s.id = 1");
}

/// Stops or resumes all that makes content public.
pub fn set_paused(paused: bool, entry: &Entry) -> Batch<bool> {
    let mut guarded = vec![paused.into()];
    guarded.extend(entry_params(entry));
    Batch {
        writes: vec![
            Statement::new(&TRACE_PAUSE, guarded),
            Statement::new(&SET_PAUSED, vec![paused.into(), entry.token.as_str().into()]),
            landed(entry),
        ],
        readback: Query::new(&READ_PAUSED, Vec::new(), |row| decode::flag(row, "paused")),
    }
}

/// Sets the quota of the present day, or leaves it to the settings again. A day that nothing
/// is known of has no row.
pub fn set_quota(
    quota: Option<i64>,
    expected: Option<Option<i64>>,
    entry: &Entry,
) -> Batch<Option<DailyQuota>> {
    let mut guarded = vec![quota.into()];
    guarded.extend(entry_params(entry));
    guarded.extend([expected.is_some().into(), expected.flatten().into()]);
    Batch {
        writes: vec![
            Statement::new(&TRACE_QUOTA, guarded),
            Statement::new(&SET_QUOTA, vec![quota.into(), entry.token.as_str().into()]),
            landed(entry),
        ],
        readback: Query::new(&READ_QUOTA, vec![Value::Clock], decode::optional_quota),
    }
}

/// Sets what jobs do about items that are late.
pub fn set_catch_up(policy: CatchUp, expected: Option<CatchUp>, entry: &Entry) -> Batch<CatchUp> {
    let values = || vec![policy.publish_late.into(), policy.skip_older_than.into()];
    let (mut guarded, mut set) = (values(), values());
    guarded.extend(entry_params(entry));
    guarded.extend([
        expected.map(|seen| seen.publish_late).into(),
        expected.and_then(|seen| seen.skip_older_than).into(),
    ]);
    set.push(entry.token.as_str().into());
    Batch {
        writes: vec![Statement::new(&TRACE_POLICY, guarded), Statement::new(&SET_POLICY, set), landed(entry)],
        readback: catch_up(),
    }
}

/// What jobs do about items that are late.
pub fn catch_up() -> Query<CatchUp> {
    Query::new(&READ_POLICY, Vec::new(), decode::catch_up)
}
