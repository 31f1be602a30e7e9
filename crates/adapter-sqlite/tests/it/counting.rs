//! Calls are counted by their names, with what this store knows of them.

use std::collections::BTreeMap;

use fencepost_adapter_sqlite::{SqliteOptions, open, site_in};
use fencepost_domain::{
    action::{ActionKind, Actor, Entry},
    id::{CommitToken, OwnerId, RunId},
};
use fencepost_ports::{CallTotals, Job, JobRuns, PublicationLedger, RevisionSource, StoreCounts};
use sqlx::{SqlitePool, sqlite::SqliteConnectOptions};

#[tokio::test]
async fn a_call_is_counted_with_its_statements_and_the_rows_that_it_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fencepost.db");
    let counts = StoreCounts::default();
    let store = open(SqliteOptions { counts: counts.clone(), ..site_in(&path) }).await.unwrap();
    assert_eq!(counts.totals(), [], "migrations are no calls of a use case");

    store.moment().await.unwrap();
    store.moment().await.unwrap();
    let (run, owner) = (RunId::new("r1"), OwnerId::new("ada"));
    store.start(&run, Job::Publish, &owner, "1.0", None).await.unwrap();
    store.start(&run, Job::Publish, &owner, "1.0", None).await.unwrap();
    JobRuns::finish(&store, &run, &BTreeMap::new(), None, None).await.unwrap();
    let read = CallTotals { calls: 2, statements: 2, ..CallTotals::default() };
    let started = CallTotals { calls: 2, statements: 4, rows_written: Some(1), ..CallTotals::default() };
    let finished = CallTotals { calls: 1, statements: 2, rows_written: Some(1), ..CallTotals::default() };
    let expected = [
        ("job_runs/finish_run", finished),
        ("job_runs/start_run", started),
        ("revision_source/moment", read),
    ];
    assert_eq!(counts.totals(), expected);

    let actor = Actor::new("Ada", None).unwrap();
    let pause = Entry { token: CommitToken::new("a1"), deed: actor.does(ActionKind::Pause) };
    let pool = SqlitePool::connect_with(SqliteConnectOptions::new().filename(&path)).await.unwrap();
    sqlx::raw_sql("DROP TABLE site_state").execute(&pool).await.unwrap();
    store.set_paused(true, &pause).await.unwrap_err();
    store.moment().await.unwrap_err();
    let failures: Vec<_> = counts.totals().into_iter().map(|(call, it)| (call, it.failures)).collect();
    assert!(failures.contains(&("revision_source/moment", 1)), "{failures:?}");
    assert_eq!(failures.iter().map(|(_, count)| count).sum::<u64>(), 2, "{failures:?}");
}
