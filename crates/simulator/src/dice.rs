//! Chance, from a seed.
//!
//! Every actor has dice of its own, made from the schedule's seed and the actor's number.
//! So what one actor draws does not depend on how often another one drew, and when a
//! history is shrunk, taking one event out leaves the luck of all others as it was.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// A source of chance that can be repeated.
#[derive(Clone, Debug)]
pub(crate) struct Dice(Pcg64Mcg);

impl Dice {
    /// The dice of `actor` in the schedule of `seed`.
    pub(crate) fn new(seed: u64, actor: u64) -> Self {
        // Two odd constants keep neighbouring seeds and actors apart.
        let mixed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ actor.wrapping_mul(0xD1B5_4A32_D192_ED03);
        Self(Pcg64Mcg::seed_from_u64(mixed))
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        self.0.random_range(low..=high)
    }

    /// True in so many of 10,000 cases. Draws once, whatever the rate is.
    pub(crate) fn happens(&mut self, of_ten_thousand: u32) -> bool {
        self.0.random_range(0..10_000_u32) < of_ten_thousand
    }

    /// One of several.
    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.0.random_range(0..of.len())]
    }

    /// A number to break ties with.
    pub(crate) fn tie(&mut self) -> u32 {
        self.0.random()
    }
}
