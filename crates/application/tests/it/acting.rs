//! What people do leaves a trace, and nobody undoes what they have not seen.

use fencepost_application::{Expected, RetryError, SetError, Stop};
use fencepost_domain::{
    catch_up::CatchUp,
    guard::Predicate,
    id::ContentVersion,
    ledger::ItemState,
    outcome::Outcome,
    puzzle::{ImportFile, validate_import},
};
use fencepost_ports::Job;

use crate::{
    intercepted::Fate,
    world::{World, due, editor, id, outcomes, row},
};

const ANYTHING: Expected = Expected::ANYTHING;

fn seen(state: ItemState, version: i64) -> Expected {
    Expected { state: Some(state), content_version: Some(ContentVersion::new(version)) }
}

/// What was done, oldest first: who, what, with whose answer, and what came of it.
async fn trace(world: &World) -> Vec<String> {
    world
        .rows("SELECT actor || ' ' || action || ' ' || coalesce(puzzle_id, '-') || ' ' || detail FROM operator_actions WHERE action <> 'import' ORDER BY rowid")
        .await
        .into_iter()
        .map(|row| row.split_once('=').unwrap().1.to_owned())
        .collect()
}

#[tokio::test]
async fn the_life_of_a_page_is_told_by_its_actions_and_the_job_is_not_among_them() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    worker.run(Job::Publish).await;
    worker.site.withdraw(&editor(), id(1), ANYTHING).await.unwrap();
    worker.site.withdraw(&editor(), id(1), ANYTHING).await.unwrap();
    worker.site.reinstate(&editor(), id(1), ANYTHING).await.unwrap();
    worker.site.republish(&editor(), id(1), ANYTHING).await.unwrap();
    worker.site.set_paused(&editor(), true).await.unwrap();
    worker.site.set_paused(&editor(), true).await.unwrap();
    worker.site.run_job_for(&editor(), Job::Publish, &Stop::default()).await.unwrap();
    worker.site.record_preview(&editor(), id(1), due(2)).await.unwrap();
    let expected = [
        r#"Ada withdraw 1 {"outcome":"withdrawn","revision":2,"version":2}"#.to_owned(),
        r#"Ada reinstate 1 {"outcome":"reinstated","revision":3,"version":3}"#.to_owned(),
        r#"Ada pause - {"from":0,"to":1}"#.to_owned(),
        r#"Ada run - {"job":"publish"}"#.to_owned(),
        format!(r#"Ada preview_link 1 {{"expires_at":{}}}"#, due(2).get()),
    ];
    assert_eq!(trace(&world).await, expected);
    let actions = worker.site.actions(None).await.unwrap();
    assert_eq!(actions.iter().filter(|action| action.reason.as_deref() == Some("a test")).count(), 6);
    let receipts = "SELECT count(*) AS n FROM commit_receipts AS r JOIN operator_actions AS o ON o.token = r.commit_token";
    assert_eq!(world.rows(receipts).await, ["n=2"], "a receipt and its trace have one token");
    worker.assert_sound().await;
}

#[tokio::test]
async fn an_action_whose_answers_are_lost_is_traced_once() {
    let world = World::with_finished(2).await;
    let press = world.worker("press").await;
    press.site.publish_item(id(1), &fencepost_domain::id::OwnerId::new("press")).await.unwrap();
    let worker = world.worker("editor").await;
    let mut lost = std::collections::BTreeSet::new();
    worker.store.decide(move |call, _| {
        let writes = ["commit", "set_paused", "withdraw_unpublished", "reschedule"].contains(&call);
        if writes && lost.insert(call) { Fate::AnswerLost } else { Fate::Answered }
    });
    worker.site.withdraw(&editor(), id(1), ANYTHING).await.unwrap();
    worker.site.set_paused(&editor(), true).await.unwrap();
    worker.site.reschedule(&editor(), id(2), due(3), None).await.unwrap();
    worker.site.withdraw(&editor(), id(2), ANYTHING).await.unwrap();
    let kinds: Vec<_> =
        trace(&world).await.iter().map(|it| it.split(' ').nth(1).unwrap().to_owned()).collect();
    assert_eq!(kinds, ["withdraw", "pause", "reschedule", "withdraw"]);
    worker.assert_sound().await;
}

