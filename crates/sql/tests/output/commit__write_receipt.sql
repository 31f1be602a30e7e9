INSERT INTO commit_receipts (commit_token, puzzle_id, kind, owner_id, fence, content_version, revision, committed_at)
SELECT ?2, a.puzzle_id, ?3, ?4, CAST(?5 AS INTEGER), a.content_version, s.publication_revision, a.updated_at
FROM answer_posts AS a
JOIN site_state AS s ON s.id = 1
WHERE a.puzzle_id = ?1
  AND a.commit_token = ?2
