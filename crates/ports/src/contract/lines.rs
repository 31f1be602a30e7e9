//! The lines in which a case says what it expects to change.

use std::fmt::Display;

use fencepost_domain::{lease::Lease, time::UnixMillis};
use serde::Serialize;
use serde_json::{Value, json};

use super::{Row, steps::TTL_MS};

/// NULL.
pub(super) const NULL: Value = Value::Null;

/// A row that was not there before; `columns` are all but its key.
pub(super) fn appears(table: &str, key: impl Display, columns: &Value) -> String {
    let columns: Row = columns.as_object().cloned().into_iter().flatten().collect();
    let columns: Vec<_> = columns.iter().map(|(column, value)| format!("{column}={value}")).collect();
    format!("{table}/{key} + {}", columns.join(", "))
}

/// A column that has another value now.
pub(super) fn becomes(
    table: &str,
    key: impl Display,
    column: &str,
    from: impl Serialize,
    to: impl Serialize,
) -> String {
    format!("{table}/{key}.{column}: {} -> {}", json!(from), json!(to))
}

/// An instant that the visibility calendar did not have before.
pub(super) fn instant(at: UnixMillis) -> String {
    appears("visibility_instants", at.get(), &json!({}))
}

/// The row of a lease that was claimed at `now` for the first time.
pub(super) fn first_claim(lease: &Lease, now: UnixMillis) -> String {
    let columns = json!({
        "owner_id": lease.owner,
        "fence": 1,
        "expires_at": now.plus(TTL_MS),
        "updated_at": now,
    });
    appears("job_leases", lease.key, &columns)
}

/// A lease that was claimed at `claimed` and is released at `now`.
pub(super) fn released(lease: &Lease, claimed: UnixMillis, now: UnixMillis) -> [String; 2] {
    [
        becomes("job_leases", lease.key, "expires_at", lease.expires_at, 0),
        becomes("job_leases", lease.key, "updated_at", claimed, now),
    ]
}
