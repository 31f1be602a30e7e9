//! Explanations: what the domain says of an item that nobody has in hand is what the store
//! says of an attempt.
//!
//! Each thing that can lie in the way beforehand is put there alone, and the outlook has to
//! name exactly its predicate. If the item can be claimed all the same, the store's own guard
//! has to name the same in a rehearsal, and then in earnest. If not, the claim is refused for
//! the reason that was told.

use fencepost_domain::{
    action::ActionKind,
    catch_up::CatchUp,
    commit::{Change, CommitKind, CommitOutcome},
    guard::Predicate,
    ledger::Ending,
    outcome::Outcome,
    page::AnswerContent,
    rehearsal::Rehearsal,
};

use crate::{
    Preflight,
    contract::{
        Fixture,
        steps::{
            DAILY_QUOTA, Hand, begin, content, due, entry, failed, id, ok, photo, row, row_with_photo, token,
        },
    },
};

fn broken(guard: &[(Predicate, bool)]) -> Vec<Predicate> {
    guard.iter().filter(|(_, holds)| !holds).map(|(predicate, _)| *predicate).collect()
}

/// What people are told of puzzle 1.
async fn seen(f: &Fixture) -> Preflight {
    f.keeps(f.stores.ledger.item(id(1))).await.expect("it was imported").preflight
}

/// Checks that exactly these are named, and returns what was seen.
async fn names(f: &Fixture, daily_quota: i64, expected: &[Predicate]) -> Preflight {
    let seen = seen(f).await;
    let outlook = seen.outlook(daily_quota);
    let all: Vec<_> = outlook.iter().map(|(predicate, _)| *predicate).collect();
    assert_eq!(all, CommitKind::Publish.guard(), "every predicate is told");
    assert_eq!(broken(&outlook), expected, "of {seen:?}");
    seen
}

/// Checks that exactly this is named, by the outlook, by a rehearsal and by a real attempt.
async fn attempts_agree(f: &Fixture, daily_quota: i64, predicate: Predicate, outcome: Outcome) {
    let seen = names(f, daily_quota, &[predicate]).await;
    let shown = AnswerContent { image_key: seen.photo().cloned(), ..content(1) };
    let rehearsal = Rehearsal::of(&seen, begin(1, "ada"), token("c1"), shown.clone(), daily_quota);
    let rehearsal = rehearsal.expect("nobody has it in hand");
    let told = f.keeps(f.stores.ledger.rehearse(&rehearsal)).await;
    assert_eq!(told.guard, seen.outlook(daily_quota), "the store says the same of every predicate");

    let hand: Hand = f.take(1, "ada").await;
    let mut commit = hand.commit("c1", Change::Publish(shown));
    commit.daily_quota = daily_quota;
    let done = ok(f.stores.ledger.commit(&commit).await);
    assert_eq!(done, told, "and so does a real attempt");
    assert_eq!(done.judge(), CommitOutcome::Refused { outcome, blocked_by: vec![predicate] });
}

/// Checks that exactly this is named, and that a real claim is refused for it.
async fn claims_agree(f: &Fixture, predicate: Predicate, outcome: Outcome) {
    let seen = names(f, DAILY_QUOTA, &[predicate]).await;
    assert_eq!(Rehearsal::of(&seen, begin(1, "ada"), token("c1"), content(1), DAILY_QUOTA), None);
    let begun = f.keeps(f.stores.ledger.begin(&begin(1, "ada"))).await;
    assert_eq!(begun.lease_of(&begin(1, "ada")), None);
    assert_eq!(begun.not_taken(), (outcome, Some(predicate)));
}

async fn import_due(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    f.clock.set(due(1));
}

