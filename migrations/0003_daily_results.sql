-- Results of the daily game. Slots count a puzzle's results from 1, without a gap.
-- Nothing points into this table and it is the only one that strangers fill, so a row
-- lives in its primary key and is written twice, not three times: the key and the slots.
CREATE TABLE daily_results (
  puzzle_id INTEGER NOT NULL REFERENCES puzzles (puzzle_id),
  session_id TEXT NOT NULL,
  slot INTEGER NOT NULL CHECK (slot BETWEEN 1 AND 50000),
  outcome TEXT NOT NULL CHECK (outcome IN ('won', 'lost')),
  guesses_used INTEGER NOT NULL CHECK (guesses_used BETWEEN 1 AND 6),
  report_token TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (puzzle_id, session_id)
) WITHOUT ROWID, STRICT;

-- The next slot is one more than the last entry of its puzzle.
CREATE UNIQUE INDEX daily_results_by_slot ON daily_results (puzzle_id, slot);
