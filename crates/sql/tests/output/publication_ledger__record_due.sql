INSERT INTO visibility_instants (instant)
SELECT i.due_at
FROM publication_items AS i
WHERE i.puzzle_id = ?1
ON CONFLICT (instant) DO NOTHING
