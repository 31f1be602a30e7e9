SELECT c.commit_token, c.puzzle_id, c.kind, c.owner_id, c.fence, c.content_version, c.revision, c.committed_at
FROM commit_receipts AS c
WHERE c.revision > ?1
ORDER BY c.revision
LIMIT CAST(?2 AS INTEGER)