#[tokio::test]
async fn nobody_changes_what_is_not_as_they_have_seen_it() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    worker.run(Job::Publish).await;
    let refused = async |expected| {
        let before = world.everything().await;
        let report = worker.site.withdraw(&editor(), id(1), expected).await.unwrap();
        assert_eq!(report.outcome, Outcome::Conflict, "{report:?}");
        assert!(report.detail.unwrap().contains("published now, with its page at version 1"));
        let report = worker.site.republish(&editor(), id(1), expected).await.unwrap();
        assert_eq!(report.outcome, Outcome::Conflict, "{report:?}");
        assert_eq!(world.everything().await, before);
    };
    refused(seen(ItemState::Published, 2)).await;
    refused(seen(ItemState::Scheduled, 1)).await;
    let withdrawn = worker.site.withdraw(&editor(), id(1), seen(ItemState::Published, 1)).await.unwrap();
    assert_eq!(withdrawn.outcome, Outcome::Withdrawn);
    let again = worker.site.withdraw(&editor(), id(1), seen(ItemState::Published, 1)).await.unwrap();
    assert_eq!(again.outcome, Outcome::Unchanged, "somebody wanted the same");
    let late = worker.site.reinstate(&editor(), id(1), seen(ItemState::Withdrawn, 1)).await.unwrap();
    assert_eq!(late.outcome, Outcome::Conflict);
    let back = worker.site.reinstate(&editor(), id(1), seen(ItemState::Withdrawn, 2)).await.unwrap();
    assert_eq!(back.outcome, Outcome::Reinstated);
}

#[tokio::test]
async fn what_changes_between_the_look_and_the_takeover_is_left_alone() {
    let world = World::with_finished(1).await;
    let (worker, other) = (world.worker("worker").await, world.worker("other").await);
    worker.run(Job::Publish).await;
    let site = other.site.clone();
    worker.store.before("take_over", async move {
        site.withdraw(&editor(), id(1), ANYTHING).await.unwrap();
        site.reinstate(&editor(), id(1), ANYTHING).await.unwrap();
    });
    let report = worker.site.withdraw(&editor(), id(1), seen(ItemState::Published, 1)).await.unwrap();
    assert_eq!(report.outcome, Outcome::Conflict, "{report:?}");
    assert_eq!(trace(&world).await.len(), 2);
    assert_eq!(world.rows("SELECT state FROM publication_items").await, ["state=published"]);
    worker.assert_sound().await;
}

