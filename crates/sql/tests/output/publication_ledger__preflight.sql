SELECT clock.now, l.owner_id AS lease_owner_id, l.fence AS lease_fence_number, l.expires_at AS lease_expires_at, i.state, i.due_at, i.attempts, i.next_attempt_at, i.blocked_reason, p.puzzle_id, p.play_date, p.opens_at, p.playable_until, p.name, p.price_cents, p.description, p.image_url, p.bank_version,
  m.image_url AS photo_url, m.state AS photo_state, m.object_key AS photo_key, m.bytes AS photo_bytes, m.error AS photo_error,
  a.content_version AS page_version, a.play_date AS page_play_date, a.name AS page_name, a.price_cents AS page_price_cents, a.body_html AS page_body_html, a.image_key AS page_image_key, a.indexable AS page_indexable, a.bank_version AS page_bank_version, a.published_at AS page_published_at, a.updated_at AS page_updated_at, a.withdrawn_at AS page_withdrawn_at,
  s.paused, q.published AS quota_published, q.quota AS quota_limit, q.set_quota AS quota_set, s.publish_late, s.skip_older_than
FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
JOIN site_state AS s ON s.id = 1
LEFT JOIN publication_items AS i ON i.puzzle_id = ?2
LEFT JOIN puzzles AS p ON p.puzzle_id = ?2
LEFT JOIN source_images AS m ON m.puzzle_id = ?2
LEFT JOIN answer_posts AS a ON a.puzzle_id = ?2
LEFT JOIN job_leases AS l ON l.key = ?3
LEFT JOIN daily_quotas AS q ON q.utc_day = clock.now / 86400000
