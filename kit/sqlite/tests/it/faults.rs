//! What becomes of a call that a runner of faults loses or holds up.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU32, Ordering},
};

use fencepost_batch::{
    Batch, Query, Store, decode,
    faults::{Call, Fate, Faulty},
    sql_texts,
};
use fencepost_core::{StoreError, StoreErrorKind};
use fencepost_sqlite::{Migration, SqliteOptions, SqliteRunner};

const MIGRATIONS: &[Migration] =
    &[Migration { name: "0001_visits.sql", sql: "CREATE TABLE visits (number INTEGER PRIMARY KEY) STRICT;" }];

sql_texts! {
    VISIT = "visits/visit", "INSERT INTO visits DEFAULT VALUES RETURNING number";
    VISITS = "visits/count", "SELECT count(*) AS number FROM visits";
}

type Faults = Store<Faulty<SqliteRunner>>;

async fn visit(store: &Faults) -> Result<i64, StoreError> {
    store.batch_one(Batch::of(Query::new(&VISIT, vec![], |row| decode::integer(row, "number")))).await
}

async fn visits(store: &Faults) -> Result<i64, StoreError> {
    store.read_one(Query::new(&VISITS, vec![], |row| decode::integer(row, "number"))).await
}

/// What three visits and a look tell, the second visit having this fate.
async fn told(fate: Fate) -> [Result<i64, StoreErrorKind>; 4] {
    let folder = tempfile::tempdir().unwrap();
    let runner = SqliteRunner::open(SqliteOptions::new(folder.path().join("visits.db"), MIGRATIONS));
    let decide = move |call: Call| async move { if call.number == 2 { fate } else { Fate::Answered } };
    let store = Store::new(Faulty::new(runner.await.unwrap(), decide));
    let told = [visit(&store).await, visit(&store).await, visit(&store).await, visits(&store).await];
    assert_eq!(store.runner().calls(), 4);
    told.map(|told| told.map_err(|error| error.kind()))
}

#[tokio::test]
async fn a_lost_call_tells_the_same_whether_or_not_it_was_made() {
    let unknown = Err(StoreErrorKind::Unknown);
    assert_eq!(told(Fate::Answered).await, [Ok(1), Ok(2), Ok(3), Ok(3)]);
    assert_eq!(told(Fate::LostOnTheWay).await, [Ok(1), unknown, Ok(2), Ok(2)]);
    assert_eq!(told(Fate::AnswerLost).await, [Ok(1), unknown, Ok(3), Ok(3)]);
    assert_eq!(told(Fate::ArrivesLate).await, [Ok(1), unknown, Ok(2), Ok(2)]);
}

#[tokio::test]
async fn what_arrives_late_is_run_once_and_when_the_test_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let runner = SqliteRunner::open(SqliteOptions::new(folder.path().join("visits.db"), MIGRATIONS));
    let decide =
        |call: Call| async move { if call.number <= 3 { Fate::ArrivesLate } else { Fate::Answered } };
    let store = Store::new(Faulty::new(runner.await.unwrap(), decide));
    // Two visits are on their way; a look has nothing that could arrive.
    assert!(visit(&store).await.is_err() && visits(&store).await.is_err() && visit(&store).await.is_err());
    assert_eq!(visits(&store).await, Ok(0));
    assert_eq!(store.runner().arrive().await, [Ok(()), Ok(())]);
    assert_eq!(visits(&store).await, Ok(2));
    assert_eq!(store.runner().arrive().await, []);
    assert_eq!((visits(&store).await, store.runner().calls()), (Ok(2), 6));
}

#[tokio::test]
async fn whoever_decides_is_told_the_number_and_the_plan_of_a_call() {
    let folder = tempfile::tempdir().unwrap();
    let runner = SqliteRunner::open(SqliteOptions::new(folder.path().join("visits.db"), MIGRATIONS));
    let told = Arc::new(Mutex::new(Vec::new()));
    let list = told.clone();
    let decide = move |call| {
        list.lock().unwrap().push(call);
        async { Fate::Answered }
    };
    let store = Store::new(Faulty::new(runner.await.unwrap(), decide));
    assert_eq!((visit(&store).await, visits(&store).await), (Ok(1), Ok(1)));
    let expected = [Call { number: 1, plan: "visits/visit" }, Call { number: 2, plan: "visits/count" }];
    assert_eq!(*told.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_call_is_not_made_before_its_fate_is_decided() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::new(folder.path().join("visits.db"), MIGRATIONS);
    let other = Store::new(Faulty::new(SqliteRunner::open(options.clone()).await.unwrap(), |_| async {
        Fate::Answered
    }));
    let other = Arc::new(other);
    let (asked, visitor) = (Arc::new(AtomicU32::new(0)), other.clone());
    let count = asked.clone();
    // Meanwhile, somebody else is first.
    let decide = move |_: Call| {
        let (count, visitor) = (count.clone(), visitor.clone());
        async move {
            count.fetch_add(1, Ordering::SeqCst);
            assert_eq!(visit(&visitor).await, Ok(1));
            Fate::Answered
        }
    };
    let store = Store::new(Faulty::new(SqliteRunner::open(options).await.unwrap(), decide));
    assert_eq!(visit(&store).await, Ok(2));
    assert_eq!((asked.load(Ordering::SeqCst), visits(&other).await), (1, Ok(2)));
}

#[tokio::test]
async fn a_worker_sleeps_before_its_call_until_it_is_woken() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::new(folder.path().join("visits.db"), MIGRATIONS);
    let other = Store::new(Faulty::new(SqliteRunner::open(options.clone()).await.unwrap(), |_| async {
        Fate::Answered
    }));
    let (runner, alarm) = Faulty::asleep_at(SqliteRunner::open(options).await.unwrap(), 2);
    let store = Store::new(runner);
    let sleeper = async { [visit(&store).await, visit(&store).await, visit(&store).await] };
    let meanwhile = async {
        assert!(alarm.asleep().await);
        let first = visit(&other).await;
        alarm.wake();
        first
    };
    let (slept, first) = tokio::join!(sleeper, meanwhile);
    assert_eq!((slept, first), ([Ok(1), Ok(3), Ok(4)], Ok(2)));
    assert!(alarm.asleep().await, "it has been asleep");
}

/// In a task of its own, which nobody polls meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_may_sleep_in_a_task_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let runner = SqliteRunner::open(SqliteOptions::new(folder.path().join("visits.db"), MIGRATIONS));
    let (runner, alarm) = Faulty::asleep_at(runner.await.unwrap(), 1);
    let sleeper = tokio::spawn(async move { visit(&Store::new(runner)).await });
    assert!(alarm.asleep().await && !sleeper.is_finished());
    alarm.wake();
    assert_eq!(sleeper.await.unwrap(), Ok(1));
}

#[tokio::test]
async fn one_that_is_gone_or_woken_before_does_not_fall_asleep() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::new(folder.path().join("visits.db"), MIGRATIONS);
    let (runner, alarm) = Faulty::asleep_at(SqliteRunner::open(options.clone()).await.unwrap(), 2);
    assert_eq!(visit(&Store::new(runner)).await, Ok(1));
    assert!(!alarm.asleep().await);
    let (runner, alarm) = Faulty::asleep_at(SqliteRunner::open(options).await.unwrap(), 1);
    alarm.wake();
    assert_eq!(visit(&Store::new(runner)).await, Ok(2));
}
