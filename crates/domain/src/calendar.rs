//! The visibility calendar: when an answer changes although nobody writes anything.
//!
//! A puzzle opens, play ends, an embargo ends: at each of these instants some address
//! answers differently, and no statement runs that could raise a revision. A copy that was
//! made before such an instant must not be used after it. A lifetime alone does not see to
//! that, because caches are known to keep things for longer than they were told.
//!
//! So time is cut into *stretches*, at every instant that any puzzle of the bank brings
//! and at every midnight. Within a stretch the answer of every address, front page, list, feed,
//! answer page, photo, depends on nothing but what is stored. The stretch in which an
//! answer was made is part of the name that it is kept under ([`crate::cache_key`]), and
//! its lifetime ends with the stretch.
//!
//! One set of instants serves all addresses. Telling them apart would need to know the
//! item before the cache is asked, and would save little: a puzzle a day brings two
//! instants a day. For the same reason instants are never taken out of the set. One that
//! no puzzle has any more, since it was moved, ends a stretch too many.

pub use fencepost_core::stretch::{SHORTEST_LIFETIME_MS, Stretch};

use crate::time::UnixMillis;

/// The longest that an answer is kept, in milliseconds.
pub const LONGEST_LIFETIME_MS: i64 = 300_000;

/// The longest that the front page is kept, in milliseconds.
pub const HOME_LIFETIME_MS: i64 = 60_000;

/// The instants that a puzzle brings to the calendar, given its schedule.
pub const fn instants(
    opens_at: UnixMillis,
    playable_until: UnixMillis,
    due_at: UnixMillis,
) -> [UnixMillis; 3] {
    [opens_at, playable_until, due_at]
}
