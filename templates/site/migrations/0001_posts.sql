-- What is written, and from when on it may be read: milliseconds since 1970, UTC.
-- The program changes posts that are not out yet; nothing else here is for people to change.
CREATE TABLE posts (
  slug TEXT NOT NULL PRIMARY KEY CHECK (slug <> '' AND slug NOT GLOB '*[^a-z0-9-]*'),
  title TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 200),
  body TEXT NOT NULL CHECK (length(body) <= 100000),
  due_at INTEGER NOT NULL
) STRICT;

-- Two lookups per request: the instants next to the clock.
CREATE INDEX posts_by_due_at ON posts (due_at);

-- What is out: one row per published post, with the token of the attempt that wrote it.
CREATE TABLE pages (
  slug TEXT NOT NULL PRIMARY KEY REFERENCES posts (slug),
  title TEXT NOT NULL,
  html TEXT NOT NULL,
  published_at INTEGER NOT NULL,
  version INTEGER NOT NULL,
  commit_token TEXT NOT NULL UNIQUE
) STRICT;

-- One row per change of a page, never changed again: what attempts without an answer are
-- looked up in.
CREATE TABLE receipts (
  commit_token TEXT NOT NULL PRIMARY KEY,
  slug TEXT NOT NULL,
  version INTEGER NOT NULL,
  revision INTEGER NOT NULL UNIQUE,
  UNIQUE (slug, version)
) STRICT;

-- One row. The revision grows by one with every change of what the public sees.
CREATE TABLE site_state (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  revision INTEGER NOT NULL
) STRICT;

INSERT INTO site_state (id, revision) VALUES (1, 0);

-- Who may work on what, until when. Rows are never deleted: a fence only grows.
CREATE TABLE job_leases (
  key TEXT NOT NULL PRIMARY KEY,
  owner_id TEXT NOT NULL,
  fence INTEGER NOT NULL CHECK (fence >= 1),
  expires_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
