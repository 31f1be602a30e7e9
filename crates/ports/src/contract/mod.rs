//! The suite that every adapter of the store ports has to pass.
//!
//! One list of cases runs on the reference model, on SQLite and on D1, so that "the
//! same on both targets" is a fact and not a hope. A case acts through the ports alone
//! and then looks at *all* tables, whole: what a write leaves alone matters as much as
//! what it changes, and the bugs that publish twice are of the first sort.
//!
//! A backend plugs in with two traits: [`Backend`] makes an empty store, [`Inspect`]
//! dumps its tables. [`contract_tests!`](crate::contract_tests) then makes one test of
//! every case, and [`run`] runs one by its name where there is no test harness. A case
//! that fails panics with a message for people.
//!
//! Time is a [`ManualClock`]: no case ever waits.

use std::{pin::Pin, sync::Arc};

use async_trait::async_trait;
use fencepost_domain::id::PuzzleId;

pub use crate::memory::{ManualClock, Row, SCHEMA, TableShape, Tables, changes, misshapen, sort};
use crate::{StoreError, Stores};

mod memory_backend;
pub use memory_backend::MemoryBackend;

mod steps;

mod lines;

mod cases;
pub use cases::CASES;

mod draw;

mod history;
pub use history::agree;

/// A kind of store under test.
#[async_trait]
pub trait Backend: Send + Sync {
    /// A store of its own, empty but for what the migrations insert.
    async fn fresh(&self) -> Fixture;
}

/// One store under test.
#[derive(Clone)]
pub struct Fixture {
    /// Its ports.
    pub stores: Stores,
    /// The clock that the store goes by, and nothing else moves.
    pub clock: ManualClock,
    /// A way past its ports. Keeps alive whatever the store needs, such as a folder.
    pub inspect: Arc<dyn Inspect>,
}

/// What a case does past the ports: it looks at all tables, and plants what the ports
/// would take minutes for.
#[async_trait]
pub trait Inspect: Send + Sync {
    /// Every row of every table of [`SCHEMA`], in any order.
    async fn tables(&self) -> Result<Tables, StoreError>;

    /// Plants `count` results of a puzzle that has none, in the slots from 1 on. That in
    /// slot 7 is of the session `planted-session-00007`, which won with its third guess, at
    /// instant 0, and is counted as any other; nothing reported it.
    async fn plant_results(&self, puzzle: PuzzleId, count: i64) -> Result<(), StoreError>;
}

/// One case of the suite.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Its group and its sentence: `leases::a_free_key_is_claimed_with_fence_one`.
    pub name: &'static str,
    run: CaseFn,
}

type CaseFn = fn(Fixture) -> Pin<Box<dyn Future<Output = ()> + Send>>;

impl Case {
    /// Runs the case on a fresh store, and then asks the store's own verifier: whatever
    /// the case did, nothing may be half published.
    ///
    /// # Panics
    /// When the store does not keep the contract.
    pub async fn run(&self, backend: &dyn Backend) {
        let fixture = backend.fresh().await;
        fixture.clock.set(steps::opens(1));
        (self.run)(fixture.clone()).await;
        let violations = fixture.stores.verifier.violations().await;
        assert_eq!(violations, Ok(Vec::new()), "{} left the store unsound", self.name);
    }
}

/// Runs the case with this name.
///
/// # Panics
/// When the store does not keep the contract, or when there is no such case.
pub async fn run(backend: &dyn Backend, name: &str) {
    let case = CASES.iter().find(|case| case.name == name);
    case.unwrap_or_else(|| panic!("the contract has no case {name:?}")).run(backend).await;
}

/// Makes a test of every case of the contract: `contract_tests!(MyBackend::new())`. The
/// expression is evaluated once for every test. The crate that says this needs `tokio`
/// with the features `macros` and `rt`.
#[macro_export]
macro_rules! contract_tests {
    ($backend:expr) => {
        fn contract_backend() -> impl $crate::contract::Backend {
            $backend
        }

        $crate::__contract_cases! { $crate::__contract_tests! }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __contract_tests {
    ($($group:ident: [$($case:ident),* $(,)?],)*) => {
        $(
            mod $group {
                $(
                    #[::tokio::test]
                    async fn $case() {
                        let name = concat!(stringify!($group), "::", stringify!($case));
                        $crate::contract::run(&super::contract_backend(), name).await;
                    }
                )*
            }
        )*
    };
}
