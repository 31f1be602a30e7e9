//! Which months are invoiced, and when.

use fencepost_batch::lease_store;

use crate::office::Office;

#[tokio::test]
async fn a_month_is_invoiced_from_the_very_millisecond_in_which_it_is_over() {
    for (last, first, month) in [
        ("2026-11-30T23:59:59.999Z", "2026-12-01T00:00:00.000Z", "1/2026-11"),
        ("2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00.000Z", "1/2026-12"),
        ("2026-02-28T23:59:59.999Z", "2026-03-01T00:00:00.000Z", "1/2026-02"),
        ("2028-02-29T23:59:59.999Z", "2028-03-01T00:00:00.000Z", "1/2028-02"),
    ] {
        let office = Office::at(last, &[(&month[2..], None)]);
        office.run().await;
        office.check(last, &[]);
        office.set_clock(first);
        office.run().await;
        office.check(first, &[month]);
    }
}

#[tokio::test]
async fn on_every_day_of_fifteen_months_the_month_before_is_what_was_invoiced_last() {
    let mut office = Office::at("2027-12-31T12:00:00.000Z", &[("2027-11", None)]);
    office.catch_up_months = 1;
    let month_of = |day| format!("SELECT strftime('%Y-%m', '2027-12-31', '+{day} days')");
    let (mut expected, mut yesterdays) = (vec!["1/2027-11".to_owned()], "2027-12".to_owned());
    for day in 0..460 {
        let todays = office.texts(&month_of(day)).remove(0);
        if todays != yesterdays {
            expected.push(format!("1/{yesterdays}"));
        }
        yesterdays = todays;
        office.run().await;
        assert_eq!(office.invoiced(), expected, "after {day} days");
        office.pass_time(24 * 3_600_000);
    }
    assert_eq!(expected.len(), 17);
}

#[tokio::test]
async fn on_the_31st_no_month_is_passed_over() {
    // A month before the 31st of March there is no 31st, and SQLite arrives in March again.
    for (months, expected) in [(1, vec!["1/2026-02"]), (2, vec!["1/2026-01", "1/2026-02"])] {
        let mut office = Office::at("2026-03-31T12:00:00.000Z", &[("2020-01", None)]);
        office.catch_up_months = months;
        office.run().await;
        office.check("on the 31st of March", &expected);
    }
}

#[tokio::test]
async fn a_pause_of_a_year_is_caught_up_in_order() {
    let office = Office::at("2025-12-01T00:00:00.000Z", &[("2025-11", None)]);
    office.run().await;
    office.check("before the pause", &["1/2025-11"]);
    office.set_clock("2026-12-01T10:00:00.000Z");
    let invoiced = office.run().await;
    assert_eq!(invoiced.len(), 12);
    let months = (1..=11).map(|month| format!("1/2026-{month:02}"));
    let all: Vec<_> = ["1/2025-11", "1/2025-12"].map(str::to_owned).into_iter().chain(months).collect();
    office.check("after it", &all.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(office.run().await, []);
}

#[tokio::test]
async fn no_more_is_caught_up_than_the_policy_says() {
    for (months, expected) in
        [(0, vec![]), (1, vec!["1/2026-11"]), (3, vec!["1/2026-09", "1/2026-10", "1/2026-11"])]
    {
        let mut office = Office::at("2026-12-24T18:00:00.000Z", &[("2020-01", None)]);
        office.catch_up_months = months;
        office.run().await;
        office.check(&format!("{months} months"), &expected);
    }
}

#[tokio::test]
async fn what_was_too_old_once_can_be_caught_up_by_another_policy() {
    let mut office = Office::at("2026-12-24T18:00:00.000Z", &[("2026-08", None)]);
    office.catch_up_months = 1;
    office.run().await;
    office.catch_up_months = 12;
    office.run().await;
    assert_eq!(office.invoiced(), ["1/2026-11", "1/2026-08", "1/2026-09", "1/2026-10"]);
}

#[tokio::test]
async fn tenants_are_invoiced_from_the_month_in_which_they_join_to_that_in_which_they_leave() {
    let office = Office::at(
        "2026-12-01T00:00:00.000Z",
        &[
            ("2026-09", Some("2026-10")),
            ("2026-11", None),
            ("2026-12", None),
            ("2026-11", Some("2026-10")),
            ("2025-01", Some("2025-11")),
        ],
    );
    office.run().await;
    office.check("in December", &["1/2026-09", "1/2026-10", "2/2026-11"]);
    office.join("2026-10", None);
    office.set_clock("2027-01-01T00:00:00.000Z");
    office.run().await;
    office.check(
        "in January",
        &[
            "1/2026-09",
            "1/2026-10",
            "2/2026-11",
            "2/2026-12",
            "3/2026-12",
            "6/2026-10",
            "6/2026-11",
            "6/2026-12",
        ],
    );
}

#[tokio::test]
async fn what_is_wrong_with_one_month_holds_up_no_other_tenant() {
    let office = Office::at("2026-12-01T00:00:00.000Z", &[("2026-10", None), ("2026-10", None)]);
    // An invoice that somebody wrote by hand, with a number that they made up.
    office.sql(
        "PRAGMA foreign_keys = OFF; INSERT INTO invoices VALUES (0, '1/2026-10', 1, '2026-10', 1000, 0)",
    );
    let problem = office.run_on(office.runner().await).await.unwrap_err().to_string();
    assert!(problem.contains("UNIQUE constraint failed: invoices.run_id"), "{problem}");
    assert_eq!(office.invoiced(), ["1/2026-10", "2/2026-10", "2/2026-11"]);
    office.sql("DELETE FROM invoices WHERE number = 0");
    office.finish().await;
    office.check("once it is gone", &["1/2026-10", "1/2026-11", "2/2026-10", "2/2026-11"]);
}

#[tokio::test]
async fn a_number_that_was_made_up_is_found_out_before_it_makes_a_gap() {
    let office = Office::at("2026-12-01T00:00:00.000Z", &[("2026-11", None)]);
    office.sql("INSERT INTO invoice_numbers VALUES ('invoices', 7)");
    let problem = office.run_on(office.runner().await).await.unwrap_err().to_string();
    assert!(problem.contains("the numbers have a gap"), "{problem}");
    assert_eq!(office.invoiced(), [""; 0]);
}

#[test]
fn months_that_there_are_not_are_refused() {
    let office = Office::at("2026-12-01T00:00:00.000Z", &[]);
    for (since, until) in [("2026-13", None), ("2026-1", None), ("2026-01-01", None), ("2026-01", Some("x"))]
    {
        let joined = std::panic::catch_unwind(|| office.join(since, until));
        assert!(joined.is_err(), "{since} to {until:?}");
    }
}

#[test]
fn the_table_of_leases_is_the_kits() {
    assert!(include_str!("../../migrations/0001_invoices.sql").contains(lease_store::SCHEMA));
}
