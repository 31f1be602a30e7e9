//! Commits that land, and all that they change.

use fencepost_domain::{
    commit::{Change, Commit, CommitOutcome},
    id::ContentVersion,
    ledger::Ending,
    page::{AnswerContent, AnswerPage},
    revision::Revision,
    time::UnixMillis,
};
use serde_json::json;

use crate::contract::{
    Fixture,
    lines::{NULL, appears, becomes, released},
    steps::{
        DAILY_QUOTA, Hand, content, content_with, date, due, id, ok, photo, photo_url, row, row_with_photo,
    },
};

/// The receipt that `commit` leaves.
fn receipt(commit: &Commit, content_version: i64, revision: i64, now: UnixMillis) -> String {
    appears(
        "commit_receipts",
        &commit.token,
        &json!({
            "puzzle_id": commit.puzzle_id(),
            "kind": commit.change.kind().as_str(),
            "owner_id": commit.lease.owner,
            "fence": commit.lease.fence,
            "content_version": content_version,
            "revision": revision,
            "committed_at": now,
        }),
    )
}

/// The page of puzzle 1 as its first publication at `now` writes it.
fn first_page(commit: &Commit, content: &AnswerContent, now: UnixMillis) -> String {
    appears(
        "answer_posts",
        id(1),
        &json!({
            "content_version": 1,
            "commit_token": commit.token,
            "bank_version": commit.bank_version,
            "play_date": content.play_date,
            "name": content.name,
            "price_cents": content.price_cents,
            "body_html": content.body_html,
            "image_key": content.image_key,
            "indexable": i64::from(content.image_key.is_some()),
            "published_at": now,
            "updated_at": now,
            "withdrawn_at": NULL,
        }),
    )
}

fn page(column: &str, from: impl serde::Serialize, to: impl serde::Serialize) -> String {
    becomes("answer_posts", id(1), column, from, to)
}

fn revision(from: i64, to: i64) -> String {
    becomes("site_state", 1, "publication_revision", from, to)
}

fn state(from: &str, to: &str) -> String {
    becomes("publication_items", id(1), "state", from, to)
}

/// Commits at one second after the item was taken in hand, and checks everything.
async fn check(
    f: &Fixture,
    hand: &Hand,
    commit: &Commit,
    (version, revision): (i64, i64),
    expected: impl FnOnce(UnixMillis) -> Vec<String>,
) {
    let claimed = f.clock.now();
    let now = f.clock.advance(1_000);
    let expected = expected(now).into_iter().chain(released(&hand.lease, claimed, now));
    let readback = f.changes(f.stores.ledger.commit(commit), expected).await;
    assert_eq!((readback.landed, readback.committed_at), (true, Some(now)));
    let landed = CommitOutcome::Landed {
        content_version: ContentVersion::new(version),
        revision: Revision::new(revision),
    };
    assert_eq!(readback.judge(), landed);
}

pub(super) async fn a_publication_lands_whole(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    let commit = hand.commit("c1", Change::Publish(content(1)));
    check(f, &hand, &commit, (1, 1), |now| {
        vec![
            first_page(&commit, &content(1), now),
            receipt(&commit, 1, 1, now),
            revision(0, 1),
            state("processing", "published"),
            appears(
                "daily_quotas",
                now.utc_day().get(),
                &json!({ "published": 1, "quota": DAILY_QUOTA, "set_quota": null }),
            ),
        ]
    })
    .await;
}

pub(super) async fn a_page_with_a_photo_is_indexable(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.make_ready(1, photo(1)).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    let with_photo = content_with(1, photo(1));
    let commit = hand.commit("c1", Change::Publish(with_photo.clone()));
    check(f, &hand, &commit, (1, 1), |now| {
        vec![
            first_page(&commit, &with_photo, now),
            receipt(&commit, 1, 1, now),
            revision(0, 1),
            state("processing", "published"),
            appears(
                "daily_quotas",
                now.utc_day().get(),
                &json!({ "published": 1, "quota": DAILY_QUOTA, "set_quota": null }),
            ),
        ]
    })
    .await;
}

pub(super) async fn an_update_lands_whole(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    let mut edited = row_with_photo(1);
    (edited.name, edited.price_cents) = ("Item 1, corrected".to_owned(), 199);
    f.import("e2", [edited]).await;
    f.make_ready(1, photo(1)).await;
    f.clock.advance(60_000);
    let hand = f.take_over(1, "editor").await;
    let content = AnswerContent {
        name: "Item 1, corrected".to_owned(),
        price_cents: 199,
        body_html: "<p>Corrected.</p>".to_owned(),
        ..content_with(1, photo(1))
    };
    let commit = hand.commit("c2", Change::Update(content));
    check(f, &hand, &commit, (2, 2), |now| {
        vec![
            page("content_version", 1, 2),
            page("commit_token", "publish-1", "c2"),
            page("bank_version", 1, 2),
            page("name", "Item 1", "Item 1, corrected"),
            page("price_cents", 100, 199),
            page("body_html", "<p>About item 1.</p>", "<p>Corrected.</p>"),
            page("image_key", NULL, photo(1)),
            page("indexable", 0, 1),
            page("updated_at", due(1), now),
            receipt(&commit, 2, 2, now),
            revision(1, 2),
        ]
    })
    .await;
}

