SELECT 'due_before_end_of_play' AS rule,
  'puzzle ' || p.puzzle_id AS subject,
  'the answer is due at ' || i.due_at || ', play ends at ' || p.playable_until AS detail,
  json_array(json_array('publication_items', i.puzzle_id), json_array('puzzles', p.puzzle_id)) AS concerned
FROM puzzles AS p
JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
WHERE i.due_at < p.playable_until
