SELECT 'receipt_without_page' AS rule, 'puzzle ' || r.puzzle_id AS subject,
  'the receipt of revision ' || r.revision || ' has no page' AS detail
FROM commit_receipts AS r
WHERE NOT EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = r.puzzle_id)
