SELECT count(*) FILTER (WHERE o.state = 'pending') AS pending,
  count(*) FILTER (WHERE o.state = 'dead') AS dead
FROM outbox AS o
WHERE o.state <> 'delivered'
