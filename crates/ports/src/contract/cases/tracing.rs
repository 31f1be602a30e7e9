//! Settling attempts that got no answer.

use fencepost_domain::{
    action::ActionKind,
    commit::{Change, Receipt},
    id::{CommitToken, ContentVersion},
    revision::Revision,
};

use crate::{
    CommitTrace,
    contract::{
        Fixture,
        steps::{content, due, entry, id, ok, owner, row, token},
    },
};

async fn trace(f: &Fixture, tokens: &[&str]) -> CommitTrace {
    let tokens: Vec<CommitToken> = tokens.iter().map(|name| token(name)).collect();
    f.keeps(f.stores.ledger.trace(id(1), &tokens)).await
}

/// Checks which of `tokens` is found, and the version that stands.
async fn check(f: &Fixture, tokens: &[&str], found: Option<&str>, version: i64) {
    let trace = trace(f, tokens).await;
    assert_eq!(trace.receipt.map(|receipt| receipt.commit_token), found.map(token), "{tokens:?}");
    assert_eq!(trace.content_version, ContentVersion::new(version), "{tokens:?}");
}

pub(super) async fn an_attempt_that_landed_is_found_by_its_token(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    f.land(&hand.commit("mine", Change::Publish(content(1)))).await;
    f.clock.advance(5);
    let receipt = Receipt {
        commit_token: token("mine"),
        puzzle_id: id(1),
        kind: fencepost_domain::commit::CommitKind::Publish,
        owner_id: owner("ada"),
        fence: hand.lease.fence,
        content_version: ContentVersion::new(1),
        revision: Revision::new(1),
        committed_at: due(1),
    };
    let expected =
        CommitTrace { now: due(1).plus(5), receipt: Some(receipt), content_version: ContentVersion::new(1) };
    assert_eq!(trace(f, &["mine"]).await, expected);
    check(f, &["lost-1", "mine", "lost-2"], Some("mine"), 1).await;
}

pub(super) async fn an_attempt_is_found_after_a_later_commit_overwrote_its_token(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    f.withdraw(1).await;
    check(f, &["publish-1"], Some("publish-1"), 2).await;
    check(f, &["withdraw-1"], Some("withdraw-1"), 2).await;
}

pub(super) async fn the_commit_of_another_shows_in_the_version_alone(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    check(f, &["mine"], None, 1).await;
}

pub(super) async fn the_commit_of_another_puzzle_is_not_this_ones(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(2));
    f.publish(2).await;
    check(f, &["publish-2"], None, 0).await;
}

pub(super) async fn an_attempt_that_was_refused_leaves_no_trace(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    ok(f.stores.ledger.commit(&hand.commit("mine", Change::Publish(content(1)))).await);
    check(f, &["mine"], None, 0).await;
}

pub(super) async fn no_tokens_find_nothing(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    check(f, &[], None, 0).await;
    f.clock.set(due(1));
    f.publish(1).await;
    check(f, &[], None, 1).await;
}

pub(super) async fn an_unknown_puzzle_has_no_trace(f: &Fixture) {
    check(f, &["mine"], None, 0).await;
}
