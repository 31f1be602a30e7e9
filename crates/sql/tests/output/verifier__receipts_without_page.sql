SELECT 'receipt_without_page' AS rule,
  'puzzle ' || r.puzzle_id AS subject,
  'the receipt of revision ' || r.revision || ' has no page' AS detail,
  json_array(json_array('commit_receipts', r.commit_token), json_array('answer_posts', r.puzzle_id)) AS concerned
FROM commit_receipts AS r
WHERE NOT EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = r.puzzle_id)
