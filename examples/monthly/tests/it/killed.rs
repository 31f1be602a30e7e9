//! The program as a process: killed in the middle of its work, and several times over.

use std::{
    process::{Child, Command},
    time::Duration,
};

use crate::office::Office;

const TENANTS: usize = 12;

/// How far back everything is caught up that ever was: the clock is that of the machine.
const EVER: &str = "1200";

/// Tenants who have left since.
fn office() -> Office {
    Office::at("2026-12-01T00:00:00.000Z", &[("2025-11", Some("2026-02")); TENANTS])
}

fn expected() -> Vec<String> {
    let months = ["2025-11", "2025-12", "2026-01", "2026-02"];
    let all = (1..=TENANTS).flat_map(|tenant| months.map(|month| format!("{tenant}/{month}")));
    let mut all: Vec<_> = all.collect();
    all.sort();
    all
}

fn start(office: &Office) -> Child {
    Command::new(env!("CARGO_BIN_EXE_monthly"))
        .args([office.database().as_os_str(), EVER.as_ref()])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap()
}

#[track_caller]
fn check(what: &str, office: &Office) {
    let expected = expected();
    office.check(what, &expected.iter().map(String::as_str).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_process_may_be_killed_at_any_time() {
    // A few milliseconds later each time, until three in a row come to their end before they are killed.
    let (mut delay, mut came_to_its_end, mut killed_at_work) = (0, 0, 0);
    while came_to_its_end < 3 {
        let office = office();
        let mut doomed = start(&office);
        tokio::time::sleep(Duration::from_millis(delay)).await;
        let ended = doomed.try_wait().unwrap();
        doomed.kill().unwrap();
        doomed.wait().unwrap();
        came_to_its_end = if ended.is_some_and(|status| status.success()) { came_to_its_end + 1 } else { 0 };
        let before = office.invoiced();
        killed_at_work += u32::from(ended.is_none() && !before.is_empty());

        // As if its lease were over.
        office.sql("UPDATE job_leases SET expires_at = 1");
        assert!(start(&office).wait().unwrap().success());
        check(&format!("killed after {delay} ms"), &office);
        assert_eq!(office.invoiced()[..before.len()], before, "killed after {delay} ms");
        delay += 2;
    }
    assert!(killed_at_work >= 3, "only {killed_at_work} processes were killed at work");
}

#[test]
fn processes_at_the_same_time_share_the_work() {
    for round in 0..5 {
        let office = office();
        let processes: Vec<_> = (0..4).map(|_| start(&office)).collect();
        assert!(processes.into_iter().all(|mut process| process.wait().unwrap().success()));
        office.sql("UPDATE job_leases SET expires_at = 1");
        assert!(start(&office).wait().unwrap().success());
        check(&format!("round {round}"), &office);
    }
}
