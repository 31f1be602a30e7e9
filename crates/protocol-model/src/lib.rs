//! A model of the publication protocol, and every state that it can reach.
//!
//! The other tests run the code, and see as many of its histories as they have time for. This
//! crate has no code of Fencepost in it. It says the protocol once more, in the smallest words
//! that still have all of its rules, and then goes through *every* history that fits within
//! some bounds, breadth first, with [stateright]. So it is a second opinion, about something
//! else: not whether the code keeps to the protocol, but whether the protocol keeps its
//! promises.
//!
//! There is one item, one lease, one page, the site's revision, receipts and a quota (`store`).
//! Two workers make one run after another, and an operator may withdraw and reinstate
//! (`actor`). Between them and the store is a network (`model`), and each request meets one of
//! four fates: it is answered; it arrives, and its answer is lost; it is lost; or its sender
//! gives up and it arrives late, at any moment, or never. A worker may die after any request.
//! The lease may run out at any moment: that stands for every pause, every slow clock and every
//! slow machine.
//!
//! Every state must keep every promise (`promises`). The last of them is about what is still to
//! come: from *any* state, if faults cease, one more run brings the page out, once, and what
//! then still arrives late does no harm. A model in which nothing ever happens keeps every
//! promise too, so what ought to be reachable must be seen as well (`sights`).
//!
//! A batch is the list of its statements, each with its condition, so that a condition can be
//! taken out (`flaw`). The list of what comes of that (`catalog`) tells what each rule is good
//! for. Most of them are missed at once, and the shortest way to a broken promise is told step
//! by step. Some are not missed, because another rule stands behind them. That is worth knowing
//! too: who takes out the second one because "nothing depends on it" loses both.
//!
//! # What is left out
//!
//! - Whether the item is due, its bank version, its photo, the pause and how large the quota is.
//!   Each is a further predicate of the guard, and what it protects does not depend on the
//!   order in which messages arrive.
//! - The list of due items, and rendering. The first is a hint that the claim asks again, the
//!   second touches nothing, and a worker may stand still anyway.
//! - Renewal. A lease that is renewed is one that has not run out yet.
//! - A message that arrives twice: that is a retry with the same token, of which the catalog
//!   tells what comes of it.
//! - Waiting, and blocking an item after failures of its own.
//! - A second item. Its rows are its own, but for the revision, which each batch raises and
//!   reads at once.
//!
//! The bounds are small. That they are large enough is likely, since every flaw that is known
//! shows in fewer steps; it is not proven. States are told apart by hashes of 64 bits, so that
//! one of a few million could be missed, in theory.

pub mod flaw;

pub mod message;

pub mod store;

pub mod actor;

pub mod model;

pub mod promises;

pub mod sights;

pub mod catalog;

pub mod explore;

mod story;
