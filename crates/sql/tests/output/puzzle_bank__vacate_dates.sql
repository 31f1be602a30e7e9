WITH keys (id, date, opens_at, playable_until, expected) AS (
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
  FROM json_each(?2))
UPDATE puzzles
SET play_date = 'moving:' || puzzles.puzzle_id
FROM keys AS k
WHERE puzzles.puzzle_id = k.id
  AND puzzles.play_date <> k.date
  AND EXISTS (SELECT 1 FROM bank_edits AS e WHERE e.edit_token = ?1)
