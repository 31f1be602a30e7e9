WITH keys (id, date, opens_at, playable_until, expected) AS (
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
  FROM json_each(?2))
UPDATE site_state
SET bank_revision = bank_revision + 1
WHERE id = 1
  AND EXISTS (SELECT 1 FROM keys AS k JOIN puzzles AS p ON p.puzzle_id = k.id WHERE p.edit_token = ?1)
