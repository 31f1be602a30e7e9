SELECT s.publication_revision, s.bank_revision,
  EXISTS (SELECT 1
          FROM source_images AS m
          JOIN puzzles AS p ON p.puzzle_id = m.puzzle_id AND p.image_url = m.image_url
          JOIN publication_items AS i ON i.puzzle_id = m.puzzle_id
          WHERE m.object_key = ?2
            AND p.opens_at <= ?1 AND p.opens_at > ?1 - 129600000 AND p.playable_until > ?1 AND i.state <> 'withdrawn')
  OR EXISTS (SELECT 1
             FROM answer_posts AS a
             JOIN publication_items AS i ON i.puzzle_id = a.puzzle_id
             WHERE a.image_key = ?2
               AND a.withdrawn_at IS NULL AND i.state = 'published' AND i.due_at <= ?1) AS shown
FROM site_state AS s
WHERE s.id = 1
