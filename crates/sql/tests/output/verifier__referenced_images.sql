SELECT object_key FROM (
  SELECT m.object_key FROM source_images AS m WHERE m.object_key > ?1
  UNION
  SELECT a.image_key FROM answer_posts AS a WHERE a.image_key > ?1)
ORDER BY object_key
LIMIT CAST(?2 AS INTEGER)
