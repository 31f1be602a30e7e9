//! Rows that a query keeps while somebody runs it who does not know their type.
//!
//! There are some fifty types of rows. A runner for each of them, with the calls that it
//! awaits, would be a considerable part of the Worker, of which fifty times the same.

use std::sync::{Arc, Mutex, PoisonError};

use crate::Query;

/// The rows of a query that has been run, decoded.
pub(crate) struct Kept<T>(Arc<Mutex<Vec<T>>>);

impl<T> Kept<T> {
    /// All of them.
    pub(crate) fn rows(self) -> Vec<T> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The same query for a runner to which all rows are alike, and where they are kept.
pub(crate) fn kept<T: Send + 'static>(query: Query<T>) -> (Query<()>, Kept<T>) {
    let rows = Arc::new(Mutex::new(Vec::new()));
    let kept = Kept(Arc::clone(&rows));
    let keep = move |row| rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
    (query.map(keep), kept)
}
