SELECT 'revision_fell' AS rule,
  'puzzle ' || r.puzzle_id AS subject,
  'version ' || r.content_version || ' was committed at revision ' || r.revision
    || ', and the version before it at revision ' || earlier.revision AS detail,
  json_array(json_array('commit_receipts', earlier.commit_token), json_array('commit_receipts', r.commit_token)) AS concerned
FROM commit_receipts AS r
JOIN commit_receipts AS earlier ON earlier.puzzle_id = r.puzzle_id
  AND earlier.content_version = r.content_version - 1
WHERE r.revision < earlier.revision
