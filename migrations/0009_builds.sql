-- Which build ran a job. NULL: one from before this was recorded.
ALTER TABLE job_runs ADD COLUMN build TEXT;

-- A receipt tells the owner of the run that wrote it.
CREATE INDEX job_runs_by_owner ON job_runs (owner_id);
