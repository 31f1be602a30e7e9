//! Runs that come to the end of their budget.

use fencepost_batch::Metered;
use fencepost_core::{StoreErrorKind, budget::Budget};

use crate::desk::{Desk, Post, check_sent, run};

const ISSUES: i64 = 2;

/// One that has sent a mail and cannot note it any more leaves it to be sent again, with its key.
const MINUTE: i64 = 60_000;

#[tokio::test]
async fn a_run_may_end_with_any_call_and_leaves_no_lease_behind() {
    let (desk, all) = (Desk::with_issues(ISSUES), Budget::unlimited());
    run(Metered::new(desk.runner().await, all.clone()), &Post::default()).await.unwrap();
    assert!(all.spent() > 40, "only {} calls", all.spent());
    for calls in 0..all.spent() {
        let (desk, post) = (Desk::with_issues(ISSUES), Post::default());
        let frugal = Metered::new(desk.runner().await, Budget::of(calls)).keeping_a_release();
        let ended = run(frugal, &post).await.map_err(|error| error.kind());
        assert_eq!(ended, Err(StoreErrorKind::OverBudget), "{calls} calls");
        assert_eq!(desk.rows("SELECT key FROM job_leases WHERE expires_at > 0"), [""; 0], "{calls} calls");
        desk.pass_time(MINUTE);
        run(desk.runner().await, &post).await.unwrap();
        check_sent(&format!("{calls} calls"), &post.sent(), ISSUES);
    }
}

/// On the free plan, a run gets that far, and so it goes on.
#[tokio::test]
async fn one_run_after_the_other_comes_to_the_end() {
    let (desk, post) = (Desk::with_issues(ISSUES), Post::default());
    let mut runs = 1;
    while run(Metered::new(desk.runner().await, Budget::of(12)).keeping_a_release(), &post).await.is_err() {
        desk.pass_time(MINUTE);
        runs += 1;
        assert!(runs < 20, "there is no end");
    }
    check_sent(&format!("{runs} runs"), &post.sent(), ISSUES);
}
