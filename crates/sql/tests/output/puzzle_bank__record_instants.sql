WITH keys (id, date, opens_at, playable_until, expected) AS (
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
  FROM json_each(?2)),
  changed (opens_at, playable_until, due_at) AS (
    SELECT p.opens_at, p.playable_until, i.due_at
    FROM keys AS k
    JOIN puzzles AS p ON p.puzzle_id = k.id
    JOIN publication_items AS i ON i.puzzle_id = k.id
    WHERE p.edit_token = ?1)
INSERT INTO visibility_instants (instant)
SELECT it.instant
FROM (SELECT opens_at AS instant FROM changed
      UNION ALL
      SELECT playable_until FROM changed
      UNION ALL
      SELECT due_at FROM changed) AS it
WHERE true
ON CONFLICT (instant) DO NOTHING