#[tokio::test]
async fn a_blocked_item_is_retried_without_being_published() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    world.execute("UPDATE publication_items SET state = 'blocked', blocked_reason = 'x', attempts = 4").await;
    let stale = worker.site.retry(&editor(), id(1), seen(ItemState::Scheduled, 0)).await;
    assert!(matches!(stale, Err(RetryError::NotRetried(_))), "{stale:?}");
    let item = worker.site.retry(&editor(), id(1), seen(ItemState::Blocked, 0)).await.unwrap();
    assert_eq!((item.state, item.attempts, item.blocked_reason), (ItemState::Scheduled, 0, None));
    assert_eq!(trace(&world).await, [r#"Ada retry 1 {"attempts":4,"from":"blocked","to":"scheduled"}"#]);
    assert_eq!(world.count("answer_posts").await, 0);
    assert_eq!(outcomes(&worker.run(Job::Publish).await), [Outcome::Published]);
    let out = worker.site.retry(&editor(), id(1), ANYTHING).await;
    assert!(matches!(out, Err(RetryError::NotRetried(_))), "{out:?}");
    let unknown = worker.site.retry(&editor(), id(7), ANYTHING).await;
    assert_eq!(unknown, Err(RetryError::UnknownPuzzle(id(7))));
}

#[tokio::test]
async fn jobs_leave_alone_what_is_too_late_and_a_person_publishes_it() {
    let world = World::with_finished(3).await;
    let worker = world.worker("worker").await;
    let policy = CatchUp { publish_late: false, skip_older_than: None };
    assert_eq!(worker.site.set_catch_up(&editor(), policy, None).await, Ok(policy));
    let report = worker.run(Job::Publish).await;
    assert_eq!((outcomes(&report), report.left, report.interrupted), (vec![Outcome::Published], 0, false));
    assert_eq!(outcomes(&worker.run(Job::Compensate).await), [], "it is not looked at for ever");
    let explained = worker.site.item(id(1)).await.unwrap();
    let named: Vec<_> = explained.blocked_by.iter().map(|it| it.predicate).collect();
    assert_eq!(named, [Predicate::NotTooLate, Predicate::ImageReady]);

    let published = worker.site.republish(&editor(), id(1), seen(ItemState::Scheduled, 0)).await.unwrap();
    assert_eq!(published.outcome, Outcome::Published);
    let trace = trace(&world).await;
    assert_eq!(trace[1..], [r#"Ada republish 1 {"outcome":"published","revision":2,"version":1}"#]);
    worker.assert_sound().await;
}

#[tokio::test]
async fn a_setting_that_somebody_else_has_set_meanwhile_is_left_alone_and_told() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    let seen = Some(None);
    worker.site.set_quota(&editor(), Some(5), seen).await.unwrap();
    let late = worker.site.set_quota(&editor(), Some(9), seen).await;
    assert!(matches!(late, Err(SetError::NotSet(day)) if day.set_quota == Some(5)), "{late:?}");
    worker.site.set_quota(&editor(), Some(5), seen).await.expect("it is as they want it");

    let seen = Some(CatchUp::default());
    let [first, second] = [1, 2].map(|age| CatchUp { skip_older_than: Some(age), ..CatchUp::default() });
    worker.site.set_catch_up(&editor(), first, seen).await.unwrap();
    let late = worker.site.set_catch_up(&editor(), second, seen).await;
    assert_eq!(late, Err(SetError::NotSet(first)));
    assert_eq!(worker.site.set_catch_up(&editor(), first, seen).await, Ok(first));
    assert_eq!(trace(&world).await.len(), 2);
}

#[tokio::test]
async fn a_quota_set_by_hand_stops_a_run_and_lets_it_go_on() {
    let world = World::with_finished(3).await;
    let worker = world.worker("worker").await;
    let day = worker.site.set_quota(&editor(), Some(1), None).await.unwrap();
    assert_eq!((day.published, day.quota), (0, 1));
    let stopped = worker.run(Job::Publish).await;
    assert_eq!(outcomes(&stopped)[0], Outcome::Published);
    assert_eq!((stopped.left, world.count("answer_posts").await), (2, 1));
    worker.site.set_quota(&editor(), None, None).await.unwrap();
    worker.run(Job::Publish).await;
    assert_eq!(world.count("answer_posts").await, 3);
    worker.assert_sound().await;
}

#[tokio::test]
async fn what_was_new_in_a_preview_must_still_be_new() {
    let world = World::new().await;
    let worker = world.worker("worker").await;
    let rows = || validate_import(ImportFile { puzzles: vec![row(1)] }).unwrap();
    let previewed: Vec<_> =
        worker.site.preview_import(rows()).await.unwrap().into_iter().map(|(row, _)| row).collect();
    worker.site.import_rows(&editor(), rows()).await.unwrap();
    let error = worker.site.import_rows(&editor(), previewed).await.unwrap_err();
    assert!(error.to_string().contains("at odds with the bank"), "{error}");
}

#[tokio::test]
async fn a_reinstatement_is_only_wanted_of_the_withdrawal_that_was_seen() {
    let world = World::with_finished(1).await;
    let (worker, other) = (world.worker("worker").await, world.worker("other").await);
    worker.run(Job::Publish).await;
    worker.site.withdraw(&editor(), id(1), ANYTHING).await.unwrap();
    let site = other.site.clone();
    worker.store.before("take_over", async move {
        site.reinstate(&editor(), id(1), ANYTHING).await.unwrap();
        site.withdraw(&editor(), id(1), ANYTHING).await.unwrap();
    });
    let report = worker.site.reinstate(&editor(), id(1), seen(ItemState::Withdrawn, 2)).await.unwrap();
    assert_eq!(report.outcome, Outcome::Conflict, "{report:?}");
    assert_eq!(world.rows("SELECT state FROM publication_items").await, ["state=withdrawn"]);
    worker.assert_sound().await;
}

#[tokio::test]
async fn who_publishes_by_hand_says_why() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    let published = worker.site.republish(&editor(), id(1), ANYTHING).await.unwrap();
    assert_eq!(published.outcome, Outcome::Published);
    let why = "SELECT action, reason FROM operator_actions WHERE action <> 'import'";
    assert_eq!(world.rows(why).await, ["action=republish reason=a test"]);
}
