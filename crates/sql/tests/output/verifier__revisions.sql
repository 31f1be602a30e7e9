SELECT 'revisions_not_dense' AS rule, 'site' AS subject,
  'publication_revision is ' || s.publication_revision || ', but there are ' || r.n || ' receipts with revisions '
    || coalesce(r.low, 'none') || ' to ' || coalesce(r.high, 'none') AS detail
FROM site_state AS s
JOIN (SELECT count(*) AS n, min(revision) AS low, max(revision) AS high FROM commit_receipts) AS r
WHERE s.publication_revision <> r.n
   OR coalesce(r.low, 1) <> 1
   OR coalesce(r.high, 0) <> r.n
