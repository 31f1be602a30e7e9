//! Others are told when an alert begins and when it ends, once each.
//!
//! A receiver counts: whatever the store loses, whoever looks at once, and however often an
//! alert comes and goes, each edge has one key.

use std::{collections::BTreeSet, sync::Arc};

use fencepost_application::{DeliveryReport, Stop, cost};
use fencepost_domain::{
    catch_up::CatchUp,
    episode::{CALM_MS, Turned},
    outbox::EventKind,
    resolution::Resolution,
    time::DAY_MS,
};
use fencepost_ports::{Budget, Job};
use serde_json::{Value, json};

use crate::{
    intercepted::Fate,
    receiver::{Manner, Receiver, header},
    world::{Worker, World, due, editor, row},
};

const HOUR_MS: i64 = 3_600_000;
const ALERTS: [EventKind; 2] = [EventKind::AlertRaised, EventKind::AlertCleared];

async fn worker(world: &World, name: &str, receiver: &Arc<Receiver>) -> Worker {
    let mut worker = world.worker(name).await;
    worker.site.outlet = receiver.outlet_of(&ALERTS);
    worker
}

async fn deliver(worker: &Worker) -> DeliveryReport {
    worker.site.deliver_events(&Stop::default()).await.unwrap()
}

/// A world in which all is well, and both jobs have run.
async fn well() -> World {
    let world = World::new().await;
    world.import([row(1), row(2), row(3)]).await;
    let worker = world.worker("before").await;
    worker.run(Job::Publish).await;
    worker.run(Job::Compensate).await;
    world
}

async fn pause(worker: &Worker, paused: bool) {
    worker.site.set_paused(&editor(), paused).await.unwrap();
}

#[tokio::test]
async fn a_notice_of_an_alert_says_what_it_means_and_when_it_ended() {
    let world = well().await;
    let (ended, receiver) = (world.clock.now(), Receiver::new([]));
    let worker = worker(&world, "worker", &receiver).await;
    world.clock.advance(2 * HOUR_MS + 1);
    let raised_at = world.clock.now();
    deliver(&worker).await;
    worker.run(Job::Compensate).await;
    world.clock.advance(CALM_MS);
    deliver(&worker).await;

    let [raised, cleared] = receiver.notices().try_into().unwrap();
    let mut body: Value = serde_json::from_str(&raised.body).unwrap();
    assert!(body["meaning"].as_str().unwrap().contains("longer than two of its intervals"));
    assert!(body["remedy"].as_str().unwrap().contains("Nothing starts the jobs"));
    for text in ["meaning", "remedy"] {
        body[text].take();
    }
    let mut expected = json!({
        "event": "alert_raised",
        "id": "alert-1-raised",
        "alert": "no_heartbeat",
        "severity": "alert",
        "job": "compensate",
        "since": ended.to_string(),
        "count": 1,
        "meaning": null,
        "remedy": null,
        "raised_at": raised_at.to_string(),
        "url": "https://prices.example/admin",
    });
    assert_eq!(body, expected);
    assert_eq!(header(&raised, "idempotency-key"), "alert-1-raised");
    assert_eq!(header(&raised, "x-fencepost-event"), "alert_raised");
    assert!(header(&raised, "x-fencepost-signature").ends_with(&format!(".{}>", raised.body)));

    let mut body: Value = serde_json::from_str(&cleared.body).unwrap();
    for text in ["meaning", "remedy"] {
        body[text].take();
    }
    expected["event"] = json!("alert_cleared");
    expected["id"] = json!("alert-1-cleared");
    expected["cleared_at"] = json!(world.clock.now().to_string());
    assert_eq!(body, expected);
}

#[tokio::test]
async fn where_nothing_has_changed_a_look_reads_once_and_writes_nothing() {
    let world = well().await;
    let before = world.everything().await;
    let budget = Budget::of(50);
    let receiver = Receiver::within(budget.clone(), []);
    let mut invocation = world.invocation("worker", budget.clone()).await;
    invocation.site.outlet = receiver.outlet_of(&ALERTS);
    assert_eq!(invocation.site.watch_alerts().await, Ok(Turned::default()));
    assert_eq!(invocation.calls(), [("alert_log/look", cost::LOOK_FOR_ALERTS)]);
    assert_eq!(world.everything().await, before);

    invocation.site.set_paused(&editor(), true).await.unwrap();
    let spent = budget.spent();
    assert_eq!(invocation.site.watch_alerts().await, Ok(Turned { raised: 1, cleared: 0 }));
    assert_eq!(budget.spent() - spent, cost::LOOK_FOR_ALERTS + cost::TELL_ALERTS);
}

