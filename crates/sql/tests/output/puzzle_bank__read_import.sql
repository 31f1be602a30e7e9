WITH keys (id, date, opens_at, playable_until, expected) AS (
  SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4
  FROM json_each(?2)), refusals (id, reason, version, taken_by) AS (
  SELECT k.id, 'stale_version', p.bank_version, NULL
  FROM keys AS k
  LEFT JOIN puzzles AS p ON p.puzzle_id = k.id
  WHERE coalesce(p.bank_version, 0) <> k.expected
  UNION ALL
  SELECT k.id, 'date_taken', NULL, p.puzzle_id
  FROM keys AS k
  JOIN puzzles AS p ON p.play_date = k.date
  WHERE p.puzzle_id <> k.id
    AND p.puzzle_id NOT IN (SELECT moving.id
                            FROM keys AS moving
                            JOIN puzzles AS m ON m.puzzle_id = moving.id
                            WHERE m.play_date <> moving.date)
  UNION ALL
  SELECT k.id, 'date_fixed', NULL, NULL
  FROM keys AS k
  JOIN puzzles AS p ON p.puzzle_id = k.id
  WHERE p.play_date <> k.date
    AND EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = k.id))
SELECT e.inserted, e.updated, e.unchanged, s.bank_revision,
  CASE WHEN e.edit_token IS NULL THEN
    (SELECT json_group_array(json_object('id', id, 'reason', reason, 'version', version, 'taken_by', taken_by))
     FROM (SELECT * FROM refusals ORDER BY id, reason))
  ELSE '[]' END AS refused
FROM site_state AS s
LEFT JOIN bank_edits AS e ON e.edit_token = ?1
WHERE s.id = 1
