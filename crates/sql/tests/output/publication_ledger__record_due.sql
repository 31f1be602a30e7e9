INSERT INTO visibility_instants (instant)
SELECT i.due_at
FROM publication_items AS i
WHERE i.puzzle_id = ?1
  AND EXISTS (SELECT 1 FROM operator_actions AS o WHERE o.token = ?2 AND o.landing = 1)
ON CONFLICT (instant) DO NOTHING
