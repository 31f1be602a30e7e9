SELECT 'fence_fell' AS rule, 'puzzle ' || later.puzzle_id AS subject,
  'version ' || later.content_version || ' was committed under fence ' || later.fence || ' at revision '
    || later.revision || ', after fence ' || earlier.fence || ' at revision ' || earlier.revision AS detail
FROM commit_receipts AS later
JOIN commit_receipts AS earlier ON earlier.puzzle_id = later.puzzle_id
  AND earlier.content_version = later.content_version - 1
WHERE later.fence < earlier.fence
   OR later.revision < earlier.revision
