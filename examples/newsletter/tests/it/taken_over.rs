//! A worker falls asleep, another takes over, and the first wakes up.

use fencepost_batch::faults::Faulty;

use crate::desk::{Desk, LATER, Post, check_sent, run};

const ISSUES: i64 = 2;

/// A worker falls asleep before its call `at`, and wakes up when `meanwhile` has happened.
pub(crate) async fn asleep_at(at: u32, desk: &Desk, post: &Post, meanwhile: impl AsyncFnOnce()) {
    let (runner, alarm) = Faulty::asleep_at(desk.runner().await, at);
    let others = async {
        assert!(alarm.asleep().await, "there was no call {at}");
        meanwhile().await;
        alarm.wake();
    };
    // What it tells is as good as any: it may have lost its lease, or find everything done.
    drop(tokio::join!(run(runner, post), others));
}

#[tokio::test]
async fn whoever_wakes_up_too_late_writes_nothing() {
    let calls = Desk::calls(ISSUES).await;
    for at in 1..=calls {
        let (desk, post) = (Desk::with_issues(ISSUES), Post::default());
        let mut done = Vec::new();
        asleep_at(at, &desk, &post, async || {
            desk.pass_time(LATER);
            run(desk.runner().await, &post).await.unwrap();
            done = desk.lasting();
        })
        .await;
        check_sent(&format!("asleep at call {at} of {calls}"), &post.sent(), ISSUES);
        assert_eq!(desk.lasting(), done, "asleep at call {at} of {calls}");
    }
}

#[tokio::test]
async fn whoever_wakes_up_in_the_middle_of_anothers_work_neither_skips_nor_repeats() {
    let calls = Desk::calls(ISSUES).await;
    for at in 1..=calls {
        let (desk, post) = (Desk::with_issues(ISSUES), Post::default());
        let (first, alarm) = Faulty::asleep_at(desk.runner().await, at);
        let (second, later_alarm) = Faulty::asleep_at(desk.runner().await, 3);
        tokio::join!(
            async {
                run(first, &post).await.unwrap();
                later_alarm.wake();
            },
            async {
                assert!(alarm.asleep().await, "there was no call {at}");
                desk.pass_time(LATER);
                run(second, &post).await.unwrap();
            },
            async {
                // If there is nothing to cut for it, the second one comes to its end.
                later_alarm.asleep().await;
                alarm.wake();
            },
        );
        desk.finish(&post).await;
        check_sent(&format!("asleep at call {at} of {calls}"), &post.sent(), ISSUES);
    }
}

#[tokio::test]
async fn an_issue_that_is_put_off_is_not_cut() {
    let (desk, post) = (Desk::with_issues(1), Post::default());
    asleep_at(3, &desk, &post, async || desk.sql("UPDATE issues SET due_at = due_at + 1")).await;
    assert_eq!((post.sent(), desk.rows("SELECT version FROM issues")), (vec![], vec!["[Integer(0)]".into()]));
    desk.finish(&post).await;
    check_sent("put off", &post.sent(), 1);
}

#[tokio::test]
async fn an_issue_that_is_stopped_is_cut_no_further() {
    let (desk, post) = (Desk::with_issues(1), Post::default());
    let first_cut = 3;
    // What waits is taken, the mail noted, and nothing more found; then as from the beginning.
    let second_cut = first_cut + 3 + first_cut;
    asleep_at(second_cut, &desk, &post, async || desk.sql("UPDATE issues SET audience_id = upto_id")).await;
    desk.finish(&post).await;
    assert_eq!(
        (post.sent().len(), desk.rows("SELECT version FROM issues")),
        (100, vec!["[Integer(1)]".into()])
    );
}
