//! Leases with fencing tokens: one statement each, decided by the database's clock.
//!
//! An upsert is atomic, so two claims at the same instant cannot both see a free
//! lease. What a claim led to is read from the row that stands afterwards: some drivers
//! report a row as changed when it was only looked at.
//!
//! [`Store`](crate::Store) runs these plans. What is public besides is for plans of one's own
//! that claim or release as part of a larger batch.

use std::fmt::Display;

use fencepost_core::{
    id::OwnerId,
    lease::{Lease, LeaseRow, MAX_LEASE_MS},
    time::UnixMillis,
};

use crate::{
    Batch, Query, Statement, Value,
    clock::CLOCK,
    decode::{self, LEASE_COLUMNS},
};

/// The table of leases. Rows are never deleted: a fence only grows. Put it into a migration.
pub const SCHEMA: &str = "\
CREATE TABLE job_leases (
  key TEXT NOT NULL PRIMARY KEY,
  owner_id TEXT NOT NULL,
  fence INTEGER NOT NULL CHECK (fence >= 1),
  expires_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
";

/// What it is called.
pub(crate) const TABLE: &str = "job_leases";

crate::sql_texts! {
    /// A free key is inserted with fence 1; a live lease of the same owner is prolonged
    /// with its fence; an expired one changes hands and its fence grows.
    CLAIM = "lease_store/claim", claim_sql("WHERE true");
    /// The lease changes hands, live or not.
    TAKE_OVER = "lease_store/take_over", take_over_sql("WHERE true");
    /// Only for the holder, only while it lives.
    RENEW = "lease_store/renew", format!("\
UPDATE job_leases
SET expires_at = clock.now + CAST(?5 AS INTEGER),
    updated_at = clock.now
FROM {CLOCK}
WHERE job_leases.key = ?2
  AND job_leases.owner_id = ?3
  AND job_leases.fence = ?4
  AND {}", lease_is_live("job_leases", "clock.now"));
    /// Only for the holder; the row stays, and so does its fence.
    RELEASE = "lease_store/release", format!("\
UPDATE job_leases
SET expires_at = 0,
    updated_at = clock.now
FROM {CLOCK}
WHERE job_leases.key = ?2
  AND job_leases.owner_id = ?3
  AND job_leases.fence = ?4");
    /// The row that stands.
    READ = "lease_store/read", format!("\
SELECT clock.now, {LEASE_COLUMNS}
FROM {CLOCK}
LEFT JOIN job_leases AS l ON l.key = ?2");
}

/// Whether a row of the lease table is live, as an expression: see
/// [`LeaseRow::is_live`]. `lease` is what the row is called, `now` the instant.
pub fn lease_is_live(lease: &str, now: &str) -> String {
    format!("{lease}.expires_at > {now} AND {lease}.expires_at <= {now} + {MAX_LEASE_MS}")
}

/// The claim of the owner `?3` on the key `?2` for `?4` milliseconds, as SQL with the parameters
/// of [`claim_params`]. `condition` is `WHERE …`, and may look at `clock.now`.
pub fn claim_sql(condition: &str) -> String {
    let live = lease_is_live("job_leases", "excluded.updated_at");
    format!(
        "\
INSERT INTO job_leases (key, owner_id, fence, expires_at, updated_at)
SELECT ?2, ?3, 1, clock.now + CAST(?4 AS INTEGER), clock.now
FROM {CLOCK}
{condition}
ON CONFLICT (key) DO UPDATE
SET owner_id = excluded.owner_id,
    fence = CASE WHEN {live} THEN fence ELSE fence + 1 END,
    expires_at = excluded.expires_at,
    updated_at = excluded.updated_at
WHERE job_leases.owner_id = excluded.owner_id
   OR NOT ({live})"
    )
}

/// The take-over of the key `?2` by the owner `?3` for `?4` milliseconds, as SQL with the
/// parameters of [`claim_params`]. `condition` is `WHERE …`, and may look at `clock.now`.
pub fn take_over_sql(condition: &str) -> String {
    format!(
        "\
INSERT INTO job_leases (key, owner_id, fence, expires_at, updated_at)
SELECT ?2, ?3, 1, clock.now + CAST(?4 AS INTEGER), clock.now
FROM {CLOCK}
{condition}
ON CONFLICT (key) DO UPDATE
SET owner_id = excluded.owner_id,
    fence = fence + 1,
    expires_at = excluded.expires_at,
    updated_at = excluded.updated_at"
    )
}

/// `?1…?4` of a claim: the clock, the key, the owner, and how many milliseconds, [`MAX_LEASE_MS`]
/// at most.
pub fn claim_params(key: &impl Display, owner: &OwnerId, ttl_ms: i64) -> Vec<Value> {
    vec![Value::Clock, key.to_string().into(), owner.as_str().into(), ttl_ms.min(MAX_LEASE_MS).into()]
}

/// The instant, by the database's clock, at which a row was read, and the row, if there is one.
pub type LeaseReading = (UnixMillis, Option<LeaseRow>);

/// Claims a lease for `ttl_ms` milliseconds.
pub fn claim(key: &impl Display, owner: &OwnerId, ttl_ms: i64) -> Batch<LeaseReading> {
    Batch { writes: vec![Statement::new(&CLAIM, claim_params(key, owner, ttl_ms))], readback: read(key) }
}

/// Takes a lease over for `ttl_ms` milliseconds.
pub fn take_over(key: &impl Display, owner: &OwnerId, ttl_ms: i64) -> Batch<LeaseReading> {
    Batch { writes: vec![Statement::new(&TAKE_OVER, claim_params(key, owner, ttl_ms))], readback: read(key) }
}

/// Renews a lease for `ttl_ms` milliseconds.
pub fn renew(lease: &Lease<impl Display>, ttl_ms: i64) -> Batch<LeaseReading> {
    let mut params = holder_params(lease);
    params.push(ttl_ms.min(MAX_LEASE_MS).into());
    Batch { writes: vec![Statement::new(&RENEW, params)], readback: read(&lease.key) }
}

/// Releases a lease.
pub fn release(lease: &Lease<impl Display>) -> Batch<LeaseReading> {
    Batch { writes: vec![release_statement(lease)], readback: read(&lease.key) }
}

/// Whether that is what a batch does.
pub(crate) fn is_release<T>(batch: &Batch<T>) -> bool {
    batch.name() == RELEASE.name()
}

/// The release, as part of another batch.
pub fn release_statement(lease: &Lease<impl Display>) -> Statement {
    Statement::new(&RELEASE, holder_params(lease))
}

fn holder_params(lease: &Lease<impl Display>) -> Vec<Value> {
    vec![Value::Clock, lease.key.to_string().into(), lease.owner.as_str().into(), lease.fence.get().into()]
}

fn read(key: &impl Display) -> Query<LeaseReading> {
    Query::new(&READ, vec![Value::Clock, key.to_string().into()], |row| {
        Ok((decode::instant(row, "now")?, decode::optional_lease(row)?))
    })
}
