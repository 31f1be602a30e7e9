//! How often, in which turn, and with which chance timing.

use std::time::Duration;

use tokio::sync::{Mutex, MutexGuard};

/// Asks for the full form of the proofs, whatever its value.
const FULL_PROOFS: &str = "FENCEPOST_FULL_PROOFS";

/// Whether the proofs are wanted in full.
pub(super) fn is_full() -> bool {
    std::env::var_os(FULL_PROOFS).is_some()
}

/// How often to repeat something: `full` times when `FENCEPOST_FULL_PROOFS` is set,
/// `small` times otherwise.
pub(crate) fn rounds(small: usize, full: usize) -> usize {
    if is_full() { full } else { small }
}

/// How many milliseconds something may take at most: `full` in the full form. In the small
/// one, which shares its cores with other tests and whatever else runs, it is a time that
/// only waiting for the wrong thing would need.
pub(crate) fn at_most(full: i64) -> i64 {
    if is_full() { full } else { 10_000 }
}

/// A turn of a test that measures time, or that would spoil the measure of others.
///
/// Whoever does not ask for a turn may still run beside it, so what is measured has to
/// bear one other test of the ordinary kind.
pub(crate) async fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::const_new(());
    TURN.lock().await
}

/// Numbers that look random and follow from a seed, so that a failure can be repeated.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `limit`: SplitMix64, cut to size.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }

    /// A place in `range`.
    #[cfg(target_os = "linux")]
    pub(crate) fn within(&mut self, range: std::ops::RangeInclusive<usize>) -> usize {
        let places = range.end() - range.start() + 1;
        range.start() + usize::try_from(self.below(places.try_into().unwrap())).unwrap()
    }

    /// Waits for a number of milliseconds below `limit`.
    pub(crate) async fn pause_below(&mut self, limit: u64) {
        tokio::time::sleep(Duration::from_millis(self.below(limit))).await;
    }
}
