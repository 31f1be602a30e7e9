-- The leases, as fencepost_batch::lease_store::SCHEMA has them.
CREATE TABLE job_leases (
  key TEXT NOT NULL PRIMARY KEY,
  owner_id TEXT NOT NULL,
  fence INTEGER NOT NULL CHECK (fence >= 1),
  expires_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- Who gets the newsletter. Whoever leaves is deleted. AUTOINCREMENT: no number is ever given out
-- again, so whoever joins comes after everybody who has joined before.
CREATE TABLE subscribers (
  subscriber_id INTEGER PRIMARY KEY AUTOINCREMENT,
  address TEXT NOT NULL UNIQUE
) STRICT;

-- An issue goes out from `due_at` on, to one batch of subscribers after the other. `version` counts
-- the batches that have been cut; the last of them has those from `from_id` to `upto_id`.
-- `audience_id` is the newest subscriber when the first batch was cut, and NULL before that.
CREATE TABLE issues (
  issue_id INTEGER PRIMARY KEY AUTOINCREMENT,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  audience_id INTEGER,
  from_id INTEGER NOT NULL DEFAULT 0,
  upto_id INTEGER NOT NULL DEFAULT 0,
  version INTEGER NOT NULL DEFAULT 0,
  commit_token TEXT UNIQUE,
  updated_at INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE issue_receipts (
  commit_token TEXT NOT NULL PRIMARY KEY,
  issue_id INTEGER NOT NULL REFERENCES issues,
  version INTEGER NOT NULL,
  UNIQUE (issue_id, version)
) STRICT;

-- The outbox. A mail is never changed, so that one key always stands for the same mail. `problem` is
-- what went wrong when it was last tried.
CREATE TABLE deliveries (
  idempotency_key TEXT NOT NULL PRIMARY KEY,
  issue_id INTEGER NOT NULL REFERENCES issues,
  batch INTEGER NOT NULL,
  mail TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  first_attempt_at INTEGER,
  next_attempt_at INTEGER NOT NULL,
  delivered_at INTEGER,
  problem TEXT,
  UNIQUE (issue_id, batch)
) STRICT;

CREATE INDEX deliveries_waiting ON deliveries (next_attempt_at) WHERE delivered_at IS NULL;
