//! Runs that come to the end of their budget.

use fencepost_batch::{
    Metered,
    faults::{Fate, Faulty},
};
use fencepost_core::{StoreErrorKind, budget::Budget};

use crate::taken_over::{MONTHS, office};

#[tokio::test]
async fn a_run_may_end_with_any_call_and_leaves_no_lease_behind() {
    let (undisturbed, all) = (office(), Budget::unlimited());
    undisturbed.run_on(Metered::new(undisturbed.runner().await, all.clone())).await.unwrap();
    assert!(all.spent() > 40, "only {} calls", all.spent());
    for calls in 0..all.spent() {
        let office = office();
        let frugal = Metered::new(office.runner().await, Budget::of(calls)).keeping_a_release();
        let ended = office.run_on(frugal).await.map_err(|error| error.kind());
        assert_eq!(ended, Err(StoreErrorKind::OverBudget), "{calls} calls");
        assert_eq!(office.texts("SELECT key FROM job_leases WHERE expires_at > 0"), [""; 0], "{calls} calls");
        // At once: nothing is to be waited for.
        office.run().await;
        office.check(&format!("{calls} calls"), &MONTHS);
    }
}

#[tokio::test]
async fn a_run_without_calls_left_asks_for_no_more() {
    let office = office();
    let metered = Metered::new(office.runner().await, Budget::of(1));
    let counted = Faulty::new(metered, |_| async { Fate::Answered });
    office.run_on(&counted).await.unwrap_err();
    // What is missing, and the first lease.
    assert_eq!(counted.calls(), 2);
}

#[tokio::test]
async fn a_run_that_finds_nothing_to_do_asks_once() {
    let office = office();
    office.run().await;
    assert_eq!(office.calls().await, 1);
}
