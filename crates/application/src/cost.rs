//! What a job costs, in calls of the invocation's [`Budget`](fencepost_ports::Budget).
//!
//! A run looks at these numbers before it takes an item in hand, and begins none that it
//! could not finish. They say what each step costs when nothing goes wrong; what faults
//! cost is not guessed. A retry is affordable or it is not, and what the end of the run
//! will take is kept from it.
//!
//! | a page is published | calls |
//! |---|---|
//! | whose photo is stored, or that has none | 10 |
//! | whose photo is fetched from where it is | 20 |
//! | whose photo is behind one redirect | 21 |
//!
//! Around the pages a run costs 6, one of them for forgetting what is old, and 7 if it looks for photos of coming puzzles. So the
//! fifty calls of Cloudflare's free plan are four pages in a run, or two with a photo to
//! be fetched. A dry run tries an item in 11 calls, one less for the first of a day, and
//! costs 3 around them: four items as well. What a run leaves of its calls is for telling
//! others: 5 to find out what there is to tell, and 5 for each event. Where others are told of
//! alerts, a look for them costs 1 when a run begins and 1 at its end, and 4 more if one has
//! begun or ended. The numbers are measured by a test, on a real store.

/// A run is recorded when it begins: one write, one read.
pub const START_RUN: u32 = 2;
/// What stops all publications, and a page of what is due.
pub const LIST: u32 = 1;
/// An item is taken in hand: the claim, the mark, and all that rendering needs.
pub const BEGIN: u32 = 3;
/// A commit that publishes: six writes and the read-back.
pub const COMMIT: u32 = 7;
/// An item is given back: the item, the lease, the read-back.
pub const GIVE_BACK: u32 = 3;
/// A run is recorded when it ends.
pub const FINISH_RUN: u32 = 2;
/// What is old is forgotten with that: one write more. It is done if the end could be recorded
/// twice with it, in case the first answer gets lost, and otherwise left to the next run.
pub const PRUNE: u32 = 1;

/// The photos of coming puzzles are looked for.
pub const LOOK_FOR_PHOTOS: u32 = 1;
/// A photo is taken in hand.
pub const BEGIN_PHOTO: u32 = 2;
/// A photo is asked for: where it is said to be, and where that redirects to.
pub const FETCH: u32 = 2;
/// A photo is asked for at every address that may be visited on the way.
pub const LONGEST_FETCH: u32 = 4;
/// A photo is stored, or found to be stored already.
pub const STORE_PHOTO: u32 = 2;
/// What became of a photo is recorded, with the bank's revision, and its lease released.
pub const RECORD_PHOTO: u32 = 4;
/// The lease of an item is renewed.
pub const RENEW: u32 = 2;

/// An item whose photo is stored, or that has none.
pub const ITEM: u32 = BEGIN + COMMIT;
/// A photo that is made ready.
pub const PHOTO: u32 = BEGIN_PHOTO + FETCH + STORE_PHOTO + RECORD_PHOTO;
/// An item whose photo has to be fetched.
pub const ITEM_WITH_PHOTO: u32 = BEGIN + PHOTO + AFTER_PHOTO;
/// What an item still takes once its photo is ready.
pub const AFTER_PHOTO: u32 = RENEW + COMMIT;

/// Whether events are to be enqueued or delivered is looked up.
pub const LOOK_FOR_EVENTS: u32 = 1;
/// Events are enqueued: the cursor, the events, the cursor again, and the read-back.
pub const ENQUEUE: u32 = 4;
/// An event is claimed.
pub const CLAIM_EVENT: u32 = 2;
/// Whether an alert has begun or ended is looked up.
pub const LOOK_FOR_ALERTS: u32 = 1;
/// Alerts that have are written down: those that go on, those that begin, their events, and
/// the read-back.
pub const TELL_ALERTS: u32 = 4;
/// How a delivery ended is recorded.
pub const RECORD_DELIVERY: u32 = 2;
/// An event is delivered: claimed, sent and recorded.
pub const DELIVERY: u32 = CLAIM_EVENT + 1 + RECORD_DELIVERY;

/// All that rendering needs is read, and nothing is taken in hand.
pub const LOOK: u32 = 1;
/// An item is tried as one batch: the claim, the mark, what others of the day used up, and
/// the commit, whose read-back raises.
pub const REHEARSE: u32 = 2 + 1 + COMMIT;
/// An item in a dry run. No photo is fetched.
pub const REHEARSED_ITEM: u32 = LOOK + REHEARSE;
/// The time and the revision are read, before a dry run and after it.
pub const CLOSING_DRY: u32 = 1;

/// What is kept for the end of a run: to give back the item that is in hand then, and to
/// record the end. Without an item in hand, it suffices to record the end twice, in case
/// the first answer gets lost.
pub const CLOSING: u32 = GIVE_BACK + FINISH_RUN;

/// The smallest budget under which every item comes out some time: a run has to get to the
/// end of an item whose photo is behind as many redirects as are followed.
pub const LEAST_BUDGET: u32 = START_RUN + LIST + ITEM_WITH_PHOTO - FETCH + LONGEST_FETCH + CLOSING;
