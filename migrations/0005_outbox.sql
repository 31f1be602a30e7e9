-- What is told to others, and what became of it. An event is derived from the receipt of a
-- commit, and cannot be without it. Events that no commit stands behind have no revision.
CREATE TABLE outbox (
  number INTEGER NOT NULL PRIMARY KEY,
  event_id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  puzzle_id INTEGER,
  content_version INTEGER,
  revision INTEGER UNIQUE REFERENCES commit_receipts (revision),
  happened_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  next_attempt_at INTEGER NOT NULL,
  claimed_by TEXT,
  claimed_until INTEGER NOT NULL DEFAULT 0,
  last_error TEXT,
  delivered_at INTEGER,
  CHECK ((state = 'delivered') = (delivered_at IS NOT NULL))
) STRICT;

-- What is to be delivered: nothing else is in this index.
CREATE INDEX outbox_pending ON outbox (next_attempt_at, number) WHERE state = 'pending';

-- Nobody has two events in hand.
CREATE UNIQUE INDEX outbox_claims ON outbox (claimed_by) WHERE claimed_by IS NOT NULL;

CREATE INDEX outbox_by_state ON outbox (state) WHERE state <> 'delivered';

-- Up to which revision receipts were looked at. There is no row until somebody has a
-- receiver, and the row begins there: what was published before is not told.
CREATE TABLE outbox_cursor (
  id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
  revision INTEGER NOT NULL CHECK (revision >= 0)
) STRICT;
