//! Idempotency keys, and for how long they are good.

use fencepost_batch::lease_store;

use crate::{
    desk::{Desk, Post, run},
    taken_over::asleep_at,
};

const MINUTE: i64 = 60_000;

/// A mail service that loses all of its answers.
fn silent() -> Post {
    Post::losing(1, true)
}

#[tokio::test]
async fn what_got_no_answer_is_handed_over_again_ever_more_rarely_and_not_after_23_hours() {
    let (desk, post) = (Desk::with_issues(1), silent());
    desk.sql("DELETE FROM subscribers WHERE subscriber_id > 1");
    // So many minutes after the first time; the last of them is within 23 hours.
    let mut waits = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512].into_iter();
    for attempt in 1..=11 {
        let wait = waits.next().unwrap() * MINUTE;
        if wait > 0 {
            desk.pass_time(wait - 1);
            run(desk.runner().await, &post).await.unwrap();
            assert_eq!(post.calls(), attempt - 1, "attempt {attempt} came early");
            desk.pass_time(1);
        }
        run(desk.runner().await, &post).await.unwrap();
        assert_eq!(post.calls(), attempt, "attempt {attempt} was not made");
    }
    desk.pass_time(1_024 * MINUTE);
    run(desk.runner().await, &post).await.unwrap();
    assert_eq!(post.calls(), 11, "the key may be forgotten by then");
    let left = desk.rows("SELECT attempts, delivered_at, problem FROM deliveries");
    assert_eq!(left, ["[Integer(11), Null, Text(\"the connection broke off\")]"]);
}

#[tokio::test]
async fn a_key_is_used_up_to_the_last_instant_of_its_time() {
    for (early, calls) in [(1, 2), (0, 1)] {
        let (desk, post) = (Desk::with_issues(1), silent());
        desk.sql("DELETE FROM subscribers WHERE subscriber_id > 1");
        run(desk.runner().await, &post).await.unwrap();
        desk.pass_time(23 * 60 * MINUTE - early);
        run(desk.runner().await, &post).await.unwrap();
        assert_eq!(post.calls(), calls, "{early} ms before 23 hours are over");
    }
}

#[tokio::test]
async fn a_late_report_of_a_failure_does_not_undo_a_delivery() {
    let (desk, post) = (Desk::with_issues(1), Post::losing(1, false));
    desk.sql("DELETE FROM subscribers WHERE subscriber_id > 1");
    // The call that notes what came of the first mail.
    asleep_at(5, &desk, &post, async || {
        desk.pass_time(MINUTE);
        run(desk.runner().await, &post).await.unwrap();
    })
    .await;
    assert_eq!(post.calls(), 2);
    assert_eq!(desk.rows("SELECT delivered_at IS NOT NULL FROM deliveries"), ["[Integer(1)]"]);
}

#[tokio::test]
async fn a_mail_that_was_written_is_not_changed_by_an_edit() {
    let (desk, mut post) = (Desk::with_issues(1), silent());
    run(desk.runner().await, &post).await.unwrap();
    desk.sql("UPDATE issues SET body = 'Other news.'");
    post.loses = None;
    // The service would take offence at the same key with another mail.
    desk.finish(&post).await;
    assert_eq!((post.sent().len(), post.calls()), (250, 6));
}

#[tokio::test]
async fn a_key_tells_issue_and_batch() {
    let (desk, post) = (Desk::with_issues(2), Post::default());
    run(desk.runner().await, &post).await.unwrap();
    let keys = desk.rows("SELECT idempotency_key FROM deliveries ORDER BY 1");
    let expected = ["1-1", "1-2", "1-3", "2-1", "2-2", "2-3"].map(|key| format!("[Text(\"issue-{key}\")]"));
    assert_eq!(keys, expected);
}

#[test]
fn the_table_of_leases_is_the_kits() {
    assert!(include_str!("../../migrations/0001_newsletter.sql").contains(lease_store::SCHEMA));
}