pub(super) async fn a_withdrawal_lands_whole(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    let hand = f.take_over(1, "editor").await;
    let commit = hand.commit("c2", Change::Withdraw);
    check(f, &hand, &commit, (2, 2), |now| {
        vec![
            page("content_version", 1, 2),
            page("commit_token", "publish-1", "c2"),
            page("updated_at", due(1), now),
            page("withdrawn_at", NULL, now),
            receipt(&commit, 2, 2, now),
            revision(1, 2),
            state("published", "withdrawn"),
        ]
    })
    .await;
}

pub(super) async fn a_reinstatement_lands_whole(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    f.withdraw(1).await;
    let hand = f.take_over(1, "editor").await;
    let commit = hand.commit("c3", Change::Reinstate);
    check(f, &hand, &commit, (3, 3), |now| {
        vec![
            page("content_version", 2, 3),
            page("commit_token", "withdraw-1", "c3"),
            page("updated_at", due(1), now),
            page("withdrawn_at", due(1), NULL),
            receipt(&commit, 3, 3, now),
            revision(2, 3),
            state("withdrawn", "published"),
        ]
    })
    .await;
}

pub(super) async fn a_page_reads_back_as_it_was_written(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.make_ready(1, photo(1)).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    let text = "Quote ' \" \\ ; -- ? ?1 NUL-free, 漢字, 🫖, \u{202e}right\nto\tleft & <b>";
    let content = AnswerContent {
        name: text.to_owned(),
        body_html: text.to_owned(),
        price_cents: 100_000_000,
        ..content_with(1, photo(1))
    };
    f.land(&hand.commit("c1", Change::Publish(content.clone()))).await;
    let seen = f.take_over(1, "editor").await.seen;
    let expected = AnswerPage {
        content,
        indexable: true,
        content_version: ContentVersion::new(1),
        bank_version: hand.seen.puzzle.map(|puzzle| puzzle.bank_version).expect("it was seen"),
        published_at: due(1),
        updated_at: due(1),
        withdrawn_at: None,
    };
    assert_eq!(seen.page, Some(expected));
}

pub(super) async fn revisions_count_the_commits_of_all_pages(f: &Fixture) {
    f.import("e1", [row(1), row(2), row(3)]).await;
    f.clock.set(due(3));
    for (at, n) in [(1, 2), (2, 1), (3, 3)] {
        f.publish(n).await;
        let moment = ok(f.stores.revisions.moment().await);
        assert_eq!(moment.publication_revision, Revision::new(at), "after puzzle {n}");
    }
    f.withdraw(1).await;
    let detail = ok(f.stores.ledger.item(id(1)).await).expect("puzzle 1 is known");
    let revisions: Vec<_> = detail.receipts.iter().map(|receipt| receipt.revision.get()).collect();
    assert_eq!(revisions, [2, 4]);
}

pub(super) async fn earlier_failures_stay_on_record(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Fail { delay_ms: 1 }).await);
    f.clock.advance(1);
    f.publish(1).await;
    let detail = ok(f.stores.ledger.item(id(1)).await).expect("puzzle 1 is known");
    let item = detail.preflight.item.expect("puzzle 1 has its item");
    assert_eq!((item.attempts, item.next_attempt_at), (1, due(1).plus(1)));
}

pub(super) async fn a_page_keeps_the_date_and_words_that_were_committed(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.publish(1).await;
    let mut edited = row(1);
    (edited.name, edited.image_url) = ("Another name".to_owned(), Some(photo_url(1)));
    f.import("e2", [edited]).await;
    let seen = f.take_over(1, "editor").await.seen;
    let page = seen.page.expect("puzzle 1 has a page");
    assert_eq!(page.content, content(1));
    assert_eq!(page.content.play_date, date(1));
}

pub(super) async fn a_used_token_changes_nothing_whatever_the_answer(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    let commit = hand.commit("c1", Change::Publish(content(1)));
    f.land(&commit).await;
    let before = f.tables().await;
    let answer = f.stores.ledger.commit(&commit).await;
    assert_eq!(f.tables().await, before, "{answer:?}");

    let again = f.take_over(1, "editor").await;
    let before = f.tables().await;
    let answer = f.stores.ledger.commit(&again.commit("c1", Change::Withdraw)).await;
    assert_eq!(f.tables().await, before, "{answer:?}");
}
