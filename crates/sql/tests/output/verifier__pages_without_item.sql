SELECT 'page_without_item' AS rule,
  'puzzle ' || a.puzzle_id AS subject,
  'a page exists without an item' AS detail,
  json_array(json_array('answer_posts', a.puzzle_id), json_array('publication_items', a.puzzle_id)) AS concerned
FROM answer_posts AS a
WHERE NOT EXISTS (SELECT 1 FROM publication_items AS i WHERE i.puzzle_id = a.puzzle_id)
