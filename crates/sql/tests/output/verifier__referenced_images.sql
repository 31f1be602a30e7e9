SELECT needed.object_key,
  (SELECT json_group_array(json_array(it.source, it.puzzle_id))
   FROM (SELECT 'answer_posts' AS source, a.puzzle_id FROM answer_posts AS a WHERE a.image_key = needed.object_key
         UNION ALL
         SELECT 'source_images', m.puzzle_id FROM source_images AS m WHERE m.object_key = needed.object_key) AS it)
    AS concerned
FROM (SELECT m.object_key FROM source_images AS m WHERE m.object_key > ?1
      UNION
      SELECT a.image_key FROM answer_posts AS a WHERE a.image_key > ?1
      ORDER BY 1
      LIMIT CAST(?2 AS INTEGER)) AS needed
ORDER BY needed.object_key