#[tokio::test]
async fn where_nobody_is_told_of_alerts_nobody_looks() {
    let world = well().await;
    let receiver = Receiver::new([]);
    let mut deaf = world.worker("deaf").await;
    pause(&deaf, true).await;
    assert_eq!(deaf.site.watch_alerts().await, Ok(Turned::default()));
    deaf.site.outlet = receiver.outlet_of(&EventKind::PAGES);
    deliver(&deaf).await;
    assert_eq!(world.count("alert_episodes").await, 0);
    deaf.site.outlet = receiver.outlet_of(&ALERTS);
    deliver(&deaf).await;
    assert_eq!(receiver.keys(), ["alert-1-raised"], "what lasts is told to whoever listens later");
}

#[tokio::test]
async fn many_that_look_at_once_tell_each_edge_once() {
    let world = well().await;
    let receiver = Receiver::new([]);
    let mut looks: Vec<Worker> = Vec::new();
    for n in 0..4 {
        looks.push(worker(&world, &format!("worker-{n}"), &receiver).await);
    }
    for paused in [true, false] {
        pause(&looks[0], paused).await;
        for _ in 0..2 {
            let mut at_once = tokio::task::JoinSet::new();
            for look in &looks {
                let site = look.site.clone();
                at_once.spawn(async move { site.deliver_events(&Stop::default()).await.unwrap() });
            }
            at_once.join_all().await;
            world.clock.advance(CALM_MS);
        }
    }
    assert_eq!(receiver.keys(), ["alert-1-raised", "alert-1-cleared"]);
}

#[tokio::test]
async fn an_alert_that_comes_and_goes_all_day_tells_twice() {
    let world = well().await;
    let receiver = Receiver::new([]);
    let worker = worker(&world, "worker", &receiver).await;
    for minute in 0..100 {
        pause(&worker, minute % 2 == 0).await;
        deliver(&worker).await;
        world.clock.advance(60_000);
    }
    assert_eq!(receiver.keys(), ["alert-1-raised"]);
    world.clock.advance(CALM_MS);
    deliver(&worker).await;
    assert_eq!(receiver.keys(), ["alert-1-raised", "alert-1-cleared"]);
}

#[tokio::test]
async fn whatever_the_store_loses_each_edge_is_told_under_one_key() {
    for fate in [Fate::RequestLost, Fate::AnswerLost, Fate::Busy, Fate::Refused] {
        for lost in 0..8 {
            let world = well().await;
            let receiver = Receiver::new([]);
            let sound = worker(&world, "sound", &receiver).await;
            for paused in [true, false] {
                pause(&sound, paused).await;
                for _ in 0..2 {
                    let decide = move |number| if number == lost { fate } else { Fate::Answered };
                    let mut invocation = world.lossy_invocation("lossy", Budget::unlimited(), decide).await;
                    invocation.site.outlet = receiver.outlet_of(&ALERTS);
                    invocation.site.deliver_events_if_possible(&Stop::default()).await;
                    deliver(&sound).await;
                    world.clock.advance(CALM_MS);
                    deliver(&sound).await;
                }
            }
            let keys: BTreeSet<_> = receiver.keys().into_iter().collect();
            let expected = ["alert-1-raised", "alert-1-cleared"].map(str::to_owned);
            assert_eq!(keys, BTreeSet::from(expected), "{fate:?} of call {lost}");
            assert!(receiver.keys().len() <= 4, "{fate:?} of call {lost}: {:?}", receiver.keys());
        }
    }
}

#[tokio::test]
async fn every_notice_of_an_edge_has_one_key_and_one_body_whatever_the_receiver_does() {
    let world = well().await;
    let receiver = Receiver::new([Manner::Status(500), Manner::AnswerLost, Manner::Unreachable]);
    let worker = worker(&world, "worker", &receiver).await;
    pause(&worker, true).await;
    for _ in 0..6 {
        deliver(&worker).await;
        world.clock.advance(HOUR_MS / 6);
    }
    assert_eq!(receiver.keys(), ["alert-1-raised"; 3], "a failure, a lost answer, and success");
    let bodies: BTreeSet<_> = receiver.notices().into_iter().map(|notice| notice.body).collect();
    assert_eq!(bodies.len(), 1);
}

