//! The journal of migrations: the table that `wrangler d1 migrations apply` keeps.
//!
//! A database that moves between D1 and a server is known on both sides. These are bare
//! texts and not plans: they run before there is a schema.

/// Creates the journal.
pub const CREATE_JOURNAL: &str = "\
CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)";

/// Whether there is a journal.
pub const HAS_JOURNAL: &str = "\
SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'd1_migrations') AS is_there";

/// The names of applied files, in order.
pub const APPLIED: &str = "\
SELECT name
FROM d1_migrations
ORDER BY id";

/// The names of all tables and indexes that migrations make.
pub const SCHEMA_NAMES: &str = "\
SELECT name
FROM sqlite_schema
WHERE sql IS NOT NULL
ORDER BY name";

/// Records an applied file, `?1`.
pub const RECORD: &str = "\
INSERT INTO d1_migrations (name)
VALUES (?1)";

/// Changes nothing, and fails where nothing may be changed.
pub const TOUCH: &str = "\
DELETE FROM d1_migrations
WHERE 0";
