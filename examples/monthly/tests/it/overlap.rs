//! Several workers at the same time.

use fencepost_batch::faults::{Fate, Faulty};
use tokio::task::yield_now;

use crate::{
    office::Office,
    taken_over::{MONTHS, office},
};

const ROUNDS: u64 = 150;

/// How long a worker waits before a call: drawn, but the same in every run of the test.
fn delay(round: u64, worker: u64, call: u32) -> u64 {
    let mixed = (round << 40 ^ worker << 32 ^ u64::from(call)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 33).wrapping_mul(0x2545_f491) >> 7 & 15
}

/// A worker's run, and how many months it says to have invoiced.
async fn dawdle(office: &Office, round: u64, worker: u64) -> usize {
    let runner = Faulty::new(office.runner().await, move |call| async move {
        for _ in 0..delay(round, worker, call.number) {
            yield_now().await;
        }
        Fate::Answered
    });
    office.run_on(runner).await.unwrap().len()
}

#[tokio::test]
async fn whichever_worker_is_first_each_month_is_invoiced_once_and_by_one_that_says_so() {
    let mut shared = 0;
    for round in 0..ROUNDS {
        let office = office();
        let (one, two, three) =
            tokio::join!(dawdle(&office, round, 1), dawdle(&office, round, 2), dawdle(&office, round, 3));
        let told = one + two + three;
        assert_eq!(told, office.invoiced().len(), "round {round}");
        shared += u64::from([one, two, three].iter().filter(|invoiced| **invoiced > 0).count() > 1);
        office.finish().await;
        office.check(&format!("round {round}"), &MONTHS);
    }
    assert!(shared > ROUNDS / 4, "in {shared} rounds only, more than one worker had something to do");
}

#[tokio::test]
async fn at_the_turn_of_the_month_two_workers_write_one_invoice() {
    for round in 0..ROUNDS {
        let office = Office::at("2026-12-31T23:59:59.999Z", &[("2026-12", None)]);
        let turn = async {
            for _ in 0..round % 24 {
                yield_now().await;
            }
            office.pass_time(1);
        };
        let (one, two, ()) = tokio::join!(dawdle(&office, round, 1), dawdle(&office, round, 2), turn);
        assert_eq!(one + two, office.invoiced().len(), "round {round}");
        office.finish().await;
        office.check(&format!("round {round}"), &["1/2026-12"]);
    }
}
