//! Subscribers who join and leave while an issue is sent.

use crate::{
    desk::{Desk, Post, SUBSCRIBERS, check_sent, run},
    taken_over::asleep_at,
};

/// The call that cuts for the second time.
const SECOND_CUT: u32 = 9;

#[tokio::test]
async fn whoever_joins_after_the_first_cut_gets_the_next_issue() {
    let (desk, post) = (Desk::with_issues(1), Post::default());
    asleep_at(SECOND_CUT, &desk, &post, async || desk.join(SUBSCRIBERS)).await;
    desk.finish(&post).await;
    check_sent("half of them joined late", &post.sent(), 1);
}

#[tokio::test]
async fn whoever_leaves_before_the_cut_gets_no_mail() {
    let (desk, post) = (Desk::with_issues(1), Post::default());
    let leave = "DELETE FROM subscribers WHERE subscriber_id IN (100, 101, 250)";
    asleep_at(SECOND_CUT, &desk, &post, async || desk.sql(leave)).await;
    desk.finish(&post).await;
    let sent = post.sent();
    let is_sent = |i| sent.contains(&format!("\"Issue 1\": \"reader-{i}@mail.example\""));
    // The hundredth was in the first cut.
    assert_eq!((sent.len(), is_sent(100), is_sent(101), is_sent(250)), (248, true, false, false));
}

#[tokio::test]
async fn whoever_comes_back_gets_nothing_twice() {
    let (desk, post) = (Desk::with_issues(1), Post::default());
    let come_back = "DELETE FROM subscribers WHERE subscriber_id IN (1, 250);
        INSERT INTO subscribers (address) VALUES ('reader-1@mail.example'), ('reader-250@mail.example')";
    asleep_at(SECOND_CUT, &desk, &post, async || desk.sql(come_back)).await;
    desk.finish(&post).await;
    // The last one's place had not been reached, and is behind the audience now.
    assert_eq!(post.sent().len(), 249);
}

#[tokio::test]
async fn if_all_have_left_no_mail_is_sent_to_nobody() {
    let (desk, post) = (Desk::with_issues(1), Post::default());
    asleep_at(SECOND_CUT, &desk, &post, async || desk.sql("DELETE FROM subscribers")).await;
    assert_eq!((post.sent().len(), post.calls()), (100, 1));
    let issue = "SELECT upto_id = audience_id, (SELECT count(*) FROM deliveries) FROM issues";
    assert_eq!(desk.rows(issue), ["[Integer(1), Integer(1)]"]);
}

#[tokio::test]
async fn an_issue_without_any_subscriber_is_over() {
    let (desk, post) = (Desk::with_issues(1), Post::default());
    desk.sql("DELETE FROM subscribers");
    run(desk.runner().await, &post).await.unwrap();
    desk.join(SUBSCRIBERS);
    desk.finish(&post).await;
    assert_eq!(post.calls(), 0);
}

#[tokio::test]
async fn whole_batches_go_without_remainder() {
    for (subscribers, mails) in [(1, 1), (99, 1), (100, 1), (101, 2), (200, 2)] {
        let (desk, post) = (Desk::with_issues(1), Post::default());
        desk.sql(&format!("DELETE FROM subscribers WHERE subscriber_id > {subscribers}"));
        run(desk.runner().await, &post).await.unwrap();
        assert_eq!((post.sent().len(), post.calls()), (subscribers, mails), "{subscribers} subscribers");
    }
}
