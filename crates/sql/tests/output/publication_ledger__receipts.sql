SELECT commit_token, puzzle_id, kind, owner_id, fence, content_version, revision, committed_at
FROM commit_receipts
WHERE puzzle_id = ?1
ORDER BY content_version
