SELECT s.publication_revision, s.bank_revision,
  p.opens_at, shown.due_at, shown.state,
  a.content_version AS page_version, a.play_date AS page_play_date, a.name AS page_name, a.price_cents AS page_price_cents, a.body_html AS page_body_html, a.image_key AS page_image_key, a.indexable AS page_indexable, a.bank_version AS page_bank_version, a.published_at AS page_published_at, a.updated_at AS page_updated_at, a.withdrawn_at AS page_withdrawn_at,
  (SELECT json_object('puzzle_id', b.puzzle_id, 'play_date', b.play_date, 'name', b.name)
   FROM answer_posts AS b INDEXED BY answer_posts_public
   JOIN publication_items AS i ON i.puzzle_id = b.puzzle_id
   WHERE b.withdrawn_at IS NULL AND i.state = 'published' AND i.due_at <= ?1
     AND b.play_date < a.play_date
   ORDER BY b.play_date DESC
   LIMIT 1) AS previous,
  (SELECT json_object('puzzle_id', b.puzzle_id, 'play_date', b.play_date, 'name', b.name)
   FROM answer_posts AS b INDEXED BY answer_posts_public
   JOIN publication_items AS i ON i.puzzle_id = b.puzzle_id
   WHERE b.withdrawn_at IS NULL AND i.state = 'published' AND i.due_at <= ?1
     AND b.play_date > a.play_date
   ORDER BY b.play_date ASC
   LIMIT 1) AS next,
  last.slot AS last_slot,
  CASE WHEN last.won_with_6 IS NOT NULL
  THEN json_array(last.won_with_1, last.won_with_2, last.won_with_3, last.won_with_4, last.won_with_5, last.won_with_6)
  ELSE (SELECT json_array(
    count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 1),
    count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 2),
    count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 3),
    count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 4),
    count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 5),
    count(*) FILTER (WHERE d.outcome = 'won' AND d.guesses_used = 6))
   FROM daily_results AS d
   WHERE d.puzzle_id = ?2)
  END AS won_with
FROM site_state AS s
LEFT JOIN puzzles AS p ON p.puzzle_id = ?2
LEFT JOIN publication_items AS shown ON shown.puzzle_id = ?2
LEFT JOIN answer_posts AS a ON a.puzzle_id = ?2
LEFT JOIN daily_results AS last ON last.puzzle_id = ?2 AND last.slot = (SELECT max(taken.slot) FROM daily_results AS taken WHERE taken.puzzle_id = ?2)
WHERE s.id = 1
