-- Instants at which some answer changes although nobody writes: a puzzle opens, play ends,
-- an answer is due. A request reads the two next to it. Rows are never deleted: an instant
-- that no puzzle has any more only makes a stored answer expire early.
CREATE TABLE visibility_instants (
  instant INTEGER NOT NULL PRIMARY KEY
) STRICT;

INSERT INTO visibility_instants (instant)
SELECT opens_at FROM puzzles
UNION
SELECT playable_until FROM puzzles
UNION
SELECT due_at FROM publication_items;

-- The item that should have been taken in hand first, for the question whether there is one.
CREATE INDEX publication_items_wake ON publication_items (max(due_at, next_attempt_at))
  WHERE state IN ('scheduled', 'processing');
