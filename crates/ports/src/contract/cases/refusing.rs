//! Every predicate of every kind's guard, spoilt alone: the kinds that ask for it are
//! refused and change nothing, and the kinds that do not ask for it land.

use fencepost_domain::{
    action::ActionKind,
    commit::{Change, Commit, CommitKind},
    guard::Predicate::{
        self, BankVersion, ContentVersion, ImageReady, ItemDue, ItemState, KeepsPhoto, LeaseFence, LeaseLive,
        LeaseOwner, NotPaused, NotTooLate, QuotaLeft, StaysIndexable,
    },
    id::{self, Fence},
    outcome::Outcome,
    page::AnswerContent,
    puzzle::PuzzleRow,
};

use crate::contract::{
    Fixture,
    steps::{
        DAILY_QUOTA, Hand, TTL_MS, content, content_with, due, entry, id, ok, owner, photo, row_with_photo,
    },
};

/// Puzzle 1 is in hand to be published, 2 to be updated, 3 to be withdrawn, 4 to be
/// reinstated. All have their photos, and all were due this very instant.
struct Stage {
    hands: [Hand; 4],
    daily_quota: i64,
}

impl Stage {
    async fn set(f: &Fixture) -> Self {
        Self::with_quota(f, DAILY_QUOTA).await
    }

    /// With a quota for the three publications that lie behind.
    async fn with_quota(f: &Fixture, daily_quota: i64) -> Self {
        f.import("stage", (1..=4).map(row_with_photo)).await;
        for n in 1..=4 {
            f.make_ready(n.into(), photo(n)).await;
            ok(f.stores.ledger.reschedule(id(n.into()), due(4), None, &entry(ActionKind::Reschedule)).await);
        }
        f.clock.set(due(4));
        for n in 2..=4_u8 {
            let hand = f.take(n.into(), "press").await;
            let change = Change::Publish(content_with(n.into(), photo(n)));
            f.land(&Commit { daily_quota, ..hand.commit(&format!("stage-{n}"), change) }).await;
        }
        f.withdraw(4).await;
        let hands = [
            f.take(1, "ada").await,
            f.take_over(2, "ada").await,
            f.take_over(3, "ada").await,
            f.take_over(4, "ada").await,
        ];
        Self { hands, daily_quota }
    }

    /// The attempt of each kind that would land as things stand.
    fn commits(&self) -> [Commit; 4] {
        let [publish, update, withdraw, reinstate] = &self.hands;
        [
            publish.commit("publish", Change::Publish(content_with(1, photo(1)))),
            update.commit("update", Change::Update(content_with(2, photo(2)))),
            withdraw.commit("withdraw", Change::Withdraw),
            reinstate.commit("reinstate", Change::Reinstate),
        ]
        .map(|commit| Commit { daily_quota: self.daily_quota, ..commit })
    }
}

/// Attempts every kind after `predicate` alone was spoilt for all of them.
async fn check(f: &Fixture, commits: [Commit; 4], predicate: Predicate, outcome: Outcome) {
    for commit in commits {
        if commit.change.kind().guard().contains(&predicate) {
            f.refuses(&commit, outcome, &[predicate]).await;
        } else {
            f.land(&commit).await;
        }
    }
}

/// The same attempt with other content, where it has any.
fn showing(commit: Commit, change: impl FnOnce(AnswerContent) -> AnswerContent) -> Commit {
    let change = match commit.change {
        Change::Publish(content) => Change::Publish(change(content)),
        Change::Update(content) => Change::Update(change(content)),
        other => other,
    };
    Commit { change, ..commit }
}

/// Edits all four puzzles, and returns attempts that know of the edit. The edit gives the
/// item in hand back, so it is taken again, under the same lease.
async fn after_edit(f: &Fixture, stage: &Stage, edit: impl Fn(PuzzleRow) -> PuzzleRow) -> [Commit; 4] {
    f.import("edit", (1..=4).map(row_with_photo).map(edit)).await;
    let again = f.take(1, "ada").await;
    assert_eq!(again.lease.fence, stage.hands[0].lease.fence);
    stage.commits().map(|commit| Commit { bank_version: id::BankVersion::new(2), ..commit })
}

