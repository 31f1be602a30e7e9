//! Calls and answers that get lost, one after the other.

use std::cmp::Ordering;

use fencepost_batch::faults::{Fate, Faulty};

use crate::desk::{Desk, Post, check_sent, run};

const ISSUES: i64 = 2;

#[tokio::test]
async fn every_call_and_every_answer_may_get_lost() {
    let calls = Desk::calls(ISSUES).await;
    assert!(calls > 20, "only {calls} calls");
    for fate in [Fate::LostOnTheWay, Fate::AnswerLost] {
        for lost in 1..=calls {
            let (desk, post) = (Desk::with_issues(ISSUES), Post::default());
            let runner = Faulty::new(desk.runner().await, move |call| async move {
                if call.number == lost { fate } else { Fate::Answered }
            });
            // It tells, or it has found out by itself what became of the call.
            drop(run(runner, &post).await);
            desk.finish(&post).await;
            check_sent(&format!("call {lost} of {calls}, {fate:?}"), &post.sent(), ISSUES);
        }
    }
}

#[tokio::test]
async fn an_outage_may_begin_at_every_call() {
    let calls = Desk::calls(ISSUES).await;
    for from in 1..=calls {
        let (desk, post) = (Desk::with_issues(ISSUES), Post::default());
        let runner = Faulty::new(desk.runner().await, move |call| async move {
            if call.number < from { Fate::Answered } else { Fate::AnswerLost }
        });
        run(runner, &post).await.unwrap_err();
        desk.finish(&post).await;
        check_sent(&format!("outage from call {from} of {calls} on"), &post.sent(), ISSUES);
    }
}

#[tokio::test]
async fn a_cut_whose_answer_is_lost_is_not_made_twice() {
    let (desk, post) = (Desk::with_issues(1), Post::default());
    // What is to cut, the lease, and then the cut.
    let runner = Faulty::new(desk.runner().await, |call| async move {
        if call.number == 3 { Fate::AnswerLost } else { Fate::Answered }
    });
    run(runner, &post).await.unwrap();
    check_sent("the third answer is lost", &post.sent(), 1);
    assert_eq!(
        desk.rows("SELECT version FROM issue_receipts"),
        ["[Integer(1)]", "[Integer(2)]", "[Integer(3)]"]
    );
}

#[tokio::test]
async fn the_answer_of_the_mail_service_may_get_lost() {
    for lost in 1..=6 {
        for from_there_on in [false, true] {
            let desk = Desk::with_issues(ISSUES);
            let mut post = Post::losing(lost, from_there_on);
            run(desk.runner().await, &post).await.unwrap();
            let waiting = "SELECT problem FROM deliveries WHERE delivered_at IS NULL";
            assert_eq!(desk.rows(waiting)[0], "[Text(\"the connection broke off\")]");
            post.loses = None;
            desk.finish(&post).await;
            check_sent(&format!("answer {lost} of the mail service"), &post.sent(), ISSUES);
            assert_eq!(desk.rows(waiting), [""; 0]);
            assert!(post.calls() > 6, "nothing was handed over again");
        }
    }
}

/// Each batch in turn arrives late: after its run, or after the one that did the work in its stead.
/// The worker goes on, or it ends there and then.
#[tokio::test]
async fn a_batch_that_arrives_late_sends_nothing_twice() {
    let calls = Desk::calls(ISSUES).await;
    let mut arrived = 0;
    for late in 1..=calls {
        for (rest, finished) in [
            (Fate::Answered, false),
            (Fate::Answered, true),
            (Fate::LostOnTheWay, false),
            (Fate::LostOnTheWay, true),
        ] {
            let (desk, post) = (Desk::with_issues(ISSUES), Post::default());
            let faulty = Faulty::new(desk.runner().await, move |call| async move {
                match call.number.cmp(&late) {
                    Ordering::Less => Fate::Answered,
                    Ordering::Equal => Fate::ArrivesLate,
                    Ordering::Greater => rest,
                }
            });
            drop(run(&faulty, &post).await);
            let what = format!("call {late} of {calls} arrives late, then {rest:?}, finished: {finished}");
            if finished {
                desk.finish(&post).await;
                let before = desk.lasting();
                arrived += faulty.arrive().await.len();
                assert_eq!(desk.lasting(), before, "{what}");
            } else {
                arrived += faulty.arrive().await.len();
            }
            desk.finish(&post).await;
            check_sent(&what, &post.sent(), ISSUES);
        }
    }
    assert!(arrived > 40, "only {arrived} batches arrived late");
}
