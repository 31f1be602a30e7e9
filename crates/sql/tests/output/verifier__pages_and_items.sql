SELECT 'item_does_not_fit_page' AS rule,
  'puzzle ' || i.puzzle_id AS subject,
  'the item is ' || i.state || ', but ' || CASE
    WHEN a.puzzle_id IS NULL THEN 'there is no page'
    WHEN a.withdrawn_at IS NULL THEN 'the page is public'
    ELSE 'the page is withdrawn' END AS detail,
  json_array(json_array('publication_items', i.puzzle_id), json_array('answer_posts', i.puzzle_id)) AS concerned
FROM publication_items AS i
LEFT JOIN answer_posts AS a ON a.puzzle_id = i.puzzle_id
WHERE CASE
  WHEN a.puzzle_id IS NULL THEN i.state = 'published'
  WHEN a.withdrawn_at IS NULL THEN i.state <> 'published'
  ELSE i.state <> 'withdrawn' END