pub(super) async fn nothing_is_named_where_nothing_is_in_the_way(f: &Fixture) {
    import_due(f).await;
    let seen = names(f, DAILY_QUOTA, &[]).await;
    let rehearsal = Rehearsal::of(&seen, begin(1, "ada"), token("c1"), content(1), DAILY_QUOTA);
    let told = f.keeps(f.stores.ledger.rehearse(&rehearsal.expect("it is free"))).await;
    assert!(told.landed, "{told:?}");
    f.publish(1).await;
    assert_eq!(self::seen(f).await.outlook(DAILY_QUOTA), [], "nobody would publish it again");
}

pub(super) async fn an_item_in_the_hands_of_another_is_named_by_its_owner_alone(f: &Fixture) {
    import_due(f).await;
    f.take(1, "bob").await;
    claims_agree(f, Predicate::LeaseOwner, Outcome::LeaseHeld).await;
}

pub(super) async fn a_blocked_item_is_named_by_its_state_alone(f: &Fixture) {
    import_due(f).await;
    let hand = f.take(1, "bob").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "a reason".to_owned() }).await);
    claims_agree(f, Predicate::ItemState, Outcome::Blocked).await;
}

pub(super) async fn an_embargo_is_named_alone(f: &Fixture) {
    import_due(f).await;
    f.clock.set(due(1).plus(-1));
    claims_agree(f, Predicate::ItemDue, Outcome::NotDue).await;
}

pub(super) async fn a_photo_that_is_missing_is_named_alone(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.clock.set(due(1));
    attempts_agree(f, DAILY_QUOTA, Predicate::ImageReady, Outcome::Conflict).await;
}

pub(super) async fn a_photo_that_could_not_be_had_is_named_alone(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.clock.set(due(1));
    let lease = f.take_image(1, "press").await;
    ok(f.stores.images.record(&lease, &failed(1, 60_000)).await);
    attempts_agree(f, DAILY_QUOTA, Predicate::ImageReady, Outcome::Conflict).await;
}

pub(super) async fn a_photo_of_an_earlier_address_is_named_alone(f: &Fixture) {
    f.import("e1", [row_with_photo(1)]).await;
    f.clock.set(due(1));
    f.make_ready(1, photo(1)).await;
    names(f, DAILY_QUOTA, &[]).await;
    let elsewhere = Some("https://photos.example/new.webp".to_owned());
    f.import("e2", [fencepost_domain::puzzle::PuzzleRow { image_url: elsewhere, ..row(1) }]).await;
    attempts_agree(f, DAILY_QUOTA, Predicate::ImageReady, Outcome::Conflict).await;
}

pub(super) async fn a_quota_that_is_used_up_is_named_alone(f: &Fixture) {
    import_due(f).await;
    attempts_agree(f, 0, Predicate::QuotaLeft, Outcome::QuotaExhausted).await;
}

pub(super) async fn a_pause_is_named_alone(f: &Fixture) {
    import_due(f).await;
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    attempts_agree(f, DAILY_QUOTA, Predicate::NotPaused, Outcome::Paused).await;
}

pub(super) async fn what_jobs_do_not_catch_up_with_is_named_alone(f: &Fixture) {
    import_due(f).await;
    let policy = CatchUp { skip_older_than: Some(60_000), ..CatchUp::default() };
    ok(f.stores.ledger.set_catch_up(policy, None, &entry(ActionKind::SetPolicy)).await);
    f.clock.advance(60_001);
    claims_agree(f, Predicate::NotTooLate, Outcome::Blocked).await;
}

pub(super) async fn everything_in_the_way_is_named_together(f: &Fixture) {
    use Predicate::{ImageReady, ItemDue, ItemState, LeaseOwner, NotPaused, QuotaLeft};
    f.import("e1", [row_with_photo(1)]).await;
    f.clock.set(due(1));
    let hand = f.take(1, "bob").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "a reason".to_owned() }).await);
    f.take_over(1, "editor").await;
    ok(f.stores.ledger.set_paused(true, &entry(ActionKind::Pause)).await);
    f.clock.set(due(1).plus(-1));
    names(f, 0, &[LeaseOwner, ItemState, ItemDue, ImageReady, QuotaLeft, NotPaused]).await;
}
