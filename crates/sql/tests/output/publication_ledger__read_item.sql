SELECT i.state, i.due_at, i.attempts, i.next_attempt_at, i.blocked_reason, p.playable_until
FROM publication_items AS i
JOIN puzzles AS p ON p.puzzle_id = i.puzzle_id
WHERE i.puzzle_id = ?1
