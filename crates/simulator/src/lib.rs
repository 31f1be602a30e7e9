//! The simulator: everything that can go wrong, from one seed, and a judge.
//!
//! It plays the *real* use cases with the *real* SQL behind the *real* router, for several
//! workers, data centres, an editor and readers at once. What it replaces is what surrounds
//! them: the network, the clock, the crons, the host and the store of photos, the caches.
//! These misbehave as their users have seen them misbehave ([`Fault`]).
//!
//! One scheduler (`stage.rs`) decides at every await who goes on, and it decides by the
//! seed alone: one seed, one history, to the byte. After every step an oracle, which shares
//! no query and no rule with the program, holds what is stored and what is served against
//! the promises ([`Rule`]). Then the faults stop, and everything that is due has to come out.
//!
//! A judge who always nods proves nothing. So rules of the program are broken on purpose
//! (`mutants`), and each has to be found out.

mod actors;

pub mod argument;

mod calm;

mod cast;

mod database;

mod ddmin;

mod dice;

mod excerpt;

mod fault;
pub use fault::{Fault, Profile};

mod history;
pub use history::History;

pub mod mutants;

mod omissions;
pub use omissions::Omissions;

mod oracle;
pub use oracle::{Rule, Violation};

mod plan;

mod ports;

mod shrink;
pub use shrink::{Shrunk, shrink};

mod stage;
pub use stage::{Played, Player, Scenario};

mod stats;
pub use stats::{Size, Stats};

mod sweep;
pub use sweep::{Hunted, Swept, hunt, hunt_all, sweep};

mod wait;

mod world;