pub(super) async fn nothing_refuses_a_sound_attempt(f: &Fixture) {
    let stage = Stage::set(f).await;
    for commit in stage.commits() {
        f.land(&commit).await;
    }
}

pub(super) async fn another_owner_is_refused(f: &Fixture) {
    let commits = Stage::set(f).await.commits().map(|mut commit| {
        commit.lease.owner = owner("eve");
        commit
    });
    check(f, commits, LeaseOwner, Outcome::LeaseLost).await;
}

pub(super) async fn another_fence_is_refused(f: &Fixture) {
    let stage = Stage::set(f).await;
    for step in [-1, 1] {
        let commits = stage.commits().map(|mut commit| {
            commit.lease.fence = Fence::new(commit.lease.fence.get() + step);
            commit
        });
        check(f, commits, LeaseFence, Outcome::LeaseLost).await;
    }
}

pub(super) async fn an_expired_lease_is_refused(f: &Fixture) {
    let stage = Stage::set(f).await;
    f.clock.advance(TTL_MS);
    check(f, stage.commits(), LeaseLive, Outcome::LeaseLost).await;
}

pub(super) async fn what_the_holder_believes_of_the_expiry_does_not_matter(f: &Fixture) {
    let stage = Stage::set(f).await;
    f.clock.advance(TTL_MS);
    let commits = stage.commits().map(|mut commit| {
        commit.lease.expires_at = commit.lease.expires_at.plus(TTL_MS);
        commit
    });
    check(f, commits, LeaseLive, Outcome::LeaseLost).await;
}

pub(super) async fn a_lease_is_good_to_its_last_millisecond(f: &Fixture) {
    let stage = Stage::set(f).await;
    f.clock.advance(TTL_MS - 1);
    for commit in stage.commits() {
        f.land(&commit).await;
    }
}

pub(super) async fn an_item_in_another_state_is_refused(f: &Fixture) {
    let stage = Stage::set(f).await;
    for (n, hand) in (1..).zip(&stage.hands) {
        let state = hand.seen.item.as_ref().expect("it was seen").state;
        let content = content_with(n.into(), photo(n));
        for change in
            [Change::Publish(content.clone()), Change::Update(content), Change::Withdraw, Change::Reinstate]
        {
            if change.kind().state_before() != state {
                f.refuses(&hand.commit("wrong", change), Outcome::Conflict, &[ItemState]).await;
            }
        }
    }
}

pub(super) async fn an_item_that_is_not_marked_is_not_published(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.make_ready(1, photo(1)).await;
    f.clock.set(due(1));
    let hand = f.take_over(1, "editor").await;
    let commit = hand.commit("c1", Change::Publish(content_with(1, photo(1))));
    f.refuses(&commit, Outcome::Conflict, &[ItemState]).await;
}

pub(super) async fn an_embargo_that_a_clock_brought_back_is_kept(f: &Fixture) {
    let stage = Stage::set(f).await;
    f.clock.set(due(4).plus(-1));
    check(f, stage.commits(), ItemDue, Outcome::NotDue).await;
}

pub(super) async fn an_edited_puzzle_is_refused(f: &Fixture) {
    let stage = Stage::set(f).await;
    let rename = |row: PuzzleRow| PuzzleRow { name: format!("{}!", row.name), ..row };
    after_edit(f, &stage, rename).await;
    check(f, stage.commits(), BankVersion, Outcome::Conflict).await;
}

pub(super) async fn another_photo_than_the_stored_one_is_refused(f: &Fixture) {
    let stage = Stage::set(f).await;
    let commits = stage
        .commits()
        .map(|commit| showing(commit, |content| AnswerContent { image_key: Some(photo(9)), ..content }));
    check(f, commits, ImageReady, Outcome::Conflict).await;
}

pub(super) async fn the_photo_of_an_address_that_has_changed_is_refused(f: &Fixture) {
    let stage = Stage::set(f).await;
    let elsewhere = |row| PuzzleRow { image_url: Some("https://photos.example/new.webp".to_owned()), ..row };
    let commits = after_edit(f, &stage, elsewhere).await;
    check(f, commits, ImageReady, Outcome::Conflict).await;
}

pub(super) async fn a_photo_of_a_puzzle_without_one_is_refused(f: &Fixture) {
    let stage = Stage::set(f).await;
    let commits = after_edit(f, &stage, |row| PuzzleRow { image_url: None, ..row }).await;
    check(f, commits, ImageReady, Outcome::Conflict).await;
}

