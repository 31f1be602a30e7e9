//! A text that one database would not take is sent to none.

use fencepost_domain::{
    id::{CommitToken, OwnerId, RunId},
    job::Job,
};
use fencepost_plan_store::{Metered, PlanStore};
use fencepost_ports::{Budget, JobRuns, PuzzleBank, StoreError, StoreErrorKind};

use crate::recording::Recording;

const MOST: usize = 2_000_000;

fn assert_refused<T: std::fmt::Debug>(result: Result<T, StoreError>, says: [&str; 2]) {
    let refused = result.unwrap_err();
    assert_eq!((refused.kind(), refused.may_have_written()), (StoreErrorKind::Refused, false));
    let told = refused.to_string();
    assert!(says.iter().all(|part| told.contains(part)), "{told} does not say {says:?}");
}

#[tokio::test]
async fn a_text_beyond_what_d1_takes_is_refused_by_the_name_of_its_statement() {
    let (runner, budget) = (Recording::default(), Budget::of(50));
    let store = PlanStore::new(Metered::new(runner.clone(), budget.clone()));
    let long = "x".repeat(MOST + 1);

    let start = store.start(&RunId::new(long.clone()), Job::Publish, &OwnerId::new("ada"), "1.0", None).await;
    assert_refused(start, ["job_runs/start_run: parameter 2", "2000001 bytes"]);
    let start = store.start(&RunId::new("run"), Job::Publish, &OwnerId::new(long.clone()), "1.0", None).await;
    assert_refused(start, ["job_runs/start_run: parameter 4", "2000001 bytes"]);
    let trace = store.trace_import(&CommitToken::new(long)).await;
    assert_refused(trace, ["puzzle_bank/read_import: parameter 1", "2000001 bytes"]);
    assert_eq!((runner.calls(), budget.spent()), (Vec::new(), 0), "nothing is sent, nothing counted");
}

#[tokio::test]
async fn the_longest_text_that_d1_takes_is_sent() {
    let runner = Recording::default();
    let store = PlanStore::new(runner.clone());
    let longest = RunId::new("x".repeat(MOST));
    // The runner has no rows to answer with; that it was asked is the point.
    let unanswered =
        store.start(&longest, Job::Publish, &OwnerId::new("ada"), "1.0", None).await.unwrap_err();
    assert_eq!((unanswered.kind(), runner.calls()), (StoreErrorKind::Corrupt, vec![2]));
}
