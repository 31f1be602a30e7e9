SELECT 'published_early' AS rule, 'puzzle ' || a.puzzle_id AS subject,
  'the page was published at ' || a.published_at || ', due at ' || i.due_at AS detail
FROM answer_posts AS a
JOIN publication_items AS i ON i.puzzle_id = a.puzzle_id
WHERE a.published_at < i.due_at
