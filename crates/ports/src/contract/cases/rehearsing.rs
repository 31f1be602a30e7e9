//! Rehearsals: a claim and a commit that tell what they would do, and leave nothing behind.

use fencepost_domain::{
    commit::{Change, CommitOutcome, CommitReadback},
    guard::Predicate,
    id::{ContentVersion, Fence},
    outcome::Outcome,
    rehearsal::Rehearsal,
    revision::Revision,
};

use crate::{
    Preflight,
    contract::{
        Fixture,
        steps::{
            DAILY_QUOTA, Hand, TTL_MS, begin, content, content_with, due, id, ok, owner, photo, publication,
            row, row_with_photo, token,
        },
    },
};

/// What puzzle `n`, without a photo, would be published as by somebody.
fn rehearsal(seen: &Preflight, n: i64, name: &str) -> Rehearsal {
    Rehearsal::of(seen, begin(n, name), token("rehearsed"), content(n), DAILY_QUOTA)
        .unwrap_or_else(|| panic!("there is nothing to be claimed: {seen:?}"))
}

async fn look(f: &Fixture, n: i64) -> Preflight {
    f.keeps(f.stores.ledger.look(id(n))).await
}

/// Tries it, and checks that it would be refused for these reasons and changes nothing.
async fn refuses(f: &Fixture, rehearsal: &Rehearsal, outcome: Outcome, blocked_by: &[Predicate]) {
    let judged = f.keeps(f.stores.ledger.rehearse(rehearsal)).await.judge();
    assert_eq!(judged, CommitOutcome::Refused { outcome, blocked_by: blocked_by.to_vec() });
}

/// Tries it, and checks that it would land as this and changes nothing.
async fn lands(f: &Fixture, rehearsal: &Rehearsal, revision: i64) {
    let judged = f.keeps(f.stores.ledger.rehearse(rehearsal)).await.judge();
    let content_version = ContentVersion::new(1);
    assert_eq!(judged, CommitOutcome::Landed { content_version, revision: Revision::new(revision) });
}

pub(super) async fn a_look_sees_what_a_claim_would_and_takes_nothing_in_hand(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.make_ready(1, photo(1)).await;
    f.clock.set(due(1));
    let seen = look(f, 1).await;
    let Hand { seen: begun, .. } = f.take(1, "ada").await;
    assert_eq!(Preflight { lease: begun.lease.clone(), item: begun.item.clone(), ..seen }, begun);
    assert_eq!(look(f, 1).await, begun);
    let unknown = look(f, 7).await;
    assert_eq!((unknown.now, unknown.item, unknown.puzzle), (due(1), None, None));
}

pub(super) async fn a_rehearsal_tells_what_a_commit_then_does_and_changes_nothing(f: &Fixture) {
    f.import("e1", [row(1), row_with_photo(2)]).await;
    f.make_ready(2, photo(2)).await;
    f.clock.set(due(2));
    let first = rehearsal(&look(f, 1).await, 1, "ada");
    lands(f, &first, 1).await;
    // Trying is no use of a token, and neither is trying again.
    lands(f, &first, 1).await;
    f.publish(1).await;

    let with_photo = content_with(2, photo(2));
    let second = rehearsal(&look(f, 2).await, 2, "ada");
    refuses(f, &second, Outcome::Conflict, &[Predicate::ImageReady]).await;
    let second = Rehearsal { content: with_photo.clone(), ..second };
    let told = f.keeps(f.stores.ledger.rehearse(&second)).await;
    let hand = f.take(2, "ada").await;
    assert_eq!(hand.lease.fence, second.lease.fence);
    let done = ok(f.stores.ledger.commit(&hand.commit("rehearsed", Change::Publish(with_photo))).await);
    let done = CommitReadback { committed_at: None, ..done };
    assert_eq!(told, done, "the very same answer, its guard included, but for the instant");
}

pub(super) async fn a_rehearsal_takes_over_what_a_dead_worker_left_and_gives_it_back(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    f.take(1, "ada").await;
    f.clock.advance(TTL_MS);
    let taken_over = rehearsal(&look(f, 1).await, 1, "bob");
    assert_eq!(taken_over.lease.fence, Fence::new(2));
    lands(f, &taken_over, 1).await;
}

pub(super) async fn what_was_rehearsed_before_counts_towards_the_quota(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(2));
    let none_yet = Rehearsal { daily_quota: 2, ..rehearsal(&look(f, 1).await, 1, "ada") };
    lands(f, &none_yet, 1).await;
    lands(f, &none_yet.clone().after(1), 1).await;
    refuses(f, &none_yet.after(2), Outcome::QuotaExhausted, &[Predicate::QuotaLeft]).await;

    // The row of the day has one page and allows a hundred.
    f.publish(2).await;
    let one = Rehearsal { daily_quota: 2, ..rehearsal(&look(f, 1).await, 1, "ada") };
    lands(f, &one.clone().after(DAILY_QUOTA - 2), 2).await;
    refuses(f, &one.after(DAILY_QUOTA - 1), Outcome::QuotaExhausted, &[Predicate::QuotaLeft]).await;
    let raised = Rehearsal { daily_quota: 200, ..rehearsal(&look(f, 1).await, 1, "ada") };
    lands(f, &raised.clone().after(198), 2).await;
    refuses(f, &raised.after(199), Outcome::QuotaExhausted, &[Predicate::QuotaLeft]).await;
}

pub(super) async fn a_rehearsal_of_what_has_changed_meanwhile_is_refused_as_a_commit_would_be(f: &Fixture) {
    use Predicate::{ItemDue, ItemState, LeaseFence, LeaseLive, LeaseOwner};
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
    let prepared = rehearsal(&look(f, 1).await, 1, "ada");

    f.clock.set(due(1).plus(-1));
    let early = [LeaseOwner, LeaseFence, LeaseLive, ItemState, ItemDue];
    refuses(f, &prepared, Outcome::LeaseLost, &early).await;
    f.clock.set(due(1));

    f.import("e2", [fencepost_domain::puzzle::PuzzleRow { price_cents: 777, ..row(1) }]).await;
    refuses(f, &prepared, Outcome::Conflict, &[Predicate::BankVersion]).await;

    let prepared = rehearsal(&look(f, 1).await, 1, "ada");
    let held = ok(f.stores.leases.claim(publication(1), &owner("bob"), TTL_MS).await);
    assert_eq!(held.fence, prepared.lease.fence, "the first claim, whoever makes it");
    refuses(f, &prepared, Outcome::LeaseLost, &[LeaseOwner, ItemState]).await;
    f.clock.advance(TTL_MS);
    refuses(f, &prepared, Outcome::LeaseLost, &[LeaseFence]).await;
}
