//! Several workers at the same time.

use fencepost_batch::faults::{Fate, Faulty};
use tokio::task::yield_now;

use crate::desk::{DUE, Desk, Post, check_sent, run};

const ISSUES: i64 = 2;
const ROUNDS: u64 = 100;

/// How long a worker waits before a call: drawn, but the same in every run of the test.
fn delay(round: u64, worker: u64, call: u32) -> u64 {
    let mixed = (round << 40 ^ worker << 32 ^ u64::from(call)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 33).wrapping_mul(0x2545_f491) >> 7 & 15
}

#[tokio::test]
async fn whichever_worker_is_first_each_subscriber_gets_each_issue_once() {
    for round in 0..ROUNDS {
        let (desk, post) = (Desk::with_issues(ISSUES), Post::default());
        let worker = async |worker: u64| {
            let runner = Faulty::new(desk.runner().await, move |call| async move {
                for _ in 0..delay(round, worker, call.number) {
                    yield_now().await;
                }
                Fate::Answered
            });
            run(runner, &post).await.unwrap();
        };
        tokio::join!(worker(1), worker(2), worker(3));
        desk.finish(&post).await;
        check_sent(&format!("round {round}"), &post.sent(), ISSUES);
        assert_eq!(post.calls(), 6, "round {round}: a mail was handed over twice");
    }
}

#[tokio::test]
async fn nothing_goes_out_before_it_is_due() {
    let (desk, post) = (Desk::with_issues(ISSUES), Post::default());
    desk.pass_time(-1);
    run(desk.runner().await, &post).await.unwrap();
    assert_eq!(post.sent(), [""; 0]);
    assert_eq!(desk.rows("SELECT DISTINCT version FROM issues"), ["[Integer(0)]"]);
    desk.pass_time(1);
    run(desk.runner().await, &post).await.unwrap();
    check_sent(&format!("at {DUE}"), &post.sent(), ISSUES);
}
