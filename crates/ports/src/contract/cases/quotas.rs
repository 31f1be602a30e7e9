//! How many pages a day may publish.

use fencepost_domain::{
    action::ActionKind,
    commit::{Change, Commit},
    guard::Predicate::QuotaLeft,
    outcome::Outcome,
    quota::DailyQuota,
    time::DAY_MS,
};

use crate::contract::{
    Fixture,
    steps::{DAILY_QUOTA, Hand, content, due, entry, ok, opens, row},
};

fn publish(hand: &Hand, n: i64, daily_quota: i64) -> Commit {
    let commit = hand.commit(&format!("publish-{n}"), Change::Publish(content(n)));
    Commit { daily_quota, ..commit }
}

/// The row of the present day.
async fn today(f: &Fixture) -> Option<DailyQuota> {
    ok(f.stores.ledger.runnable(None, 1).await).quota
}

pub(super) async fn a_higher_setting_lets_more_out_today(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(2));
    let (first, second) = (f.take(1, "ada").await, f.take(2, "ada").await);
    f.land(&publish(&first, 1, 1)).await;
    f.refuses(&publish(&second, 2, 1), Outcome::QuotaExhausted, &[QuotaLeft]).await;
    f.land(&publish(&second, 2, 2)).await;
    assert_eq!(today(f).await, Some(DailyQuota { published: 2, quota: 2, set_quota: None }));
}

pub(super) async fn the_row_of_the_day_decides_over_a_lower_setting(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(2));
    let (first, second) = (f.take(1, "ada").await, f.take(2, "ada").await);
    f.land(&publish(&first, 1, 2)).await;
    f.land(&publish(&second, 2, 0)).await;
    assert_eq!(today(f).await, Some(DailyQuota { published: 2, quota: 2, set_quota: None }));
}

pub(super) async fn a_quota_of_nothing_publishes_nothing_and_leaves_no_row(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    f.refuses(&publish(&hand, 1, 0), Outcome::QuotaExhausted, &[QuotaLeft]).await;
    assert_eq!(today(f).await, None);
}

pub(super) async fn the_day_of_the_commit_counts_not_that_of_the_due_instant(f: &Fixture) {
    f.import("e1", [row(1), row(2), row(3)]).await;
    f.clock.set(opens(9).plus(DAY_MS - 1));
    let (first, second) = (f.take(1, "ada").await, f.take(2, "ada").await);
    f.land(&publish(&first, 1, 1)).await;
    f.refuses(&publish(&second, 2, 1), Outcome::QuotaExhausted, &[QuotaLeft]).await;
    f.clock.advance(1);
    assert_eq!(today(f).await, None, "a new day has no row");
    f.land(&publish(&second, 2, 5)).await;
    assert_eq!(today(f).await, Some(DailyQuota { published: 1, quota: 5, set_quota: None }));
    let third = f.take(3, "ada").await;
    f.land(&publish(&third, 3, 4)).await;
    assert_eq!(today(f).await, Some(DailyQuota { published: 2, quota: 5, set_quota: None }));
}

pub(super) async fn only_publications_are_counted(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    let one = Some(DailyQuota { published: 1, quota: DAILY_QUOTA, set_quota: None });
    let hand = f.take_over(1, "editor").await;
    f.land(&hand.commit("c1", Change::Update(content(1)))).await;
    assert_eq!(today(f).await, one, "after an update");
    f.withdraw(1).await;
    assert_eq!(today(f).await, one, "after a withdrawal");
    let hand = f.take_over(1, "editor").await;
    f.land(&hand.commit("c2", Change::Reinstate)).await;
    assert_eq!(today(f).await, one, "after a reinstatement");
}

pub(super) async fn a_withdrawal_needs_neither_quota_nor_a_running_site(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    f.land(&publish(&hand, 1, 1)).await;
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    let hand = f.take_over(1, "editor").await;
    f.land(&Commit { daily_quota: 0, ..hand.commit("c1", Change::Withdraw) }).await;
    assert_eq!(today(f).await, Some(DailyQuota { published: 1, quota: 1, set_quota: None }));
}
