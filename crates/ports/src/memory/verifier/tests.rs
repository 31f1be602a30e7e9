//! Every rule, broken by what it is about.

use fencepost_domain::{
    id::{BankVersion, CommitToken, ContentVersion, Fence, OwnerId},
    image::ImageFormat,
    lease::{LeaseKey, LeaseRow},
    ledger::{Item, ItemState},
    page::{AnswerContent, AnswerPage},
    puzzle::{Puzzle, Schedule},
    quota::DailyQuota,
    results::{GameOutcome, GameResult, SessionId, Slot},
    revision::Revision,
    time::{PlayDate, UnixMillis},
};

use super::*;
use crate::memory::state::{StoredPage, StoredPuzzle, StoredResult};

fn id() -> PuzzleId {
    PuzzleId::try_from(7).unwrap()
}

/// A site with one published page.
fn sound() -> State {
    let play_date: PlayDate = "2026-11-28".parse().unwrap();
    let schedule = Schedule::of(play_date, 0);
    let due_at = schedule.due_at;
    let image_key = Some(ImageKey::new([7; 32], ImageFormat::Png));
    let mut state = State::default();
    let puzzle = Puzzle {
        puzzle_id: id(),
        play_date,
        opens_at: schedule.opens_at,
        playable_until: schedule.playable_until,
        name: "A teapot".to_owned(),
        price_cents: 1899,
        description: String::new(),
        image_url: None,
        bank_version: BankVersion::FIRST,
    };
    state.puzzles.insert(id(), StoredPuzzle { puzzle, edit_token: CommitToken::new("e1") });
    state.items.insert(id(), Item { state: ItemState::Published, ..Item::scheduled(due_at) });
    state.record_instants(id());
    let content = AnswerContent {
        play_date,
        name: "A teapot".to_owned(),
        price_cents: 1899,
        body_html: String::new(),
        image_key,
    };
    let page = AnswerPage {
        indexable: content.indexable(),
        content,
        content_version: ContentVersion::new(1),
        bank_version: BankVersion::FIRST,
        published_at: due_at,
        updated_at: due_at,
        withdrawn_at: None,
    };
    state.pages.insert(id(), StoredPage { page, commit_token: CommitToken::new("c1") });
    state.receipts.push(Receipt {
        commit_token: CommitToken::new("c1"),
        puzzle_id: id(),
        kind: CommitKind::Publish,
        owner_id: OwnerId::new("ada"),
        fence: Fence::new(3),
        content_version: ContentVersion::new(1),
        revision: Revision::new(1),
        committed_at: due_at,
    });
    state.publication_revision = Revision::new(1);
    state.quotas.insert(due_at.utc_day(), DailyQuota { published: 1, ..DailyQuota::fresh(1) });
    let row = LeaseRow { owner: OwnerId::new("ada"), fence: Fence::new(3), expires_at: UnixMillis::new(0) };
    state.set_lease(LeaseKey::Publication(id()), row, due_at);
    state
}

/// Spoils a sound state, and checks which rules say so.
fn check(spoil: impl FnOnce(&mut State), expected: &[&str]) {
    let mut state = sound();
    spoil(&mut state);
    let found = state.violations();
    let rules: Vec<_> = found.iter().map(|violation| violation.rule.as_str()).collect();
    assert_eq!(rules, expected, "{found:?}");
}

fn page(state: &mut State) -> &mut StoredPage {
    state.pages.get_mut(&id()).unwrap()
}

fn item(state: &mut State) -> &mut Item {
    state.items.get_mut(&id()).unwrap()
}

fn again(state: &mut State, change: impl FnOnce(&mut Receipt)) {
    let mut receipt = state.receipts[0].clone();
    receipt.kind = CommitKind::Update;
    receipt.content_version = ContentVersion::new(2);
    receipt.revision = Revision::new(2);
    change(&mut receipt);
    state.publication_revision = receipt.revision;
    page(state).page.content_version = receipt.content_version;
    state.receipts.push(receipt);
}

/// Stores results in these slots, each of a session of its own.
fn results(state: &mut State, slots: &[i64]) {
    let result = GameResult::new(GameOutcome::Won, 1).unwrap();
    let sessions = slots.iter().zip('a'..).map(|(slot, letter)| {
        let session: SessionId = letter.to_string().repeat(16).parse().unwrap();
        let created_at = UnixMillis::new(0);
        (session, StoredResult { slot: Slot::new(*slot), result, report_token: None, created_at })
    });
    state.results.insert(id(), sessions.collect());
}

