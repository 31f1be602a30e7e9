//! What became of commits that got no answer: in words, and in counts.

use crate::world::editor;
use fencepost_application::Expected;
use std::collections::BTreeMap;

use fencepost_application::{Doubt, Landed, Resolved, RunReport, Unanswered};
use fencepost_domain::{
    id::{CommitToken, ContentVersion},
    outcome::Outcome,
    resolution::Resolution,
    revision::Revision,
};
use fencepost_ports::{Job, StoreErrorKind};

use crate::{
    intercepted::Fate,
    warnings::Warnings,
    world::{LEASE_MS, Worker, World, due, id, outcomes},
};

/// Lets a fate befall the first commit, and another one every look for receipts.
fn befall(worker: &Worker, commit: Fate, trace: Fate) {
    let mut first = true;
    worker.store.decide(move |name, _| match name {
        "commit" if std::mem::take(&mut first) => commit,
        "trace" => trace,
        _ => Fate::Answered,
    });
}

/// What a run found out, which is all that its worker ever found out.
fn check(worker: &Worker, report: &RunReport, outcome: Outcome, resolutions: &[(Resolution, u64)]) {
    assert_eq!(outcomes(report), [outcome]);
    assert_eq!(report.ambiguous, resolutions.iter().copied().collect());
    assert_eq!(worker.site.resolutions.counts(), report.ambiguous, "the total");
}

/// Asks what became of the commits that a worker has attempted.
async fn resolve(worker: &Worker, content_version: i64) -> Resolved {
    let tokens = worker.store.commits().iter().map(|commit| commit.token.clone()).collect();
    let content_version = ContentVersion::new(content_version);
    let lease_ends = due(1).plus(LEASE_MS);
    worker.site.resolve(&Unanswered { puzzle_id: id(1), content_version, lease_ends, tokens }).await
}

/// The receipt of the first commit.
fn committed() -> Resolved {
    Resolved::Committed(Landed {
        content_version: ContentVersion::new(1),
        revision: Revision::new(1),
        committed_at: Some(due(1)),
    })
}

#[tokio::test]
async fn a_run_whose_commits_are_all_answered_counts_nothing() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    let report = worker.run(Job::Publish).await;
    check(&worker, &report, Outcome::Published, &[]);
    assert_eq!(serde_json::to_value(&report).unwrap()["ambiguous"], serde_json::json!({}));
}

#[tokio::test]
async fn an_attempt_that_landed_is_committed_however_late_it_is_asked_for() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    befall(&worker, Fate::AnswerLost, Fate::Answered);
    let report = worker.run(Job::Publish).await;
    check(&worker, &report, Outcome::Published, &[(Resolution::Committed, 1)]);
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["ambiguous"], serde_json::json!({"committed": 1}));

    // The page has changed since, and the lease is long over.
    world.worker("editor").await.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    world.clock.advance(LEASE_MS);
    assert_eq!(resolve(&worker, 0).await, committed());
    let total = BTreeMap::from([(Resolution::Committed, 2)]);
    assert_eq!((worker.site.resolutions.counts(), report.ambiguous.len()), (total, 1));
}

#[tokio::test]
async fn an_attempt_that_is_lost_is_not_seen_and_the_next_one_lands() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    befall(&worker, Fate::RequestLost, Fate::Answered);
    let report = worker.run(Job::Publish).await;
    check(&worker, &report, Outcome::Published, &[(Resolution::NotSeen, 1)]);
    worker.assert_sound().await;
}

#[tokio::test]
async fn an_attempt_that_somebody_else_was_quicker_than_is_superseded() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    befall(&worker, Fate::RequestLost, Fate::Answered);
    // Before the look at the receipts, an heir publishes the page.
    let (clock, heir) = (world.clock.clone(), world.worker("heir").await);
    worker.store.before("trace", async move {
        clock.advance(LEASE_MS);
        assert_eq!(outcomes(&heir.run(Job::Compensate).await), [Outcome::Published]);
    });

    let report = worker.run(Job::Publish).await;

    check(&worker, &report, Outcome::Conflict, &[(Resolution::Superseded, 1)]);
    assert_eq!(worker.store.commits().len(), 1, "no further attempt is made");
    assert_eq!(world.count("commit_receipts").await, 1);
    worker.assert_sound().await;
}

#[tokio::test]
async fn an_attempt_that_is_not_seen_when_its_lease_is_over_is_unknown_and_the_last_one() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    befall(&worker, Fate::RequestLost, Fate::Answered);
    let clock = world.clock.clone();
    worker.store.before("trace", async move {
        clock.advance(LEASE_MS);
    });

    let report = worker.run(Job::Publish).await;

    check(&worker, &report, Outcome::Unknown, &[(Resolution::Unknown, 1)]);
    assert_eq!(resolve(&worker, 0).await, Resolved::Unknown(Doubt::LeaseOver));
    assert_eq!(worker.store.commits().len(), 1, "no further attempt is made");
    assert_eq!(world.count("answer_posts").await, 0);
}

