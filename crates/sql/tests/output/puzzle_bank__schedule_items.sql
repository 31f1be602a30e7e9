WITH keys (id, date, opens_at, playable_until, expected) AS (
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
  FROM json_each(?2))
INSERT INTO publication_items (puzzle_id, state, due_at)
SELECT p.puzzle_id, 'scheduled', p.playable_until
FROM keys AS k
JOIN puzzles AS p ON p.puzzle_id = k.id
WHERE p.edit_token = ?1
ON CONFLICT (puzzle_id) DO UPDATE
SET state = 'scheduled',
    attempts = 0,
    next_attempt_at = 0,
    blocked_reason = NULL
WHERE publication_items.state IN ('scheduled', 'processing', 'blocked')
