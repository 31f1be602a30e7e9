-- Each result also keeps how those up to and including itself were won, so that the last
-- row of a puzzle tells how it was played by all. Whoever did not win has lost: that count
-- is the slot less their sum.
-- NULL says that a row was stored by whoever does not count, such as the program before
-- this one, which runs on during a release. The rows behind it do not know the sum either,
-- and have NULL as well: a default of 0 would have passed for a count. The results of such a
-- puzzle are counted by whoever asks. So nothing has to be filled in here, and none is: the
-- game was not open to anybody before.
ALTER TABLE daily_results ADD COLUMN won_with_1 INTEGER CHECK (won_with_1 >= 0);
ALTER TABLE daily_results ADD COLUMN won_with_2 INTEGER CHECK (won_with_2 >= 0);
ALTER TABLE daily_results ADD COLUMN won_with_3 INTEGER CHECK (won_with_3 >= 0);
ALTER TABLE daily_results ADD COLUMN won_with_4 INTEGER CHECK (won_with_4 >= 0);
ALTER TABLE daily_results ADD COLUMN won_with_5 INTEGER CHECK (won_with_5 >= 0);
ALTER TABLE daily_results ADD COLUMN won_with_6 INTEGER CHECK (
  won_with_6 >= 0
  AND won_with_1 + won_with_2 + won_with_3 + won_with_4 + won_with_5 + won_with_6 <= slot);
