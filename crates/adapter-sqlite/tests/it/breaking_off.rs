//! Transactions that SQLite ends by itself, as it does when the disk is full or fails.
//!
//! A trigger that rolls back stands in for the disk: the transaction is gone before
//! anybody asked for that, and the connection has to notice.

use fencepost_domain::id::{OwnerId, RunId};
use fencepost_ports::{Job, JobRuns, StoreErrorKind};

use crate::backend::fresh;

#[tokio::test]
async fn after_a_batch_that_sqlite_broke_off_the_next_one_works() {
    let (store, _clock, file) = fresh().await;
    let me = OwnerId::new("me");
    let start = async |name: &str| store.start(&RunId::new(name), Job::Publish, &me, "1.0", None).await;
    start("before").await.unwrap();

    let trigger =
        "CREATE TRIGGER full_disk BEFORE INSERT ON job_runs BEGIN SELECT RAISE(ROLLBACK, 'no space'); END";
    sqlx::raw_sql(trigger).execute(&file.pool).await.unwrap();
    for _ in 0..2 {
        let error = start("during").await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Refused);
        assert!(error.to_string().contains("no space"), "{error}");
    }

    sqlx::raw_sql("DROP TRIGGER full_disk").execute(&file.pool).await.unwrap();
    start("after").await.unwrap();
    let runs: Vec<String> = sqlx::query_scalar("SELECT run_id FROM job_runs ORDER BY run_id")
        .fetch_all(&file.pool)
        .await
        .unwrap();
    assert_eq!(runs, ["after", "before"]);
}
