//! Calls and answers that get lost, one after the other.

use std::cmp::Ordering;

use fencepost_batch::faults::{Call, Fate, Faulty};

use crate::taken_over::{MONTHS, office};

#[tokio::test]
async fn every_call_and_every_answer_may_get_lost() {
    let calls = office().calls().await;
    for fate in [Fate::LostOnTheWay, Fate::AnswerLost] {
        for lost in 1..=calls {
            let office = office();
            let faulty = Faulty::new(office.runner().await, move |call| async move {
                if call.number == lost { fate } else { Fate::Answered }
            });
            // It tells, or it has found out by itself what became of the call.
            drop(office.run_on(faulty).await);
            office.finish().await;
            office.check(&format!("call {lost} of {calls}, {fate:?}"), &MONTHS);
        }
    }
}

#[tokio::test]
async fn an_outage_may_begin_at_every_call() {
    let calls = office().calls().await;
    for fate in [Fate::LostOnTheWay, Fate::AnswerLost] {
        for from in 1..=calls {
            let office = office();
            let faulty = Faulty::new(office.runner().await, move |call| async move {
                if call.number < from { Fate::Answered } else { fate }
            });
            let told = office.run_on(faulty).await;
            assert!(told.is_err() || from >= calls - 1, "an outage from call {from} on was not told");
            office.finish().await;
            office.check(&format!("outage from call {from} of {calls} on, {fate:?}"), &MONTHS);
        }
    }
}

#[tokio::test]
async fn a_run_whose_answer_is_lost_is_told_as_done_and_not_done_twice() {
    for (fate, more) in [(Fate::AnswerLost, 1), (Fate::LostOnTheWay, 2)] {
        let office = office();
        // What is missing, the lease, and then the commit.
        let faulty = Faulty::new(office.runner().await, move |call| async move {
            if call.number == 3 { fate } else { Fate::Answered }
        });
        assert_eq!(office.run_on(&faulty).await.unwrap().len(), MONTHS.len());
        office.check(&format!("{fate:?}"), &MONTHS);
        assert_eq!(faulty.calls(), 11 + more, "{fate:?}");
    }
}

#[tokio::test]
async fn a_store_out_of_reach_ends_the_run_at_once() {
    let office = office();
    let decide =
        |call: Call| async move { if call.number == 1 { Fate::Answered } else { Fate::LostOnTheWay } };
    let faulty = Faulty::new(office.runner().await, decide);
    office.run_on(&faulty).await.unwrap_err();
    // What is missing, and the first lease: nobody is asked about the other months.
    assert_eq!(faulty.calls(), 2);
}

/// Each batch in turn arrives late: after its run, or after the one that did the work in its stead.
/// The worker goes on, or it ends there and then.
#[tokio::test]
async fn a_batch_that_arrives_late_invoices_nothing_twice() {
    let calls = office().calls().await;
    let mut arrived = 0;
    for late in 1..=calls {
        for (rest, finished) in [
            (Fate::Answered, false),
            (Fate::Answered, true),
            (Fate::LostOnTheWay, false),
            (Fate::LostOnTheWay, true),
        ] {
            let office = office();
            let faulty = Faulty::new(office.runner().await, move |call| async move {
                match call.number.cmp(&late) {
                    Ordering::Less => Fate::Answered,
                    Ordering::Equal => Fate::ArrivesLate,
                    Ordering::Greater => rest,
                }
            });
            drop(office.run_on(&faulty).await);
            let what = format!("call {late} of {calls} arrives late, then {rest:?}, finished: {finished}");
            if finished {
                office.finish().await;
                office.check(&what, &MONTHS);
            }
            arrived += faulty.arrive().await.len();
            office.finish().await;
            office.check(&what, &MONTHS);
        }
    }
    assert!(arrived > 20, "only {arrived} batches arrived late");
}
