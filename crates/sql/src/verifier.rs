//! The check of the whole database: one query per invariant, each returning what
//! violates it. Looks at everything, so it is for people and tests, not for requests.

use fencepost_domain::{image::ImageKey, violation::Violation};

use crate::{Query, SqlText, clock::DAY_MS, decode, statement::sql_texts};

sql_texts! {
    /// The receipts' revisions are exactly 1 to the site's revision.
    REVISIONS = "verifier/revisions", "\
SELECT 'revisions_not_dense' AS rule, 'site' AS subject,
  'publication_revision is ' || s.publication_revision || ', but there are ' || r.n || ' receipts with revisions '
    || coalesce(r.low, 'none') || ' to ' || coalesce(r.high, 'none') AS detail
FROM site_state AS s
JOIN (SELECT count(*) AS n, min(revision) AS low, max(revision) AS high FROM commit_receipts) AS r
WHERE s.publication_revision <> r.n
   OR coalesce(r.low, 1) <> 1
   OR coalesce(r.high, 0) <> r.n";
    /// There is exactly one row of site state.
    SITE_STATE = "verifier/site_state", "\
SELECT 'site_state_missing' AS rule, 'site' AS subject, 'the one row of site_state is missing' AS detail
WHERE NOT EXISTS (SELECT 1 FROM site_state)";
    /// A public page and a published item go together; so do a tombstone and a withdrawn one.
    PAGES_AND_ITEMS = "verifier/pages_and_items", "\
SELECT 'item_does_not_fit_page' AS rule, 'puzzle ' || i.puzzle_id AS subject,
  'the item is ' || i.state || ', but ' || CASE
    WHEN a.puzzle_id IS NULL THEN 'there is no page'
    WHEN a.withdrawn_at IS NULL THEN 'the page is public'
    ELSE 'the page is withdrawn' END AS detail
FROM publication_items AS i
LEFT JOIN answer_posts AS a ON a.puzzle_id = i.puzzle_id
WHERE CASE
  WHEN a.puzzle_id IS NULL THEN i.state = 'published'
  WHEN a.withdrawn_at IS NULL THEN i.state <> 'published'
  ELSE i.state <> 'withdrawn' END";
    /// Every page belongs to an item.
    PAGES_WITHOUT_ITEM = "verifier/pages_without_item", "\
SELECT 'page_without_item' AS rule, 'puzzle ' || a.puzzle_id AS subject, 'a page exists without an item' AS detail
FROM answer_posts AS a
WHERE NOT EXISTS (SELECT 1 FROM publication_items AS i WHERE i.puzzle_id = a.puzzle_id)";
    /// A page was committed as often as its version says, and last with the token it carries.
    PAGES_AND_RECEIPTS = "verifier/pages_and_receipts", "\
SELECT 'page_does_not_fit_receipts' AS rule, 'puzzle ' || a.puzzle_id AS subject,
  'the page is at version ' || a.content_version || ', but has '
    || (SELECT count(*) FROM commit_receipts AS r WHERE r.puzzle_id = a.puzzle_id)
    || ' receipts, the newest of version ' || coalesce(newest.content_version, 'none')
    || CASE WHEN newest.commit_token IS a.commit_token THEN '' ELSE ' with another token' END AS detail
FROM answer_posts AS a
LEFT JOIN commit_receipts AS newest ON newest.puzzle_id = a.puzzle_id
  AND newest.revision = (SELECT max(r.revision) FROM commit_receipts AS r WHERE r.puzzle_id = a.puzzle_id)
WHERE newest.commit_token IS NOT a.commit_token
   OR newest.content_version IS NOT a.content_version
   OR a.content_version <> (SELECT count(*) FROM commit_receipts AS r WHERE r.puzzle_id = a.puzzle_id)";
    /// Every receipt belongs to a page.
    RECEIPTS_WITHOUT_PAGE = "verifier/receipts_without_page", "\
SELECT 'receipt_without_page' AS rule, 'puzzle ' || r.puzzle_id AS subject,
  'the receipt of revision ' || r.revision || ' has no page' AS detail
FROM commit_receipts AS r
WHERE NOT EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = r.puzzle_id)";
    /// A page is published once, by its first commit, and changed by later ones.
    PUBLISHED_ONCE = "verifier/published_once", "\
SELECT 'published_not_once' AS rule, 'puzzle ' || r.puzzle_id AS subject,
  'the receipt of version ' || r.content_version || ' is of kind ' || r.kind AS detail
FROM commit_receipts AS r
WHERE (r.kind = 'publish') <> (r.content_version = 1)";
    /// A page's versions count up with its revisions, and its fences never fall.
    FENCES = "verifier/fences", "\
SELECT 'fence_fell' AS rule, 'puzzle ' || later.puzzle_id AS subject,
  'version ' || later.content_version || ' was committed under fence ' || later.fence || ' at revision '
    || later.revision || ', after fence ' || earlier.fence || ' at revision ' || earlier.revision AS detail
FROM commit_receipts AS later
JOIN commit_receipts AS earlier ON earlier.puzzle_id = later.puzzle_id
  AND earlier.content_version = later.content_version - 1
WHERE later.fence < earlier.fence
   OR later.revision < earlier.revision";
    /// A lease's fence is never below that of a receipt.
    LEASES = "verifier/leases", "\
SELECT 'lease_fence_fell' AS rule, 'puzzle ' || r.puzzle_id AS subject,
  'the lease is at fence ' || coalesce(l.fence, 'none') || ', but a receipt has fence ' || max(r.fence) AS detail
