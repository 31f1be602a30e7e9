DELETE FROM bank_edits
WHERE bank_edits.rowid IN (SELECT e.rowid
                           FROM bank_edits AS e
                           WHERE e.rowid > (SELECT min(one.rowid) FROM bank_edits AS one)
                             AND e.rowid < iif((SELECT second.edited_at
                                                FROM bank_edits AS second
                                                WHERE second.rowid > (SELECT min(one.rowid) FROM bank_edits AS one)
                                                ORDER BY second.rowid
                                                LIMIT 1) < (SELECT ended.finished_at - CAST(?2 AS INTEGER) FROM job_runs AS ended WHERE ended.run_id = ?1), 9223372036854775807, -9223372036854775808)
                           ORDER BY e.rowid
                           LIMIT 500)
  AND bank_edits.edited_at < (SELECT ended.finished_at - CAST(?2 AS INTEGER) FROM job_runs AS ended WHERE ended.run_id = ?1)
