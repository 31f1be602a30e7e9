SELECT m.image_url AS photo_url, m.state AS photo_state, m.object_key AS photo_key, m.bytes AS photo_bytes, m.error AS photo_error
FROM source_images AS m
WHERE m.puzzle_id = ?1
