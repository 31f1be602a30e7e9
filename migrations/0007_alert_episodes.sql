-- Alerts from their beginnings to their ends, as others are told of them: one row for each.
-- An event of an alert is derived from its row, and cannot be without it.
CREATE TABLE alert_episodes (
  number INTEGER NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL,
  job TEXT,
  since INTEGER,
  count INTEGER NOT NULL,
  meaning TEXT NOT NULL,
  remedy TEXT NOT NULL,
  raised_at INTEGER NOT NULL,
  raised_by TEXT NOT NULL,
  calm_since INTEGER,
  cleared_at INTEGER,
  cleared_by TEXT,
  CHECK ((cleared_at IS NULL) = (cleared_by IS NULL)),
  CHECK (cleared_at IS NULL OR calm_since IS NOT NULL)
) STRICT;

-- Of each alert, one episode at most is not over. Nothing else is in this index.
CREATE UNIQUE INDEX alert_episodes_open ON alert_episodes (kind, coalesce(job, ''))
  WHERE cleared_at IS NULL;

-- Who has noticed it, for whoever asks what came of its own look.
CREATE INDEX alert_episodes_by_raiser ON alert_episodes (raised_by);

CREATE INDEX alert_episodes_by_clearer ON alert_episodes (cleared_by) WHERE cleared_by IS NOT NULL;

-- An event is either of a commit or of an alert.
ALTER TABLE outbox ADD COLUMN episode INTEGER REFERENCES alert_episodes (number)
  CHECK ((episode IS NULL) <> (revision IS NULL));

-- Of each edge of an alert, there is one event at most.
CREATE UNIQUE INDEX outbox_by_episode ON outbox (episode, kind) WHERE episode IS NOT NULL;
