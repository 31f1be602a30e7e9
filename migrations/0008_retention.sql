-- Events that were delivered, the oldest first: a run forgets a few that are old.
CREATE INDEX outbox_delivered ON outbox (delivered_at) WHERE state = 'delivered';