FROM commit_receipts AS r
LEFT JOIN job_leases AS l ON l.key = 'publication:' || r.puzzle_id
GROUP BY r.puzzle_id
HAVING l.fence IS NULL OR l.fence < max(r.fence)";
    /// Nothing was published before its embargo ended, and times run forward.
    EMBARGO = "verifier/embargo", "\
SELECT 'published_early' AS rule, 'puzzle ' || a.puzzle_id AS subject,
  'the page was published at ' || a.published_at || ', due at ' || i.due_at AS detail
FROM answer_posts AS a
JOIN publication_items AS i ON i.puzzle_id = a.puzzle_id
WHERE a.published_at < i.due_at";
    /// No answer is due before the end of play.
    SCHEDULE = "verifier/schedule", "\
SELECT 'due_before_end_of_play' AS rule, 'puzzle ' || p.puzzle_id AS subject,
  'the answer is due at ' || i.due_at || ', play ends at ' || p.playable_until AS detail
FROM puzzles AS p
JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
WHERE i.due_at < p.playable_until";
    /// Every instant at which an answer changes by itself is in the calendar.
    CALENDAR = "verifier/calendar", "\
SELECT 'instant_not_in_calendar' AS rule, 'puzzle ' || it.puzzle_id AS subject,
  'its answer changes at ' || it.instant || ', which visibility_instants does not have' AS detail
FROM (SELECT puzzle_id, opens_at AS instant FROM puzzles
      UNION
      SELECT puzzle_id, playable_until FROM puzzles
      UNION
      SELECT puzzle_id, due_at FROM publication_items) AS it
WHERE NOT EXISTS (SELECT 1 FROM visibility_instants AS v WHERE v.instant = it.instant)";
    /// Every puzzle has an item.
    PUZZLES_WITHOUT_ITEM = "verifier/puzzles_without_item", "\
SELECT 'puzzle_without_item' AS rule, 'puzzle ' || p.puzzle_id AS subject,
  'the puzzle will never be published' AS detail
FROM puzzles AS p
WHERE NOT EXISTS (SELECT 1 FROM publication_items AS i WHERE i.puzzle_id = p.puzzle_id)";
    /// The quota counts what was published on the day.
    QUOTA = "verifier/quota", format!("\
SELECT 'quota_miscounted' AS rule, 'day ' || days.utc_day AS subject,
  'the quota row counts ' || coalesce(q.published, 'nothing') || ', the receipts ' || days.n AS detail
FROM (SELECT utc_day, sum(n) AS n
      FROM (SELECT r.committed_at / {DAY_MS} AS utc_day, 1 AS n FROM commit_receipts AS r WHERE r.kind = 'publish'
            UNION ALL
            SELECT utc_day, 0 FROM daily_quotas)
      GROUP BY utc_day) AS days
LEFT JOIN daily_quotas AS q ON q.utc_day = days.utc_day
WHERE q.published IS NOT days.n");
    /// A page that shows a photo is indexable; one without photo never was.
    INDEXABLE = "verifier/indexable", "\
SELECT 'indexable_without_photo' AS rule, 'puzzle ' || a.puzzle_id AS subject,
  CASE a.indexable WHEN 1 THEN 'the page is indexable and has no photo'
    ELSE 'the page has its photo and is not indexable' END AS detail
FROM answer_posts AS a
WHERE a.indexable <> (a.image_key IS NOT NULL)";
    /// The results of a puzzle are numbered from 1 without a gap. No two have one number,
    /// so their count and the highest of the numbers tell. Every result ever is counted,
    /// which makes this the longest of the checks.
    RESULTS = "verifier/results", "\
SELECT 'results_not_dense' AS rule, 'puzzle ' || d.puzzle_id AS subject,
  'there are ' || count(*) || ' results, in the slots ' || min(d.slot) || ' to ' || max(d.slot) AS detail
FROM daily_results AS d
GROUP BY d.puzzle_id
HAVING min(d.slot) <> 1
    OR max(d.slot) <> count(*)";
    /// The photos that pages and ready images refer to, in order.
    REFERENCED_IMAGES = "verifier/referenced_images", "\
SELECT object_key FROM (
  SELECT m.object_key FROM source_images AS m WHERE m.object_key > ?1
  UNION
  SELECT a.image_key FROM answer_posts AS a WHERE a.image_key > ?1)
ORDER BY object_key
LIMIT CAST(?2 AS INTEGER)";
}

/// Every check.
pub fn checks() -> Vec<Query<Violation>> {
    let checks: [&'static SqlText; 16] = [
        &SITE_STATE,
        &REVISIONS,
        &PAGES_AND_ITEMS,
        &PAGES_WITHOUT_ITEM,
        &PAGES_AND_RECEIPTS,
        &RECEIPTS_WITHOUT_PAGE,
        &PUBLISHED_ONCE,
        &FENCES,
        &LEASES,
        &EMBARGO,
        &SCHEDULE,
        &CALENDAR,
        &PUZZLES_WITHOUT_ITEM,
        &QUOTA,
        &INDEXABLE,
        &RESULTS,
    ];
    checks
        .into_iter()
        .map(|text| {
            Query::new(text, Vec::new(), |row| {
                Ok(Violation {
                    rule: decode::text(row, "rule")?,
                    subject: decode::text(row, "subject")?,
                    detail: decode::text(row, "detail")?,
                })
            })
        })
        .collect()
}

/// Photos that pages and ready images refer to, in order, after `after`.
pub fn referenced_images(after: Option<&ImageKey>, limit: u32) -> Query<ImageKey> {
    let params = vec![after.map_or("", ImageKey::as_str).into(), i64::from(limit).into()];
    Query::new(&REFERENCED_IMAGES, params, |row| decode::parsed(row, "object_key"))
}
