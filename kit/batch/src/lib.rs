//! Guarded batches, for stores that run a batch as a whole and let nobody look first.

mod chain;
pub use chain::{Chain, Change, Told, trace};

pub mod clock;

mod commit;
pub use commit::Committed;

pub mod decode;

mod fragment;

mod guard;
pub use guard::{Guard, OWN};

mod kept;

pub mod lease_store;

mod leases;

mod marked;
pub use marked::Marked;

mod metered;
pub use metered::Metered;

mod runner;
pub use runner::{PlanRunner, not_raised, raised};

pub mod scan;

pub mod slots;

pub mod statement;
pub use statement::{Batch, DecodeError, FailingBatch, Query, Row, SqlText, Statement, Value};

mod store;
pub use store::{Store, miscounted};

mod store_clock;
pub use store_clock::StoreClock;

pub mod texts;
pub use texts::{Insert, Linked, Marking, ReadBack, Sql, Text, Tracing};
