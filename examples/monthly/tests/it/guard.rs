//! The guard: each of its conditions says no by itself, where nothing else would.

use fencepost_batch::Committed;
use fencepost_core::landing::Ended;

use crate::{
    office::{LATER, Office},
    taken_over::asleep_at,
};

/// The call that commits, after the one that takes the lease.
const COMMIT: u32 = 2;

/// The names of the conditions that did not hold.
fn refused(told: Option<Committed>) -> Vec<&'static str> {
    let Some(Ended::Refused(refusal)) = told else { panic!("{told:?}") };
    refusal.conditions().collect()
}

/// A worker is about to invoice tenant 1 for a month, and then `meanwhile` happens. It is refused by
/// these conditions, and nothing is written.
async fn check(office: &Office, month: &str, meanwhile: impl FnOnce(), conditions: &[&'static str]) {
    let before = office.lasting();
    let told = asleep_at(
        COMMIT,
        office,
        async |runner| office.invoice(runner, 1, month).await,
        async || {
            meanwhile();
        },
    )
    .await;
    assert_eq!(refused(told), conditions);
    assert_eq!(office.lasting(), before);
}

#[tokio::test]
async fn over() {
    let office = Office::at("2026-11-30T23:59:59.999Z", &[("2026-11", None)]);
    check(&office, "2026-11", || (), &["over"]).await;
    // The clock of the database is moved back after the worker has looked.
    office.set_clock("2026-12-01T00:00:00.000Z");
    check(&office, "2026-11", || office.pass_time(-1), &["over"]).await;
}

#[tokio::test]
async fn customer() {
    let office = Office::at("2026-12-01T00:00:00.000Z", &[("2026-10", None)]);
    check(&office, "2026-09", || (), &["customer"]).await;
    let leave = || office.sql("UPDATE tenants SET until_month = '2026-09'");
    check(&office, "2026-10", leave, &["customer"]).await;
}

#[tokio::test]
async fn in_order() {
    let office = Office::at("2026-12-01T00:00:00.000Z", &[("2026-09", None)]);
    check(&office, "2026-10", || (), &["in_order"]).await;
    office.invoice(office.runner().await, 1, "2026-09").await;
    check(&office, "2026-11", || (), &["in_order"]).await;
    // Who joined earlier than was known is invoiced for that first.
    let join_earlier = || office.sql("UPDATE tenants SET since_month = '2026-07'");
    let earlier = Office::at("2026-12-01T00:00:00.000Z", &[("2026-10", None)]);
    check(&earlier, "2026-10", || earlier.sql("UPDATE tenants SET since_month = '2026-09'"), &["in_order"])
        .await;
    check(&office, "2026-08", join_earlier, &["in_order"]).await;
}

#[tokio::test]
async fn recent() {
    let mut office = Office::at("2026-11-30T23:59:59.000Z", &[("2026-09", None)]);
    office.catch_up_months = 2;
    check(&office, "2026-09", || office.pass_time(1_000), &["recent"]).await;
    // The policy has passed it over, and what comes after is to be done.
    let told = office.invoice(office.runner().await, 1, "2026-10").await;
    assert_eq!(told, Some(Ended::Landed(1)));
}

#[tokio::test]
async fn version() {
    let office = Office::at("2026-12-01T00:00:00.000Z", &[("2026-11", None)]);
    office.run().await;
    check(&office, "2026-11", || (), &["version"]).await;
}

#[tokio::test]
async fn a_tenant_that_there_is_not() {
    let office = Office::at("2026-12-01T00:00:00.000Z", &[]);
    check(&office, "2026-11", || (), &["customer", "in_order"]).await;
}

#[tokio::test]
async fn lease_live() {
    let office = Office::at("2026-12-01T00:00:00.000Z", &[("2026-11", None)]);
    check(&office, "2026-11", || office.pass_time(LATER), &["lease_live"]).await;
    let last = async |runner| office.invoice(runner, 1, "2026-11").await;
    let told = asleep_at(COMMIT, &office, last, async || office.pass_time(LATER - 1)).await;
    assert_eq!(told, Some(Ended::Landed(1)));
}

#[tokio::test]
async fn a_month_that_is_no_month_is_nobodys() {
    let office = Office::at("2026-12-01T00:00:00.000Z", &[("2026-01", None)]);
    for month in ["2026-1", "2026-10-01", "2026-00", "October"] {
        let told = office.invoice(office.runner().await, 1, month).await;
        assert!(matches!(told, Some(Ended::Refused(_))), "{month}: {told:?}");
    }
    office.check("none of them", &[]);
}

/// Whatever month of it they have in hand: two of them would be in each other's way.
#[tokio::test]
async fn a_tenant_is_left_to_the_worker_that_has_it_in_hand() {
    let office = Office::at("2026-12-01T00:00:00.000Z", &[("2026-10", None), ("2026-11", None)]);
    let first = async |runner| office.invoice(runner, 1, "2026-10").await;
    let told = asleep_at(COMMIT, &office, first, async || {
        assert_eq!(office.invoice(office.runner().await, 1, "2026-11").await, None);
        assert_eq!(office.run().await, [(2, "2026-11".to_owned())]);
    });
    assert_eq!(told.await, Some(Ended::Landed(1)));
}

/// A statement that finds no place for its row is no error by itself.
#[tokio::test]
async fn a_run_whose_invoice_is_not_written_is_undone() {
    let office = Office::at("2026-12-01T00:00:00.000Z", &[("2026-10", None)]);
    office.sql("CREATE TRIGGER swallow BEFORE INSERT ON invoices BEGIN SELECT raise(IGNORE); END");
    let before = office.lasting();
    let error = office.run_on(office.runner().await).await.unwrap_err();
    assert!(error.to_string().contains("monthly/write_invoice wrote 0 rows instead of 1"), "{error}");
    assert_eq!(office.lasting(), before);
    office.sql("DROP TRIGGER swallow");
    // At once: the lease was given back.
    office.run().await;
    office.check("when they are written again", &["1/2026-10", "1/2026-11"]);
}
