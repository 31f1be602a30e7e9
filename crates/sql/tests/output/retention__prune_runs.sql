DELETE FROM job_runs
WHERE job_runs.rowid IN (SELECT r.rowid
                         FROM job_runs AS r
                         WHERE r.rowid > (SELECT min(one.rowid) FROM job_runs AS one)
                           AND r.rowid < iif((SELECT second.started_at
                                              FROM job_runs AS second
                                              WHERE second.rowid > (SELECT min(one.rowid) FROM job_runs AS one)
                                              ORDER BY second.rowid
                                              LIMIT 1) < (SELECT ended.finished_at - CAST(?2 AS INTEGER) FROM job_runs AS ended WHERE ended.run_id = ?1), 9223372036854775807, -9223372036854775808)
                         ORDER BY r.rowid
                         LIMIT 500)
  AND job_runs.started_at + iif(job_runs.finished_at IS NULL, 604800000, 0) < (SELECT ended.finished_at - CAST(?2 AS INTEGER) FROM job_runs AS ended WHERE ended.run_id = ?1)
  AND job_runs.run_id <> ?1
  AND job_runs.rowid <> (SELECT newest.rowid
                         FROM job_runs AS newest
                         WHERE newest.job = job_runs.job
                         ORDER BY newest.rowid DESC
                         LIMIT 1)
  AND job_runs.rowid <> coalesce((SELECT newest.rowid
                                  FROM job_runs AS newest
                                  WHERE newest.job = job_runs.job
                                    AND newest.finished_at IS NOT NULL
                                  ORDER BY newest.rowid DESC
                                  LIMIT 1), 0)
