//! Every statement counts, and none is sent that is not affordable.

use fencepost_domain::{
    id::{Fence, OwnerId, PuzzleId},
    lease::{Lease, LeaseKey},
    ledger::Ending,
    time::UnixMillis,
};
use fencepost_plan_store::{Metered, PlanStore};
use fencepost_ports::{Budget, PublicationLedger, StoreErrorKind};

use crate::recording::Recording;

fn puzzle() -> PuzzleId {
    PuzzleId::try_from(1).unwrap()
}

fn lease() -> Lease {
    let (owner, fence) = (OwnerId::new("ada"), Fence::FIRST);
    Lease { key: LeaseKey::Publication(puzzle()), owner, fence, expires_at: UnixMillis::new(1) }
}

#[tokio::test]
async fn each_statement_of_a_batch_counts_and_so_does_each_read() {
    let (runner, budget) = (Recording::default(), Budget::unlimited());
    let store = PlanStore::new(Metered::new(runner.clone(), budget.clone()));
    store.finish(&lease(), &Ending::Restore).await.unwrap();
    assert_eq!((runner.calls(), budget.spent()), (vec![3], 3), "two writes and the read-back");
    store.items(None, 10).await.unwrap();
    assert_eq!((runner.calls(), budget.spent()), (vec![3, 1], 4));
}

#[tokio::test]
async fn what_is_not_affordable_as_a_whole_is_not_sent_and_says_so() {
    let (runner, budget) = (Recording::default(), Budget::of(5));
    let store = PlanStore::new(Metered::new(runner.clone(), budget.clone()));
    store.finish(&lease(), &Ending::Restore).await.unwrap();
    let refused = store.finish(&lease(), &Ending::Restore).await.unwrap_err();
    assert_eq!((refused.kind(), refused.may_have_written()), (StoreErrorKind::OverBudget, false));
    let told = refused.to_string();
    assert!(told.contains("was not asked") && told.contains("3 of its 5 calls"), "{told}");
    store.items(None, 10).await.unwrap();
    store.items(None, 10).await.unwrap();
    let refused = store.items(None, 10).await.unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::OverBudget);
    assert_eq!((runner.calls(), budget.left()), (vec![3, 1, 1], Some(0)));
}
