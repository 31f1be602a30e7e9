SELECT 'indexable_without_photo' AS rule,
  'puzzle ' || a.puzzle_id AS subject,
  CASE a.indexable WHEN 1 THEN 'the page is indexable and has no photo'
    ELSE 'the page has its photo and is not indexable' END AS detail,
  json_array(json_array('answer_posts', a.puzzle_id)) AS concerned
FROM answer_posts AS a
WHERE a.indexable <> (a.image_key IS NOT NULL)
