-- Everything that publishing exactly once needs. Instants are INTEGER milliseconds
-- since 1970 (UTC), a UTC day is an instant divided by 86 400 000.

-- Leases with fencing tokens. Rows are never deleted: a fence only grows.
CREATE TABLE job_leases (
  key TEXT NOT NULL PRIMARY KEY,
  owner_id TEXT NOT NULL,
  fence INTEGER NOT NULL CHECK (fence >= 1),
  expires_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- The bank.
CREATE TABLE puzzles (
  puzzle_id INTEGER NOT NULL PRIMARY KEY,
  play_date TEXT NOT NULL UNIQUE,
  opens_at INTEGER NOT NULL,
  playable_until INTEGER NOT NULL CHECK (playable_until > opens_at),
  name TEXT NOT NULL,
  price_cents INTEGER NOT NULL CHECK (price_cents > 0),
  description TEXT NOT NULL,
  image_url TEXT,
  bank_version INTEGER NOT NULL CHECK (bank_version >= 1),
  edit_token TEXT NOT NULL
) STRICT;

-- Open puzzles, and those about to open, are the ones with the latest opening.
CREATE INDEX puzzles_by_opening ON puzzles (opens_at);

-- One row per import: the token that the rest of its batch depends on.
CREATE TABLE bank_edits (
  edit_token TEXT NOT NULL PRIMARY KEY,
  inserted INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  unchanged INTEGER NOT NULL,
  edited_at INTEGER NOT NULL
) STRICT;

-- The ledger.
CREATE TABLE publication_items (
  puzzle_id INTEGER NOT NULL PRIMARY KEY REFERENCES puzzles (puzzle_id),
  state TEXT NOT NULL CHECK (state IN ('scheduled', 'processing', 'published', 'withdrawn', 'blocked')),
  due_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  next_attempt_at INTEGER NOT NULL DEFAULT 0,
  blocked_reason TEXT,
  CHECK ((state = 'blocked') = (blocked_reason IS NOT NULL))
) STRICT;

-- What a job looks for: nothing else is in this index, so its size is the backlog's.
CREATE INDEX publication_items_runnable ON publication_items (due_at, puzzle_id, next_attempt_at)
  WHERE state IN ('scheduled', 'processing');

CREATE INDEX publication_items_blocked ON publication_items (due_at) WHERE state = 'blocked';

-- Published pages: a snapshot of what was rendered. A withdrawn page stays as a tombstone.
CREATE TABLE answer_posts (
  puzzle_id INTEGER NOT NULL PRIMARY KEY REFERENCES puzzles (puzzle_id),
  content_version INTEGER NOT NULL CHECK (content_version >= 1),
  commit_token TEXT NOT NULL UNIQUE,
  bank_version INTEGER NOT NULL,
  play_date TEXT NOT NULL,
  name TEXT NOT NULL,
  price_cents INTEGER NOT NULL,
  body_html TEXT NOT NULL,
  image_key TEXT,
  indexable INTEGER NOT NULL CHECK (indexable IN (0, 1)),
  published_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  withdrawn_at INTEGER
) STRICT;

CREATE INDEX answer_posts_public ON answer_posts (play_date) WHERE withdrawn_at IS NULL;

CREATE INDEX answer_posts_by_image ON answer_posts (image_key) WHERE image_key IS NOT NULL;

-- The two revisions that every answer is keyed by, and the pause.
CREATE TABLE site_state (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  publication_revision INTEGER NOT NULL CHECK (publication_revision >= 0),
  bank_revision INTEGER NOT NULL CHECK (bank_revision >= 0),
  paused INTEGER NOT NULL CHECK (paused IN (0, 1))
) STRICT;

INSERT INTO site_state (id, publication_revision, bank_revision, paused) VALUES (1, 0, 0, 0);

-- The proof of every change of published content.
CREATE TABLE commit_receipts (
  commit_token TEXT NOT NULL PRIMARY KEY,
  puzzle_id INTEGER NOT NULL REFERENCES puzzles (puzzle_id),
  kind TEXT NOT NULL CHECK (kind IN ('publish', 'update', 'withdraw', 'reinstate')),
  owner_id TEXT NOT NULL,
  fence INTEGER NOT NULL,
  content_version INTEGER NOT NULL,
  revision INTEGER NOT NULL UNIQUE,
  committed_at INTEGER NOT NULL,
  UNIQUE (puzzle_id, content_version)
) STRICT;

-- How many pages were published on a UTC day, and how many may be.
CREATE TABLE daily_quotas (
  utc_day INTEGER NOT NULL PRIMARY KEY,
  published INTEGER NOT NULL CHECK (published >= 0),
  quota INTEGER NOT NULL CHECK (quota >= 0)
) STRICT;

-- Photos, stored under the hash of their bytes. Ready means: image_url equals the puzzle's.
CREATE TABLE source_images (
  puzzle_id INTEGER NOT NULL PRIMARY KEY REFERENCES puzzles (puzzle_id),
  image_url TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('ready', 'failed')),
  object_key TEXT,
  content_type TEXT,
  bytes INTEGER,
  error TEXT,
  next_attempt_at INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL,
  CHECK ((state = 'ready') = (object_key IS NOT NULL AND content_type IS NOT NULL AND bytes IS NOT NULL)),
  CHECK ((state = 'failed') = (error IS NOT NULL))
) STRICT;

CREATE INDEX source_images_by_object ON source_images (object_key) WHERE object_key IS NOT NULL;

-- The heartbeat: one row per run of a job.
CREATE TABLE job_runs (
  run_id TEXT NOT NULL PRIMARY KEY,
  job TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  utc_day INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  counts TEXT NOT NULL DEFAULT '{}',
  error TEXT
) STRICT;

-- In the order in which the runs began, whatever the clock said then.
CREATE INDEX job_runs_by_job ON job_runs (job);
