//! The program as a process, killed in the middle of its work.

use std::{
    fs,
    process::{Child, Command},
    time::Duration,
};

use crate::desk::{Desk, check_sent, sent};

const ISSUES: i64 = 4;

fn start(desk: &Desk) -> Child {
    Command::new(env!("CARGO_BIN_EXE_newsletter")).args([desk.database(), desk.mails()]).spawn().unwrap()
}

/// What the folder of mails holds.
fn kept(desk: &Desk) -> Vec<String> {
    let files = fs::read_dir(desk.mails()).into_iter().flatten().map(|file| file.unwrap().path());
    let mails = files.filter(|path| path.extension().is_none()).map(|path| fs::read_to_string(path).unwrap());
    let mails: Vec<_> = mails.collect();
    sent(mails.iter().map(String::as_str))
}

#[tokio::test]
async fn a_process_may_be_killed_at_any_time() {
    // A few milliseconds later each time, until three in a row come to their end before they are killed.
    let (mut delay, mut came_to_its_end, mut killed_at_work) = (0, 0, 0);
    while came_to_its_end < 3 {
        let desk = Desk::with_issues(ISSUES);
        let mut doomed = start(&desk);
        tokio::time::sleep(Duration::from_millis(delay)).await;
        let ended = doomed.try_wait().unwrap();
        doomed.kill().unwrap();
        doomed.wait().unwrap();
        came_to_its_end = if ended.is_some_and(|status| status.success()) { came_to_its_end + 1 } else { 0 };
        let before = desk.rows("SELECT 1 FROM issue_receipts").len();
        killed_at_work += u32::from(ended.is_none() && before > 0);

        // As if its lease and its waits were over.
        desk.sql("UPDATE job_leases SET expires_at = 1; UPDATE deliveries SET next_attempt_at = 1");
        assert!(start(&desk).wait().unwrap().success());
        check_sent(&format!("killed after {delay} ms"), &kept(&desk), ISSUES);
        assert_eq!(desk.rows("SELECT 1 FROM deliveries WHERE delivered_at IS NULL"), [""; 0]);
        delay += 3;
    }
    assert!(killed_at_work >= 3, "only {killed_at_work} processes were killed at work");
}
