SELECT 'revision_surplus' AS rule,
  'puzzle ' || r.puzzle_id AS subject,
  'the receipt of version ' || r.content_version || ' has revision ' || r.revision
    || ', and the site is at revision ' || s.publication_revision AS detail,
  json_array(json_array('commit_receipts', r.commit_token), json_array('site_state', s.id)) AS concerned
FROM commit_receipts AS r
JOIN site_state AS s ON r.revision NOT BETWEEN 1 AND s.publication_revision
