use super::*;
use crate::{
    action::{ActionKind, Actor},
    commit::Change,
    id::{Fence, OwnerId},
    image::{ImageFormat, ImageState},
    ledger::ItemState,
    page::AnswerPage,
    preflight::Preflight,
    puzzle::Puzzle,
    scene,
};

/// Checks which predicates of the guard break when the state is this instead.
#[track_caller]
fn check(kind: CommitKind, change: impl FnOnce(&mut Preflight), broken: &[Predicate]) {
    check_commit(kind, |_, seen| change(seen), broken);
}

#[track_caller]
fn check_commit(kind: CommitKind, change: impl FnOnce(&mut Commit, &mut Preflight), broken: &[Predicate]) {
    let (mut commit, mut seen) = (scene::commit(kind), scene::seen(kind));
    change(&mut commit, &mut seen);
    let facts = seen.guard_facts();
    let guard = kind.guard().iter().copied();
    let found: Vec<_> = guard.filter(|predicate| !predicate.holds(&commit, &facts)).collect();
    assert_eq!(found, broken, "{kind:?}");
}

fn lease(change: fn(&mut LeaseRow)) -> impl FnOnce(&mut Preflight) {
    move |seen| change(seen.lease.as_mut().unwrap())
}

fn item(change: fn(&mut Item)) -> impl FnOnce(&mut Preflight) {
    move |seen| change(seen.item.as_mut().unwrap())
}

fn puzzle(change: fn(&mut Puzzle)) -> impl FnOnce(&mut Preflight) {
    move |seen| change(seen.puzzle.as_mut().unwrap())
}

fn image(change: fn(&mut SourceImage)) -> impl FnOnce(&mut Preflight) {
    move |seen| change(seen.image.as_mut().unwrap())
}

fn page(change: fn(&mut AnswerPage)) -> impl FnOnce(&mut Preflight) {
    move |seen| change(seen.page.as_mut().unwrap())
}

#[test]
fn a_commit_may_land_while_all_is_as_it_was_seen() {
    for kind in CommitKind::ALL {
        check(kind, |_| (), &[]);
    }
}

#[test]
fn a_commit_needs_the_live_lease_with_its_owner_and_fence() {
    use Predicate::{LeaseFence, LeaseLive, LeaseOwner};
    for kind in CommitKind::ALL {
        check(kind, |seen| seen.lease = None, &[LeaseOwner, LeaseFence, LeaseLive]);
        check(kind, lease(|row| row.owner = OwnerId::new("you")), &[LeaseOwner]);
        check(kind, lease(|row| row.fence = Fence::new(5)), &[LeaseFence]);
        check(kind, lease(|row| row.expires_at = row.expires_at.plus(-1)), &[LeaseLive]);
    }
}

#[test]
fn each_kind_of_commit_starts_from_its_own_state() {
    for kind in CommitKind::ALL {
        for state in ItemState::ALL.into_iter().filter(|state| *state != kind.state_before()) {
            let change = |seen: &mut Preflight| seen.item.as_mut().unwrap().state = state;
            check(kind, change, &[Predicate::ItemState]);
        }
    }
    check(
        CommitKind::Publish,
        |seen| seen.item = None,
        &[Predicate::ItemState, Predicate::ItemDue, Predicate::NotTooLate],
    );
}

#[test]
fn nothing_becomes_public_before_its_instant() {
    for kind in [CommitKind::Publish, CommitKind::Update, CommitKind::Reinstate] {
        check(kind, item(|item| item.due_at = item.due_at.plus(1)), &[Predicate::ItemDue]);
    }
    check(CommitKind::Withdraw, item(|item| item.due_at = item.due_at.plus(1)), &[]);
}

#[test]
fn a_job_publishes_nothing_that_is_too_late_and_a_person_does() {
    let late = |seen: &mut Preflight| {
        seen.catch_up.skip_older_than = Some(60_000);
        seen.item.as_mut().unwrap().due_at = seen.now.plus(-60_001);
    };
    for kind in CommitKind::ALL {
        let broken: &[_] = if kind == CommitKind::Publish { &[Predicate::NotTooLate] } else { &[] };
        check(kind, late, broken);
        let by_hand = |commit: &mut Commit, seen: &mut Preflight| {
            commit.by = Some(Actor::new("Ada", None).unwrap().does(ActionKind::Republish));
            late(seen);
        };
        check_commit(kind, by_hand, &[]);
    }
}

#[test]
fn what_is_published_was_rendered_from_the_puzzle_as_it_is() {
    for kind in [CommitKind::Publish, CommitKind::Update] {
        check(
            kind,
            puzzle(|puzzle| puzzle.bank_version = puzzle.bank_version.next()),
            &[Predicate::BankVersion],
        );
        check(kind, |seen| seen.puzzle = None, &[Predicate::BankVersion, Predicate::ImageReady]);
    }
}

#[test]
fn what_is_published_shows_the_stored_photo_of_the_puzzles_present_address() {
    let broken = &[Predicate::ImageReady];
    let publish = CommitKind::Publish;
    let without = || Change::Publish(scene::content(None));
    check(publish, |seen| seen.image = None, broken);
    check(publish, image(|image| image.state = ImageState::Failed), broken);
    check(publish, image(|image| image.image_url = "https://photos.example/old.png".into()), broken);
    let other = |image: &mut SourceImage| image.object_key = Some(ImageKey::new([8; 32], ImageFormat::Png));
    check(publish, image(other), broken);
    check_commit(publish, |commit, _| commit.change = without(), broken);
    // Nothing stored and nothing shown are the same, and yet there should be a photo.
    let neither = |commit: &mut Commit, seen: &mut Preflight| {
        commit.change = without();
        seen.image = None;
    };
    check_commit(publish, neither, broken);
    // A puzzle without an address has no photo, whatever is stored of an earlier one.
    check(publish, puzzle(|puzzle| puzzle.image_url = None), broken);
    let none = |commit: &mut Commit, seen: &mut Preflight| {
        commit.change = without();
        seen.puzzle.as_mut().unwrap().image_url = None;
    };
    check_commit(publish, none, &[]);
}

