//! What time it is for every statement of a store.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use fencepost_core::time::DAY_MS;

use crate::clock::ClockArgument;

/// What time it is for every statement of a store: whoever makes a runner says so.
///
/// ```
/// use std::sync::{Arc, atomic::{AtomicI64, Ordering}};
///
/// use fencepost_batch::{StoreClock, clock::ClockArgument};
///
/// let midnight = Arc::new(AtomicI64::new(0));
/// let clock = StoreClock::Manual(Arc::clone(&midnight));
/// midnight.fetch_add(600_000, Ordering::SeqCst);
/// assert_eq!(clock.argument(), ClockArgument::At(600_000));
/// ```
#[derive(Clone, Debug)]
pub enum StoreClock {
    /// The database's clock.
    Database,
    /// The database's clock, shifted by so many milliseconds.
    ShiftedBy(i64),
    /// Whatever instant the cell holds, in milliseconds since the epoch: time as an argument.
    Manual(Arc<AtomicI64>),
}

impl StoreClock {
    /// The furthest that a clock can be shifted, in milliseconds: a hundred years.
    pub const LONGEST_SHIFT_MS: i64 = 36_525 * DAY_MS;

    /// What is bound now where a plan asks for the clock.
    pub fn argument(&self) -> ClockArgument {
        match self {
            Self::Database => ClockArgument::Database,
            Self::ShiftedBy(ms) => ClockArgument::ShiftedBy(*ms),
            Self::Manual(instant) => ClockArgument::At(instant.load(Ordering::SeqCst)),
        }
    }
}
