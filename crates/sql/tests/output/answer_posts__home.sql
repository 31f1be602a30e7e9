SELECT s.publication_revision, s.bank_revision,
  (SELECT json_group_array(json(line.puzzle)) FROM (
     SELECT json_object('puzzle_id', p.puzzle_id, 'play_date', p.play_date, 'name', p.name,
       'image_key', m.object_key, 'playable_until', p.playable_until, 'due_at', i.due_at) AS puzzle
     FROM puzzles AS p
     JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
     LEFT JOIN source_images AS m
       ON m.puzzle_id = p.puzzle_id AND m.image_url = p.image_url AND m.state = 'ready'
     WHERE p.opens_at <= ?1 AND p.opens_at > ?1 - 129600000 AND p.playable_until > ?1 AND i.state <> 'withdrawn'
     ORDER BY p.opens_at DESC
     LIMIT 2) AS line) AS open,
  (SELECT json_group_array(json(line.answer)) FROM (
     SELECT json_object('puzzle_id', a.puzzle_id, 'play_date', a.play_date, 'name', a.name,
       'price_cents', a.price_cents, 'image_key', a.image_key) AS answer
     FROM answer_posts AS a INDEXED BY answer_posts_public
     JOIN publication_items AS i ON i.puzzle_id = a.puzzle_id
     WHERE a.withdrawn_at IS NULL AND i.state = 'published' AND i.due_at <= ?1
       AND a.play_date < '9999'
     ORDER BY a.play_date DESC
     LIMIT CAST(?2 AS INTEGER)) AS line) AS latest
FROM site_state AS s
WHERE s.id = 1
