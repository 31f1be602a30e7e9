INSERT INTO commit_receipts (commit_token, puzzle_id, kind, owner_id, fence, content_version, revision, committed_at)
SELECT ?7, a.puzzle_id, ?8, ?4, CAST(?5 AS INTEGER), a.content_version, s.publication_revision, a.updated_at
FROM answer_posts AS a
JOIN site_state AS s ON s.id = 1
WHERE a.puzzle_id = ?2
  AND a.commit_token = ?7
