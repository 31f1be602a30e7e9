SELECT p.puzzle_id, p.play_date, p.opens_at, p.playable_until, p.name, p.price_cents, p.description, p.image_url, p.bank_version
FROM puzzles AS p
WHERE p.puzzle_id > ?1
ORDER BY p.puzzle_id
LIMIT CAST(?2 AS INTEGER)
