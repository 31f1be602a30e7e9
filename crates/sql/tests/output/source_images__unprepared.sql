SELECT p.puzzle_id
FROM puzzles AS p
JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
LEFT JOIN source_images AS m ON m.puzzle_id = p.puzzle_id AND m.image_url = p.image_url
WHERE p.opens_at <= (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) + CAST(?2 AS INTEGER)
  AND p.opens_at > (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) - 129600000
  AND p.playable_until > (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END)
  AND p.image_url IS NOT NULL
  AND i.state <> 'withdrawn'
  AND (m.puzzle_id IS NULL OR (m.state = 'failed' AND (m.next_attempt_at <= (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) OR m.next_attempt_at > (CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END) + 3600000)))
ORDER BY p.opens_at
LIMIT CAST(?3 AS INTEGER)
