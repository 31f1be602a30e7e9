//! What a store was asked for: for metrics.
//!
//! An answer from the cache and one that is made differ in what the database has to do for
//! them, and so do a run that finds nothing and one that finds work. Each call of a
//! store belongs to one step of one use case. So calls are counted by their names, and what a
//! use case costs is the sum of its calls.
//!
//! Rows are counted where the store says how many they were. A database that is billed by
//! rows does, entries of indexes included; one on a disk knows what it has changed, and not
//! what it has looked at.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

/// What one call came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCost {
    /// How many statements were sent.
    pub statements: u64,
    /// How many rows were read, where the store tells.
    pub rows_read: Option<u64>,
    /// How many rows were written, where the store tells.
    pub rows_written: Option<u64>,
    /// Whether it failed. What became of it may be unknown.
    pub has_failed: bool,
}

/// What the calls of one name came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallTotals {
    /// How many there were.
    pub calls: u64,
    /// How many of them failed.
    pub failures: u64,
    /// All their statements.
    pub statements: u64,
    /// All rows that they read; `None` if the store does not tell.
    pub rows_read: Option<u64>,
    /// All rows that they wrote; `None` if the store does not tell.
    pub rows_written: Option<u64>,
}

/// The calls of a store, by their names. Clones count together.
///
/// ```
/// use fencepost_core::{CallCost, StoreCounts};
///
/// let counts = StoreCounts::default();
/// counts.count("orders/ship", CallCost { statements: 5, rows_written: Some(8), ..CallCost::default() });
/// let (name, totals) = counts.totals()[0];
/// assert_eq!((name, totals.calls, totals.rows_written, totals.rows_read), ("orders/ship", 1, Some(8), None));
/// ```
#[derive(Clone, Debug, Default)]
pub struct StoreCounts(Arc<Mutex<BTreeMap<&'static str, CallTotals>>>);

impl StoreCounts {
    /// Counts a call.
    pub fn count(&self, call: &'static str, cost: CallCost) {
        let mut totals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let total = totals.entry(call).or_default();
        total.calls += 1;
        total.failures += u64::from(cost.has_failed);
        total.statements += cost.statements;
        add(&mut total.rows_read, cost.rows_read);
        add(&mut total.rows_written, cost.rows_written);
    }

    /// What they came to, in the order of the names.
    pub fn totals(&self) -> Vec<(&'static str, CallTotals)> {
        let totals = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        totals.iter().map(|(call, total)| (*call, *total)).collect()
    }
}

fn add(total: &mut Option<u64>, more: Option<u64>) {
    if let Some(more) = more {
        *total = Some(total.unwrap_or(0) + more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_count_together_and_what_a_store_does_not_tell_is_not_zero() {
        let counts = StoreCounts::default();
        let cost = CallCost { statements: 7, rows_written: Some(9), ..CallCost::default() };
        counts.count("commit/order", cost);
        counts.clone().count("commit/order", CallCost { has_failed: true, rows_written: None, ..cost });
        counts.count("invoices/read", CallCost { statements: 1, rows_read: Some(0), ..CallCost::default() });
        let commit =
            CallTotals { calls: 2, failures: 1, statements: 14, rows_read: None, rows_written: Some(9) };
        let answer = CallTotals { calls: 1, statements: 1, rows_read: Some(0), ..CallTotals::default() };
        assert_eq!(counts.totals(), [("commit/order", commit), ("invoices/read", answer)]);
    }
}
