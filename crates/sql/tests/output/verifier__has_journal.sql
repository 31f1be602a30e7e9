SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'd1_migrations') AS is_there
