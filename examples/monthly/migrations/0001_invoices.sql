-- The leases, as fencepost_batch::lease_store::SCHEMA has them.
CREATE TABLE job_leases (
  key TEXT NOT NULL PRIMARY KEY,
  owner_id TEXT NOT NULL,
  fence INTEGER NOT NULL CHECK (fence >= 1),
  expires_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- Who is invoiced: for each month from `since_month` to `until_month`, both included, or for as long
-- as there is none. Months are written `2026-02`, and so come one after the other as texts do.
CREATE TABLE tenants (
  tenant_id INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  monthly_fee_cents INTEGER NOT NULL CHECK (monthly_fee_cents >= 0),
  since_month TEXT NOT NULL CHECK (since_month IS strftime('%Y-%m', since_month || '-01')),
  until_month TEXT CHECK (until_month IS NULL OR until_month IS strftime('%Y-%m', until_month || '-01'))
) STRICT;

-- What is done: a row for each tenant and month. `run_id` is both of them, such as `7/2026-02`.
CREATE TABLE invoice_runs (
  run_id TEXT NOT NULL PRIMARY KEY,
  tenant_id INTEGER NOT NULL REFERENCES tenants,
  month TEXT NOT NULL,
  version INTEGER NOT NULL,
  commit_token TEXT NOT NULL UNIQUE,
  updated_at INTEGER NOT NULL,
  UNIQUE (tenant_id, month)
) STRICT;

CREATE TABLE run_receipts (
  commit_token TEXT NOT NULL PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES invoice_runs,
  version INTEGER NOT NULL,
  UNIQUE (run_id, version)
) STRICT;

-- The number that was given out last, once there is one.
CREATE TABLE invoice_numbers (
  series TEXT NOT NULL PRIMARY KEY,
  last_number INTEGER NOT NULL
) STRICT;

-- Numbers begin with 1 and have no gap.
CREATE TABLE invoices (
  number INTEGER NOT NULL PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE REFERENCES invoice_runs,
  tenant_id INTEGER NOT NULL REFERENCES tenants,
  month TEXT NOT NULL,
  amount_cents INTEGER NOT NULL,
  issued_at INTEGER NOT NULL
) STRICT;
