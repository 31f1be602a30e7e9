SELECT name
FROM d1_migrations
ORDER BY id
