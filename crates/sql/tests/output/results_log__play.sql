SELECT s.publication_revision, s.bank_revision, clock.now,
  p.opens_at, i.state, a.puzzle_id IS NOT NULL AS has_page, p.price_cents,
  CASE WHEN p.puzzle_id IS NOT NULL THEN json_object('puzzle_id', p.puzzle_id, 'play_date', p.play_date, 'name', p.name,
       'image_key', m.object_key, 'playable_until', p.playable_until, 'due_at', i.due_at) END AS puzzle
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
JOIN site_state AS s ON s.id = 1
LEFT JOIN puzzles AS p ON p.puzzle_id = ?2 AND p.opens_at <= clock.now
LEFT JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
LEFT JOIN source_images AS m
       ON m.puzzle_id = p.puzzle_id AND m.image_url = p.image_url AND m.state = 'ready'
LEFT JOIN answer_posts AS a ON a.puzzle_id = p.puzzle_id