#[tokio::test]
async fn an_attempt_that_lands_between_look_and_retry_is_first_not_seen_and_then_committed() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    befall(&worker, Fate::RequestLost, Fate::Answered);
    // The interlude is laid when the receipts are looked at, so it comes right before the
    // second attempt: by then, the first one has arrived.
    let store = worker.store.clone();
    worker.store.before("trace", async move {
        let late = store.clone();
        store.before("commit", async move {
            let first = late.commits()[0].clone();
            late.commit_directly(&first).await;
        });
    });

    let report = worker.run(Job::Publish).await;

    let expected = [(Resolution::Committed, 1), (Resolution::NotSeen, 1)];
    check(&worker, &report, Outcome::Published, &expected);
    let [first, second] = &worker.store.commits()[..] else { panic!("two attempts") };
    let receipts = world.rows("SELECT commit_token FROM commit_receipts").await;
    assert_eq!(receipts, [format!("commit_token={}", first.token)]);
    assert_ne!(first.token, second.token);
    assert_eq!(report.items[0].revision, Some(Revision::new(1)));
    worker.assert_sound().await;
}

#[tokio::test]
async fn a_store_that_does_not_answer_the_question_either_leaves_it_open_and_the_next_attempt_settles_it() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    // The commit landed and its answer was lost; so is the answer to the first question,
    // however often it is put.
    let mut first = true;
    let mut looks = 0;
    worker.store.decide(move |name, _| match name {
        "commit" if std::mem::take(&mut first) => Fate::AnswerLost,
        "trace" => {
            looks += 1;
            if looks <= 4 { Fate::AnswerLost } else { Fate::Answered }
        }
        _ => Fate::Answered,
    });

    let report = worker.run(Job::Publish).await;

    let expected = [(Resolution::Committed, 1), (Resolution::Unknown, 1)];
    check(&worker, &report, Outcome::Published, &expected);
    assert_eq!(worker.store.commits().len(), 2);
    assert_eq!(world.count("commit_receipts").await, 1, "the second attempt was refused");
    worker.assert_sound().await;
}

#[tokio::test]
async fn a_question_that_is_never_answered_ends_as_unknown_whatever_the_error_says() {
    for fate in [Fate::RequestLost, Fate::AnswerLost, Fate::Refused] {
        let world = World::with_finished(1).await;
        let worker = world.worker("worker").await;
        befall(&worker, Fate::AnswerLost, fate);

        let report = worker.run(Job::Publish).await;

        // The second attempt is refused, since the first one has landed; and why that is,
        // nobody says.
        check(&worker, &report, Outcome::Unknown, &[(Resolution::Unknown, 2)]);
        let item = "SELECT state, attempts FROM publication_items";
        assert_eq!(world.rows(item).await, ["state=published attempts=0"], "{fate:?}");
        let Resolved::Unknown(Doubt::Silence(error)) = resolve(&worker, 0).await else { panic!("{fate:?}") };
        assert_eq!(error.kind(), StoreErrorKind::Unknown, "{fate:?}");
        worker.store.decide(|_, _| Fate::Answered);
        assert_eq!(resolve(&worker, 0).await, committed(), "{fate:?}");
        worker.assert_sound().await;
    }
}

#[tokio::test]
async fn nothing_is_seen_of_an_attempt_that_was_never_made() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    let lease_ends = due(1).plus(1);
    let never = |content_version| Unanswered {
        puzzle_id: id(1),
        content_version: ContentVersion::new(content_version),
        lease_ends,
        tokens: vec![CommitToken::new("never")],
    };
    assert_eq!(worker.site.resolve(&never(0)).await, Resolved::NotSeen);
    assert_eq!(worker.site.resolve(&never(1)).await, Resolved::Superseded);
    world.clock.advance(1);
    assert_eq!(worker.site.resolve(&never(0)).await, Resolved::Unknown(Doubt::LeaseOver));
    assert_eq!(worker.site.resolve(&never(1)).await, Resolved::Superseded, "a version says more");
    let total = [(Resolution::Superseded, 2), (Resolution::NotSeen, 1), (Resolution::Unknown, 1)];
    assert_eq!(worker.site.resolutions.counts(), BTreeMap::from(total));
}

#[tokio::test]
async fn an_operators_change_counts_in_the_total_and_in_no_run() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    check(&worker, &worker.run(Job::Publish).await, Outcome::Published, &[]);
    befall(&worker, Fate::AnswerLost, Fate::Answered);
    let report = worker.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    assert_eq!((report.outcome, report.content_version), (Outcome::Withdrawn, Some(ContentVersion::new(2))));
    assert_eq!(worker.site.resolutions.counts(), BTreeMap::from([(Resolution::Committed, 1)]));
    let next = worker.run(Job::Compensate).await;
    assert_eq!(next.ambiguous, BTreeMap::new());
}

#[test]
fn a_resolution_is_the_same_word_in_a_log_and_in_a_report() {
    for resolution in Resolution::ALL {
        assert_eq!(serde_json::to_value(resolution).unwrap(), resolution.as_str());
    }
}

#[tokio::test]
async fn every_resolution_is_warned_of_by_its_word() {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    befall(&worker, Fate::RequestLost, Fate::Answered);
    let warnings = Warnings::of_field("resolution");
    let listening = warnings.listen();
    worker.run(Job::Publish).await;
    drop(listening);
    assert_eq!(warnings.take(), ["not_seen"]);
}
