-- Who did what, when and why: one row per action of a person that changed something, made
-- by the batch of the change. In the order of the actions, whatever the clock said.
-- The token is that of the commit, the import or the run, if the action was one.
-- A row is landing only inside of its batch, whose later statements depend on that: one that
-- was sent twice finds its row landed, and changes nothing a second time.
CREATE TABLE operator_actions (
  token TEXT NOT NULL PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  puzzle_id INTEGER REFERENCES puzzles (puzzle_id),
  reason TEXT,
  detail TEXT NOT NULL,
  landing INTEGER NOT NULL CHECK (landing IN (0, 1))
) STRICT;

CREATE INDEX operator_actions_by_puzzle ON operator_actions (puzzle_id) WHERE puzzle_id IS NOT NULL;

-- The quota that a person has set for the day; NULL: nobody has, and the higher of row and
-- setting holds.
ALTER TABLE daily_quotas ADD COLUMN set_quota INTEGER CHECK (set_quota >= 0);

-- How jobs catch up: whether they publish what was due on an earlier day, and how old, in
-- milliseconds, that may be. NULL: as old as it likes.
ALTER TABLE site_state ADD COLUMN publish_late INTEGER NOT NULL DEFAULT 1 CHECK (publish_late IN (0, 1));
ALTER TABLE site_state ADD COLUMN skip_older_than INTEGER CHECK (skip_older_than > 0);
