SELECT clock.now,
  coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = ?2), 0) AS row_version,
  r.commit_token, r.content_version AS receipt_version, r.puzzle_id, r.kind, r.owner_id, r.fence, r.content_version, r.revision, r.committed_at
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
LEFT JOIN commit_receipts AS r ON r.commit_token IN (SELECT value FROM json_each(?3)) AND r.puzzle_id = ?2
LIMIT 1
