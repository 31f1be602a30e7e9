SELECT 'puzzle_without_item' AS rule,
  'puzzle ' || p.puzzle_id AS subject,
  'the puzzle will never be published' AS detail,
  json_array(json_array('puzzles', p.puzzle_id), json_array('publication_items', p.puzzle_id)) AS concerned
FROM puzzles AS p
WHERE NOT EXISTS (SELECT 1 FROM publication_items AS i WHERE i.puzzle_id = p.puzzle_id)
