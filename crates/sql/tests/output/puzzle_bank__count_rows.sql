WITH keys (id, date, opens_at, playable_until, expected) AS (
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
  FROM json_each(?2)),
  counts (inserted, updated, unchanged) AS (
    SELECT count(*) FILTER (WHERE p.edit_token = ?1 AND p.bank_version = 1),
      count(*) FILTER (WHERE p.edit_token = ?1 AND p.bank_version > 1),
      count(*) FILTER (WHERE p.edit_token <> ?1)
    FROM keys AS k
    JOIN puzzles AS p ON p.puzzle_id = k.id)
UPDATE bank_edits
SET inserted = counts.inserted,
    updated = counts.updated,
    unchanged = counts.unchanged
FROM counts
WHERE bank_edits.edit_token = ?1
