//! How a run is asked to stop between two items.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// A flag that a run looks at before it takes the next item in hand.
///
/// A stopped run finishes the item that it has, so that a shutdown leaves nothing
/// `processing`. An item that is cut off all the same is claimable once its lease ends.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks the run to stop.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the run was asked to stop.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
