//! What is counted is counted right: revisions, the quota, results.

use super::{finding, finding_of};
use fencepost_domain::time::DAY_MS;

use crate::{results_log, sql_texts};

sql_texts! {
    /// There is exactly one row of site state.
    SITE_STATE = "verifier/site_state", format!("\
{}
WHERE NOT EXISTS (SELECT 1 FROM site_state)",
        finding(
            "site_state_missing",
            "'site'",
            "'the one row of site_state is missing'",
            &[("site_state", "1")],
        ));
    /// Every revision up to the site's has its receipt. Where one is missing, the versions of
    /// its puzzle have a hole: between two receipts, or before a page that is further than
    /// its newest one. The revisions around the hole tell which of the missing may have been
    /// its own.
    REVISIONS_MISSING = "verifier/revisions_missing", format!("\
WITH numbered (revision) AS (
    SELECT r.revision
    FROM commit_receipts AS r
    JOIN site_state AS s ON r.revision BETWEEN 1 AND s.publication_revision
    UNION ALL
    SELECT s.publication_revision + 1 FROM site_state AS s),
  gaps (low, high) AS (
    SELECT it.before + 1, it.revision - 1
    FROM (SELECT n.revision, lag(n.revision, 1, 0) OVER (ORDER BY n.revision) AS before FROM numbered AS n) AS it
    WHERE it.revision > it.before + 1),
  versions (puzzle_id, version, revision) AS (
    SELECT r.puzzle_id, r.content_version, r.revision FROM commit_receipts AS r
    UNION ALL
    SELECT a.puzzle_id, a.content_version + 1, s.publication_revision + 1
    FROM answer_posts AS a
    JOIN site_state AS s),
  holes (puzzle_id, low, high) AS (
    SELECT it.puzzle_id, it.revision_before + 1, it.revision - 1
    FROM (SELECT v.puzzle_id, v.version, v.revision,
            lag(v.version, 1, 0) OVER by_version AS version_before,
            lag(v.revision, 1, 0) OVER by_version AS revision_before
          FROM versions AS v
          WINDOW by_version AS (PARTITION BY v.puzzle_id ORDER BY v.version)) AS it
    WHERE it.version > it.version_before + 1),
  affected (low, high, puzzle_id) AS (
    SELECT DISTINCT g.low, g.high, h.puzzle_id
    FROM gaps AS g
    LEFT JOIN holes AS h ON h.low <= g.high AND h.high >= g.low),
  told (low, high, puzzles, concerned) AS (
    SELECT it.low, it.high, group_concat(it.puzzle_id, ', '),
      json_group_array(json_array('answer_posts', it.puzzle_id))
    FROM affected AS it
    GROUP BY it.low, it.high)
{}
FROM told AS t",
        finding_of(
            "'revision_missing'",
            "CASE WHEN t.low = t.high THEN 'revision ' || t.low ELSE 'revisions ' || t.low || ' to ' || t.high END",
            "'the site has got further, and no receipt tells of it; ' || coalesce(
    'receipts are missing of puzzle ' || t.puzzles, 'no page lacks a receipt, so the site may count too high')",
            "CASE WHEN t.puzzles IS NULL THEN json_array(json_array('site_state', 1)) ELSE t.concerned END",
        ));
    /// No receipt has a revision that the site has not reached.
    REVISIONS_SURPLUS = "verifier/revisions_surplus", format!("\
{}
FROM commit_receipts AS r
JOIN site_state AS s ON r.revision NOT BETWEEN 1 AND s.publication_revision",
        finding(
            "revision_surplus",
            "'puzzle ' || r.puzzle_id",
            "'the receipt of version ' || r.content_version || ' has revision ' || r.revision
    || ', and the site is at revision ' || s.publication_revision",
            &[("commit_receipts", "r.commit_token"), ("site_state", "s.id")],
        ));
    /// The quota counts what was published on the day.
    QUOTA = "verifier/quota", format!("\
{}
FROM (SELECT utc_day, sum(n) AS n
      FROM (SELECT r.committed_at / {DAY_MS} AS utc_day, 1 AS n FROM commit_receipts AS r WHERE r.kind = 'publish'
            UNION ALL
            SELECT utc_day, 0 FROM daily_quotas)
      GROUP BY utc_day) AS days
LEFT JOIN daily_quotas AS q ON q.utc_day = days.utc_day
WHERE q.published IS NOT days.n",
        finding(
            "quota_miscounted",
            "'day ' || days.utc_day",
            "'the quota row counts ' || coalesce(q.published, 'nothing') || ', the receipts ' || days.n",
            &[("daily_quotas", "days.utc_day")],
        ));
    /// No day has more pages than its quota. A row keeps the highest limit that a page of the
    /// day was published under, and each of them found room below that limit, so this holds
    /// whatever the setting was meanwhile, and however often it was changed.
    QUOTA_EXCEEDED = "verifier/quota_exceeded", format!("\
{}
FROM daily_quotas AS q
WHERE q.published > q.quota",
        finding(
            "quota_exceeded",
            "'day ' || q.utc_day",
            "'the day counts ' || q.published || ' published pages, and the highest quota of it was ' || q.quota",
            &[("daily_quotas", "q.utc_day")],
        ));
    /// The results of a puzzle are numbered from 1 without a gap. No two have one number,
    /// so their count and the highest of the numbers tell. And where every row has tallies,
    /// the highest ones, which are those of the last row, are what the rows come to. Every
    /// result ever is counted, which makes this the longest of the checks, so both are told
    /// by one look. The rows have the names of sessions in their keys, which are nobody's
    /// business; the puzzle suffices to find them.
    RESULTS = "verifier/results", format!("\
{}
FROM (SELECT d.puzzle_id, count(*) AS n, min(d.slot) AS low, max(d.slot) AS high,
    count(d.won_with_6) AS tallied,
    {kept} AS kept,
    {counted} AS counted
  FROM daily_results AS d
  GROUP BY d.puzzle_id) AS it
WHERE it.low <> 1
   OR it.high <> it.n
   OR (it.tallied = it.n AND it.kept <> it.counted)",
        finding_of(
            "CASE WHEN it.low = 1 AND it.high = it.n THEN 'results_miscounted' ELSE 'results_not_dense' END",
            "'puzzle ' || it.puzzle_id",
            "'there are ' || it.n || ' results, in the slots ' || it.low || ' to ' || it.high
    || '; won with 1 to 6 guesses were ' || it.counted || ', and kept is ' || it.kept",
            "json_array(json_array('puzzles', it.puzzle_id))",
        ),
        kept = results_log::tallies(|column| format!("max(d.{column})")),
        counted = results_log::counted());
}