#[test]
fn a_commit_changes_the_page_that_was_seen() {
    let appeared = |seen: &mut Preflight| seen.page = scene::seen(CommitKind::Update).page;
    check(CommitKind::Publish, appeared, &[Predicate::ContentVersion]);
    for kind in [CommitKind::Update, CommitKind::Withdraw, CommitKind::Reinstate] {
        let changed = page(|page| page.content_version = page.content_version.next());
        check(kind, changed, &[Predicate::ContentVersion]);
        check(kind, |seen| seen.page = None, &[Predicate::ContentVersion]);
    }
}

#[test]
fn an_update_takes_neither_the_photo_nor_the_page_from_search_engines() {
    let check = |indexable: bool, image_key: Option<ImageKey>, broken: &[Predicate]| {
        let change = |commit: &mut Commit, seen: &mut Preflight| {
            commit.change = Change::Update(scene::content(None));
            seen.puzzle.as_mut().unwrap().image_url = None;
            let page = seen.page.as_mut().unwrap();
            page.indexable = indexable;
            page.content.image_key = image_key;
        };
        check_commit(CommitKind::Update, change, broken);
    };
    let photo = || Some(scene::photo());
    check(true, photo(), &[Predicate::StaysIndexable, Predicate::KeepsPhoto]);
    check(true, None, &[Predicate::StaysIndexable]);
    check(false, photo(), &[Predicate::KeepsPhoto]);
    check(false, None, &[]);
    // With a photo, the page may have been anything.
    self::check(CommitKind::Update, page(|page| page.indexable = false), &[]);
    self::check(CommitKind::Update, page(|page| page.content.image_key = None), &[]);
}

#[test]
fn only_what_is_published_first_needs_room_in_the_quota() {
    let used_up =
        |seen: &mut Preflight| seen.quota = Some(DailyQuota { published: 10, quota: 10, set_quota: None });
    check(CommitKind::Publish, used_up, &[Predicate::QuotaLeft]);
    for kind in [CommitKind::Update, CommitKind::Withdraw, CommitKind::Reinstate] {
        check(kind, used_up, &[]);
    }
    check_commit(
        CommitKind::Publish,
        |commit, seen| {
            commit.daily_quota = 0;
            seen.quota = None;
        },
        &[Predicate::QuotaLeft],
    );
}

#[test]
fn a_pause_stops_whatever_makes_content_public() {
    for kind in [CommitKind::Publish, CommitKind::Update, CommitKind::Reinstate] {
        check(kind, |seen| seen.paused = true, &[Predicate::NotPaused]);
    }
    check(CommitKind::Withdraw, |seen| seen.paused = true, &[]);
}

#[test]
fn people_are_told_what_does_not_hold() {
    let complaints = Predicate::ALL.map(Predicate::complaint);
    let distinct: std::collections::BTreeSet<_> = complaints.into_iter().collect();
    // Owner and fence of a lease change for the same reason.
    assert_eq!(Predicate::LeaseOwner.complaint(), Predicate::LeaseFence.complaint());
    assert_eq!(distinct.len(), Predicate::ALL.len() - 1, "{complaints:?}");
    assert_eq!(Predicate::ItemDue.complaint(), "the answer's embargo has not ended");
}

#[test]
fn people_are_told_what_holds_in_words_of_its_own() {
    let assurances = Predicate::ALL.map(Predicate::assurance);
    let distinct: std::collections::BTreeSet<_> = assurances.into_iter().collect();
    assert_eq!(distinct.len(), Predicate::ALL.len(), "{assurances:?}");
    assert_eq!(Predicate::ItemDue.assurance(), "the answer's embargo has ended");
}

#[test]
fn the_strongest_reason_names_the_refusal() {
    use Predicate::*;
    for (blocked_by, expected) in [
        (&[] as &[Predicate], Outcome::Conflict),
        (&[QuotaLeft, NotPaused, BankVersion, LeaseFence], Outcome::LeaseLost),
        (&[QuotaLeft, NotPaused, KeepsPhoto, BankVersion], Outcome::Conflict),
        (&[QuotaLeft, NotPaused, KeepsPhoto], Outcome::Blocked),
        (&[QuotaLeft, NotPaused], Outcome::Paused),
        (&[QuotaLeft], Outcome::QuotaExhausted),
        (&[BankVersion, ItemDue], Outcome::NotDue),
    ] {
        assert_eq!(Predicate::refusal(blocked_by), expected, "{blocked_by:?}");
    }
}

#[test]
fn nothing_but_the_lease_and_the_page_stops_a_withdrawal() {
    let guard = CommitKind::Withdraw.guard();
    assert!(!guard.contains(&Predicate::NotPaused) && !guard.contains(&Predicate::QuotaLeft));
    let quota_users = CommitKind::ALL.map(|kind| kind.guard().contains(&Predicate::QuotaLeft));
    assert_eq!(quota_users, [true, false, false, false]);
}
