//! From columns to values. A value that cannot be names its column.
//!
//! What a query decodes its rows with is made of these:
//!
//! ```
//! use fencepost_batch::{Row, decode};
//! use fencepost_core::time::UnixMillis;
//!
//! struct Delivery { to: String, tries: i64, sent_at: Option<UnixMillis> }
//!
//! fn delivery(row: &dyn Row) -> decode::Decoded<Delivery> {
//!     Ok(Delivery {
//!         to: decode::text(row, "to_address")?,
//!         tries: decode::integer(row, "tries")?,
//!         sent_at: decode::optional_instant(row, "sent_at")?,
//!     })
//! }
//! ```

use std::str::FromStr;

use fencepost_core::{
    id::{Fence, OwnerId},
    lease::LeaseRow,
    time::UnixMillis,
};

use serde::de::DeserializeOwned;

use crate::{DecodeError, Row};

/// A value of a column, or what is wrong with it.
pub type Decoded<T> = Result<T, DecodeError>;

/// A value that may not be NULL.
///
/// # Errors
/// A column that is NULL, missing, or of another kind.
pub fn required<T>(value: Option<T>, column: &'static str) -> Decoded<T> {
    value.ok_or_else(|| DecodeError::new(column, "is NULL".to_owned()))
}

/// An integer that may not be NULL.
///
/// # Errors
/// A column that is NULL, missing, or of another kind.
pub fn integer(row: &dyn Row, column: &'static str) -> Decoded<i64> {
    required(row.integer(column)?, column)
}

/// A text that may not be NULL.
///
/// # Errors
/// A column that is NULL, missing, or of another kind.
pub fn text(row: &dyn Row, column: &'static str) -> Decoded<String> {
    required(row.text(column)?, column)
}

/// An integer that is 0 for no, and anything else for yes.
///
/// # Errors
/// A column that is NULL, missing, or of another kind.
pub fn flag(row: &dyn Row, column: &'static str) -> Decoded<bool> {
    Ok(integer(row, column)? != 0)
}

/// An instant, in milliseconds since the epoch.
///
/// # Errors
/// A column that is NULL, missing, or of another kind.
pub fn instant(row: &dyn Row, column: &'static str) -> Decoded<UnixMillis> {
    integer(row, column).map(UnixMillis::new)
}

/// An instant, or `None` for NULL.
///
/// # Errors
/// A column that is missing or of another kind.
pub fn optional_instant(row: &dyn Row, column: &'static str) -> Decoded<Option<UnixMillis>> {
    Ok(row.integer(column)?.map(UnixMillis::new))
}

/// A text that is read as something else.
///
/// # Errors
/// A column that is NULL, missing, or of another kind.
pub fn parsed<T: FromStr>(row: &dyn Row, column: &'static str) -> Decoded<T> {
    required(optional_parsed(row, column)?, column)
}

/// A text that is read as something else, or `None` for NULL.
///
/// # Errors
/// A column that is missing or of another kind.
pub fn optional_parsed<T: FromStr>(row: &dyn Row, column: &'static str) -> Decoded<Option<T>> {
    let parse = |text: String| {
        text.parse()
            .map_err(|_| DecodeError::new(column, format!("{text:?} is none of the values it may have")))
    };
    row.text(column)?.map(parse).transpose()
}

/// A text of JSON.
///
/// # Errors
/// A column that is NULL, missing, or of another kind.
pub fn json<T: DeserializeOwned>(row: &dyn Row, column: &'static str) -> Decoded<T> {
    required(optional_json(row, column)?, column)
}

/// A text of JSON, or `None` for NULL.
///
/// # Errors
/// A column that is missing or of another kind.
pub fn optional_json<T: DeserializeOwned>(row: &dyn Row, column: &'static str) -> Decoded<Option<T>> {
    // As bytes, as all JSON is read here: a reader of text would be compiled besides.
    let parse = |text: String| {
        serde_json::from_slice(text.as_bytes()).map_err(|error| DecodeError::new(column, error.to_string()))
    };
    row.text(column)?.map(parse).transpose()
}

/// The row of a lease, from `lease_owner_id`, `lease_fence_number` and `lease_expires_at`;
/// `None` if there is none.
///
/// # Errors
/// A column that is missing or of another kind.
pub fn optional_lease(row: &dyn Row) -> Decoded<Option<LeaseRow>> {
    let Some(owner) = row.text("lease_owner_id")? else { return Ok(None) };
    Ok(Some(LeaseRow {
        owner: OwnerId::new(owner),
        fence: Fence::new(integer(row, "lease_fence_number")?),
        expires_at: instant(row, "lease_expires_at")?,
    }))
}

/// The columns that [`optional_lease`] reads, of a row of the lease table that is called `l`.
pub const LEASE_COLUMNS: &str =
    "l.owner_id AS lease_owner_id, l.fence AS lease_fence_number, l.expires_at AS lease_expires_at";