pub(super) async fn a_photo_that_is_not_stored_is_refused(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "ada").await;
    for content in [content_with(1, photo(1)), content(1)] {
        let commit = hand.commit("c1", Change::Publish(content));
        f.refuses(&commit, Outcome::Conflict, &[ImageReady]).await;
    }
}

pub(super) async fn another_version_of_the_page_is_refused(f: &Fixture) {
    let stage = Stage::set(f).await;
    for step in [-1, 1] {
        let commits = stage.commits().map(|commit| {
            let content_version = id::ContentVersion::new(commit.content_version.get() + step);
            Commit { content_version, ..commit }
        });
        check(f, commits, ContentVersion, Outcome::Conflict).await;
    }
}

pub(super) async fn a_page_loses_neither_its_photo_nor_its_place_in_search(f: &Fixture) {
    let stage = Stage::set(f).await;
    let commits = after_edit(f, &stage, |row| PuzzleRow { image_url: None, ..row }).await;
    for commit in
        commits.map(|commit| showing(commit, |content| AnswerContent { image_key: None, ..content }))
    {
        if commit.change.kind() == CommitKind::Update {
            f.refuses(&commit, Outcome::Blocked, &[StaysIndexable, KeepsPhoto]).await;
        } else {
            f.land(&commit).await;
        }
    }
}

pub(super) async fn a_quota_that_is_used_up_is_kept(f: &Fixture) {
    let stage = Stage::with_quota(f, 3).await;
    check(f, stage.commits(), QuotaLeft, Outcome::QuotaExhausted).await;
}

pub(super) async fn a_paused_site_publishes_nothing_and_takes_back_what_it_must(f: &Fixture) {
    let stage = Stage::set(f).await;
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    check(f, stage.commits(), NotPaused, Outcome::Paused).await;
}

pub(super) async fn every_reason_is_told_and_the_strongest_names_the_refusal(f: &Fixture) {
    let stage = Stage::with_quota(f, 3).await;
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    let commits = after_edit(f, &stage, |row| PuzzleRow { image_url: None, ..row }).await;
    let [publish, update, ..] = commits;
    f.refuses(&publish, Outcome::Conflict, &[ImageReady, QuotaLeft, NotPaused]).await;
    let bare = showing(update, |content| AnswerContent { image_key: None, ..content });
    f.refuses(&bare, Outcome::Blocked, &[StaysIndexable, KeepsPhoto, NotPaused]).await;
    let [mut publish, ..] = stage.commits();
    (publish.lease.owner, publish.content_version) = (owner("eve"), id::ContentVersion::new(7));
    let everything = [LeaseOwner, ContentVersion, BankVersion, ImageReady, QuotaLeft, NotPaused];
    f.refuses(&publish, Outcome::LeaseLost, &everything).await;
}

pub(super) async fn what_never_had_a_page_is_not_reinstated_by_a_commit(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.clock.set(due(1));
    let hand = f.take_over(1, "editor").await;
    ok(f.stores.ledger.withdraw_unpublished(&hand.lease, &entry(ActionKind::Withdraw)).await);
    let hand = f.take_over(1, "editor").await;
    f.refuses(&hand.commit("c1", Change::Reinstate), Outcome::Conflict, &[]).await;
}

pub(super) async fn an_unknown_puzzle_is_refused(f: &Fixture) {
    let stage = Stage::set(f).await;
    let key = fencepost_domain::lease::LeaseKey::Publication(id(7));
    let row = ok(f.stores.leases.claim(key, &owner("ada"), TTL_MS).await);
    for mut commit in stage.commits() {
        (commit.lease.key, commit.lease.fence) = (key, row.fence);
        let commit = showing(commit, |content| AnswerContent { image_key: None, ..content });
        let absent: Vec<_> = (commit.change.kind().guard().iter().copied())
            .filter(|it| {
                matches!(it, ItemState | ItemDue | NotTooLate | BankVersion | ImageReady | ContentVersion)
            })
            .filter(|it| *it != ContentVersion || commit.content_version != id::ContentVersion::NONE)
            .collect();
        f.refuses(&commit, Outcome::Conflict, &absent).await;
    }
}
