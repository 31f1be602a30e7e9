//! Every store port, over anything that can run a plan.
//!
//! What a port promises is kept by the texts in `fencepost-sql`; what differs between
//! D1 and SQLite is how a batch is run, how a value is bound and what an error means.
//! So the ports are implemented once, here, and a database's adapter is a
//! [`PlanRunner`]: it runs a batch as a whole and hands the rows back.

use fencepost_batch::Store;
/// What runs plans, of a site or of anything else.
pub use fencepost_batch::{Metered, PlanRunner, StoreClock, not_raised, raised};

mod lease_store;

mod publication_ledger;

mod puzzle_bank;

mod source_images;

mod answer_posts;

mod revision_source;

mod results_log;

mod action_log;

mod job_runs;

mod outbox;

mod alert_log;
mod exports;

mod verifier;

/// A store that keeps what the ports promise by running plans.
#[derive(Clone, Debug)]
pub struct PlanStore<R>(Store<R>);

impl<R> PlanStore<R> {
    /// A store on top of `runner`.
    pub const fn new(runner: R) -> Self {
        Self(Store::new(runner))
    }

    /// Whatever runs the plans.
    pub const fn runner(&self) -> &R {
        self.0.runner()
    }

    /// Whatever runs the plans, to be put to another use.
    pub fn into_runner(self) -> R {
        self.0.into_runner()
    }
}
