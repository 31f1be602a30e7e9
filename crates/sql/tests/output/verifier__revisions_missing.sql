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
SELECT 'revision_missing' AS rule,
  CASE WHEN t.low = t.high THEN 'revision ' || t.low ELSE 'revisions ' || t.low || ' to ' || t.high END AS subject,
  'the site has got further, and no receipt tells of it; ' || coalesce(
    'receipts are missing of puzzle ' || t.puzzles, 'no page lacks a receipt, so the site may count too high') AS detail,
  CASE WHEN t.puzzles IS NULL THEN json_array(json_array('site_state', 1)) ELSE t.concerned END AS concerned
FROM told AS t