#[test]
fn every_rule_is_broken_by_what_it_is_about() {
    check(|_| (), &[]);
    check(|state| again(state, |_| ()), &[]);
    check(|state| state.publication_revision = Revision::new(2), &["revision_missing"]);
    check(|state| state.publication_revision = Revision::NONE, &["revision_surplus"]);
    check(|state| state.quotas.clear(), &["quota_miscounted"]);
    let quota = |published, quota| {
        move |state: &mut State| {
            state
                .quotas
                .values_mut()
                .for_each(|row| *row = DailyQuota { published, ..DailyQuota::fresh(quota) });
        }
    };
    check(quota(2, 2), &["quota_miscounted"]);
    check(quota(1, 0), &["quota_exceeded"]);
    check(|state| drop(state.items.remove(&id())), &["page_without_item"]);
    check(|state| item(state).state = ItemState::Scheduled, &["item_does_not_fit_page"]);
    check(|state| item(state).state = ItemState::Withdrawn, &["item_does_not_fit_page"]);
    let moved = |by: i64| {
        move |state: &mut State| {
            item(state).due_at = item(state).due_at.plus(by);
            state.record_instants(id());
        }
    };
    check(moved(1), &["published_early"]);
    check(moved(-1), &["due_before_end_of_play"]);
    for forgotten in sound().instants {
        check(|state| assert!(state.instants.remove(&forgotten)), &["instant_not_in_calendar"]);
    }
    check(|state| drop(state.pages.remove(&id())), &["item_does_not_fit_page", "receipt_without_page"]);
    check(
        |state| {
            state.receipts.clear();
            state.quotas.clear();
            state.publication_revision = Revision::NONE;
        },
        &["page_does_not_fit_receipts"],
    );
    check(|state| page(state).commit_token = CommitToken::new("other"), &["page_does_not_fit_receipts"]);
    check(|state| page(state).page.content_version = ContentVersion::new(2), &["page_does_not_fit_receipts"]);
    check(|state| page(state).page.indexable = false, &["indexable_without_photo"]);
    check(|state| results(state, &[2, 1, 3]), &[]);
    for slots in [&[2][..], &[1, 3], &[1, 1]] {
        check(|state| results(state, slots), &["results_not_dense"]);
    }
}

#[test]
fn a_story_that_cannot_have_happened_is_found() {
    let spoil = |change: fn(&mut Receipt)| move |state: &mut State| again(state, change);
    check(spoil(|receipt| receipt.kind = CommitKind::Publish), &["published_not_once", "quota_miscounted"]);
    check(spoil(|receipt| receipt.kind = CommitKind::Reinstate), &["kind_out_of_order"]);
    check(spoil(|receipt| receipt.fence = Fence::new(2)), &["fence_fell"]);
    check(spoil(|receipt| receipt.fence = Fence::new(4)), &["lease_fence_fell"]);
    check(|state| state.leases.clear(), &["lease_fence_fell"]);
    check(spoil(|receipt| receipt.content_version = ContentVersion::new(3)), &["versions_not_dense"]);
    check(
        |state| {
            again(state, |_| ());
            state.receipts[0].revision = Revision::new(2);
            state.receipts[1].revision = Revision::new(1);
        },
        &["revision_fell"],
    );
}

#[test]
fn an_instant_that_no_receipt_tells_of_is_found() {
    let late = |state: &mut State| page(state).page.updated_at.plus(1);
    check(|state| page(state).page.published_at = late(state), &["published_at_does_not_fit_receipt"]);
    check(|state| page(state).page.updated_at = late(state), &["updated_at_does_not_fit_receipt"]);
    check(
        |state| page(state).page.withdrawn_at = Some(late(state)),
        &["item_does_not_fit_page", "withdrawn_at_does_not_fit_receipt"],
    );
    let withdraw = |withdrawn_at: fn(UnixMillis) -> UnixMillis| {
        move |state: &mut State| {
            again(state, |receipt| receipt.kind = CommitKind::Withdraw);
            item(state).state = ItemState::Withdrawn;
            let page = &mut page(state).page;
            page.withdrawn_at = Some(withdrawn_at(page.updated_at));
        }
    };
    check(withdraw(|at| at), &[]);
    check(withdraw(|at| at.plus(1)), &["withdrawn_at_does_not_fit_receipt"]);
}

#[test]
fn missing_revisions_are_told_as_ranges_and_with_the_page_that_lacks_a_receipt() {
    let check = |spoil: fn(&mut State), expected: &[(&str, &str, &str)]| {
        let mut state = sound();
        spoil(&mut state);
        let found = state.violations();
        let missing = found.iter().filter(|it| it.rule.starts_with("revision_"));
        let told: Vec<_> = missing
            .map(|it| {
                let rows: Vec<_> = it.rows.iter().map(ToString::to_string).collect();
                (it.rule.as_str(), it.subject.as_str(), rows.join(" "))
            })
            .collect();
        let told: Vec<_> =
            told.iter().map(|(rule, subject, rows)| (*rule, *subject, rows.as_str())).collect();
        assert_eq!(told, expected);
    };
    check(
        |state| state.publication_revision = Revision::new(4),
        &[("revision_missing", "revisions 2 to 4", "site_state/1")],
    );
    check(
        |state| {
            again(state, |_| ());
            state.receipts.remove(0);
        },
        &[("revision_missing", "revision 1", "answer_posts/7")],
    );
    check(
        |state| {
            again(state, |_| ());
            state.receipts.truncate(1);
        },
        &[("revision_missing", "revision 2", "answer_posts/7")],
    );
    check(
        |state| {
            again(state, |receipt| receipt.revision = Revision::new(5));
            state.publication_revision = Revision::new(2);
        },
        &[
            ("revision_missing", "revision 2", "site_state/1"),
            ("revision_surplus", "puzzle 7", "commit_receipts/c1 site_state/1"),
        ],
    );
}
