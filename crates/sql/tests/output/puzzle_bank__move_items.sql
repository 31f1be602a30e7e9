WITH keys (id, date, opens_at, playable_until, expected) AS (
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
  FROM json_each(?2))
UPDATE publication_items
SET due_at = CASE WHEN publication_items.due_at > p.playable_until
                  THEN max(publication_items.due_at, k.playable_until)
                  ELSE k.playable_until END
FROM keys AS k
JOIN puzzles AS p ON p.puzzle_id = k.id
WHERE publication_items.puzzle_id = k.id
  AND p.play_date <> k.date
  AND EXISTS (SELECT 1 FROM bank_edits AS e WHERE e.edit_token = ?1)
