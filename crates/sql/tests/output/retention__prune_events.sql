DELETE FROM outbox
WHERE outbox.number IN (SELECT o.number
                        FROM outbox AS o
                        WHERE o.state = 'delivered'
                          AND o.delivered_at < (SELECT ended.finished_at - CAST(?2 AS INTEGER) FROM job_runs AS ended WHERE ended.run_id = ?1)
                        ORDER BY o.delivered_at
                        LIMIT 500)
  AND outbox.number < (SELECT max(one.number) FROM outbox AS one)