#[tokio::test]
async fn a_run_tells_what_had_gone_wrong_before_it_and_was_mended_by_it() {
    let world = well().await;
    let receiver = Receiver::new([]);
    let worker = worker(&world, "worker", &receiver).await;
    world.clock.set(due(1).plus(3 * HOUR_MS));
    worker.run(Job::Compensate).await;
    let told: Vec<Value> =
        receiver.notices().iter().map(|it| serde_json::from_str(&it.body).unwrap()).collect();
    let about: Vec<_> = told.iter().map(|it| (it["alert"].as_str().unwrap(), it["job"].as_str())).collect();
    assert_eq!(about, [("overdue", None), ("no_heartbeat", Some("compensate"))]);
    let overview = worker.site.status().await.unwrap();
    assert_eq!(worker.site.alerts(&overview), [], "all is well again");
    world.clock.advance(HOUR_MS);
    worker.run(Job::Compensate).await;
    let cleared: Vec<_> = receiver.keys().into_iter().skip(2).collect();
    assert_eq!(cleared, ["alert-1-cleared", "alert-2-cleared"]);
}

#[tokio::test]
async fn the_other_cron_notices_that_one_is_silent() {
    let world = World::new().await;
    let before = world.worker("before").await;
    before.run(Job::Publish).await;
    let receiver = Receiver::new([]);
    let worker = worker(&world, "worker", &receiver).await;
    for hour in 1..=60 {
        world.clock.advance(HOUR_MS);
        worker.run(Job::Compensate).await;
        let expected = if hour <= 48 { Vec::new() } else { vec!["alert-1-raised".to_owned()] };
        assert_eq!(receiver.keys(), expected, "hour {hour}");
    }
    let [raised] = receiver.notices().try_into().unwrap();
    let body: Value = serde_json::from_str(&raised.body).unwrap();
    assert_eq!((&body["alert"], &body["job"]), (&json!("no_heartbeat"), &json!("publish")));
}

#[tokio::test]
async fn a_run_that_does_not_learn_what_became_of_an_item_is_told_of() {
    let world = well().await;
    let receiver = Receiver::new([]);
    let worker = worker(&world, "worker", &receiver).await;
    worker.site.resolutions.count(Resolution::Unknown);
    deliver(&worker).await;
    assert_eq!(receiver.keys(), [""; 0], "what one process counted, the others do not see");
    world.execute("UPDATE job_runs SET counts = '{\"unknown\":1}' WHERE job = 'compensate'").await;
    deliver(&worker).await;
    let [raised] = receiver.notices().try_into().unwrap();
    let body: Value = serde_json::from_str(&raised.body).unwrap();
    assert_eq!((&body["alert"], &body["severity"]), (&json!("commits_unknown"), &json!("notice")));
    worker.run(Job::Compensate).await;
    world.clock.advance(CALM_MS);
    deliver(&worker).await;
    assert_eq!(receiver.keys(), ["alert-1-raised", "alert-1-cleared"]);
}

#[tokio::test]
async fn a_look_takes_no_call_that_an_item_needs() {
    for limit in cost::LEAST_BUDGET..=50 {
        let world = World::new().await;
        world.import([row(1)]).await;
        world.clock.set(due(1).plus(DAY_MS));
        let budget = Budget::of(limit);
        let receiver = Receiver::within(budget.clone(), []);
        let mut invocation = world.invocation("worker", budget.clone()).await;
        invocation.site.outlet = receiver.outlet_of(&ALERTS);
        let report = invocation.site.run_job(Job::Publish, &Stop::default()).await.unwrap();
        assert!(budget.spent() <= limit, "{limit}");
        assert_eq!(report.items.len(), 1, "{limit}: {report:?}");
    }
}

#[tokio::test]
async fn what_jobs_leave_alone_is_not_told_to_be_well() {
    let world = World::with_finished(1).await;
    let receiver = Receiver::new([]);
    let worker = worker(&world, "worker", &receiver).await;
    let policy = CatchUp { publish_late: false, skip_older_than: None };
    worker.site.set_catch_up(&editor(), policy, None).await.unwrap();
    world.clock.advance(DAY_MS);
    worker.run(Job::Publish).await;
    worker.run(Job::Compensate).await;
    assert_eq!(world.count("answer_posts").await, 0, "it is too late for jobs");
    let overview = worker.site.status().await.unwrap();
    assert_eq!((overview.overdue, overview.outstanding), (1, 0));
    assert!(!worker.site.alerts(&overview).is_empty(), "an answer is not out, and waits for a person");
}
