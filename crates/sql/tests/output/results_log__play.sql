SELECT clock.now, p.opens_at, p.playable_until, p.price_cents, i.due_at, i.state,
  a.puzzle_id IS NOT NULL AS has_page
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
JOIN puzzles AS p ON p.puzzle_id = ?2
JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
LEFT JOIN answer_posts AS a ON a.puzzle_id = p.puzzle_id
WHERE p.opens_at <= clock.now
