SELECT 'versions_not_dense' AS rule,
  'puzzle ' || r.puzzle_id AS subject,
  'there are ' || count(*) || ' receipts, of the versions ' || min(r.content_version) || ' to '
    || max(r.content_version) AS detail,
  json_group_array(json_array('commit_receipts', r.commit_token)) AS concerned
FROM commit_receipts AS r
GROUP BY r.puzzle_id
HAVING min(r.content_version) <> 1
    OR max(r.content_version) <> count(*)
