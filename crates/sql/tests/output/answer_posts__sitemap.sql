SELECT s.publication_revision, s.bank_revision,
  (SELECT json_group_array(json(line.answer)) FROM (
     SELECT json_object('puzzle_id', a.puzzle_id, 'updated_at', a.updated_at) AS answer
     FROM answer_posts AS a INDEXED BY answer_posts_public
     JOIN publication_items AS i ON i.puzzle_id = a.puzzle_id
     WHERE a.withdrawn_at IS NULL AND i.state = 'published' AND i.due_at <= ?1
       AND a.indexable = 1
       AND a.play_date < '9999'
     ORDER BY a.play_date DESC
     LIMIT CAST(?2 AS INTEGER)) AS line) AS entries
FROM site_state AS s
WHERE s.id = 1
