//! Caches that take no more memory than they may, counted as the machine counts it.
//!
//! Whoever weighs a page by its length is wrong by a fifth. An allocator hands out memory in
//! a few sizes, four from one power of two to the next, and keeps the rest of each to itself.
//! A cache of small things is mostly something else: names, counters, and the places in its
//! tables, of which there are more than things. So a thing says what it has on the heap in
//! pieces, and each piece is counted by the size that it is handed.
//!
//! No piece may have room to spare, since nobody can see that from outside. In particular a
//! text that was made longer and longer has up to half of its room to spare, and keeps it
//! when it is told to shrink: mimalloc moves nothing for less. What is kept is a copy, which
//! is made at once at its length.

use std::hash::Hash;

use bytes::Bytes;
use quick_cache::{
    DefaultHashBuilder, OptionsBuilder, Weighter,
    sync::{Cache, DefaultLifecycle},
};

/// A cache that takes at most so many bytes, and throws out what is asked for least.
pub(crate) type Bounded<Key, Value> = Cache<Key, Value, Taken>;

/// How much a part of a cache holds, at the least. Each has a lock of its own, and keeps nothing
/// that is larger than itself: the longest list for search engines has 1 MB.
const PART_BYTES: u64 = 2_000_000;

/// An empty cache of at most `bytes` bytes, in which there is room for things of
/// `typical_bytes`. What is larger than one of its parts is not kept.
pub(crate) fn bounded<Key, Value>(bytes: u64, typical_bytes: u64) -> Bounded<Key, Value>
where
    Key: OnHeap + Eq + Hash,
    Value: OnHeap + Clone,
{
    let entries = usize::try_from(bytes / typical_bytes).unwrap_or(usize::MAX);
    // It makes a power of two of their number, which may be nearly twice as many.
    let parts = usize::try_from(bytes / (2 * PART_BYTES)).unwrap_or(usize::MAX).max(1);
    let options = OptionsBuilder::new()
        .estimated_items_capacity(entries.max(1))
        .weight_capacity(bytes)
        .shards(parts)
        .build()
        .expect("a capacity is told");
    Cache::with_options(options, Taken, DefaultHashBuilder::default(), DefaultLifecycle::default())
}

/// What a value has on the heap.
pub(crate) trait OnHeap {
    /// How many bytes that takes.
    fn on_heap(&self) -> usize;
}

impl OnHeap for Bytes {
    /// The bytes, and the count of those who share them.
    fn on_heap(&self) -> usize {
        piece(self.len()) + piece(3 * size_of::<usize>())
    }
}

/// What an allocator takes for a piece of so many bytes.
pub(crate) fn piece(bytes: usize) -> usize {
    const SMALLEST_STEP: usize = 16;
    let step = bytes.checked_next_power_of_two().map_or(SMALLEST_STEP, |power| power / 8);
    bytes.checked_next_multiple_of(step.max(SMALLEST_STEP)).unwrap_or(usize::MAX)
}

/// Counts what entries take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken;

impl<Key: OnHeap, Value: OnHeap> Weighter<Key, Value> for Taken {
    fn weight(&self, key: &Key, value: &Value) -> u64 {
        /// What a place has beside the entry: its neighbours, and its numbers in the index.
        const LINKS: usize = 5 * size_of::<usize>();
        /// Places for each entry: half a one remembers what was thrown out, and a table that
        /// has grown is half empty.
        const PLACES: usize = 2;
        let place = size_of::<Key>() + size_of::<Value>() + LINKS;
        u64::try_from(key.on_heap() + value.on_heap() + PLACES * place).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_counted_by_the_size_that_it_is_handed() {
        for (bytes, taken) in [
            (0, 0),
            (1, 16),
            (16, 16),
            (17, 32),
            (100, 112),
            (128, 128),
            (129, 160),
            (8_192, 8_192),
            (8_193, 10_240),
            (10_241, 12_288),
            (usize::MAX, usize::MAX),
        ] {
            assert_eq!(piece(bytes), taken, "{bytes}");
        }
    }
}
