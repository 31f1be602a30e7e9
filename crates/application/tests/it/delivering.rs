//! Events are delivered at least once, under one key, whatever the receiver does.

use std::collections::BTreeSet;

use fencepost_application::{DeliveryReport, Expected, Stop, cost};
use fencepost_domain::{
    outbox::{CLAIM_MS, EventState, LONGEST_WAIT_MS, MOST_ATTEMPTS, OutboxTally},
    puzzle::ImportRow,
};
use fencepost_ports::{Budget, Job};
use serde_json::{Value, json};

use crate::{
    intercepted::Fate,
    receiver::{Manner, Receiver, header},
    world::{Worker, World, due, editor, id, row},
};

fn bare(n: i64) -> ImportRow {
    ImportRow { image_url: None, ..row(n) }
}

/// A world in which somebody listens, and puzzles `1..=last` are due.
async fn listening(last: i64) -> World {
    let world = World::new().await;
    world.import((1..=last).map(bare)).await;
    // Whoever listens first sets the beginning.
    deliver(&worker(&world, "first", &Receiver::new([])).await).await;
    world.clock.set(due(last));
    world
}

async fn worker(world: &World, name: &str, receiver: &std::sync::Arc<Receiver>) -> Worker {
    let mut worker = world.worker(name).await;
    worker.site.outlet = receiver.outlet();
    worker
}

async fn deliver(worker: &Worker) -> DeliveryReport {
    worker.site.deliver_events(&Stop::default()).await.unwrap()
}

/// Publishes what is due, and delivers nothing.
async fn publish(world: &World) {
    world.worker("press").await.run(Job::Publish).await;
}

/// The keys of all commits, as their receipts have them.
async fn expected_keys(world: &World) -> BTreeSet<String> {
    let sql = "SELECT kind || '-' || puzzle_id || '-v' || content_version AS key FROM commit_receipts";
    world.rows(sql).await.iter().map(|row| row.trim_start_matches("key=").to_owned()).collect()
}

async fn events(world: &World) -> Vec<String> {
    world.rows("SELECT event_id AS e, state AS s, attempts AS n FROM outbox ORDER BY number").await
}

/// Delivers, and lets time pass, until nothing is pending.
async fn exhaust(world: &World, worker: &Worker) {
    for _ in 0..200 {
        deliver(worker).await;
        if worker.site.outbox_tally().await.unwrap().pending == 0 {
            return;
        }
        world.clock.set(world.clock.now().plus(LONGEST_WAIT_MS));
    }
    panic!("events are pending for ever: {:?}", events(world).await);
}

#[tokio::test]
async fn a_notice_says_what_is_public_and_proves_who_speaks() {
    let world = listening(1).await;
    publish(&world).await;
    let receiver = Receiver::new([]);
    let worker = worker(&world, "worker", &receiver).await;
    deliver(&worker).await;
    worker.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    deliver(&worker).await;

    let [published, withdrawn] = receiver.notices().try_into().unwrap();
    let body: Value = serde_json::from_str(&published.body).unwrap();
    let expected = json!({
        "event": "published",
        "id": "publish-1-v1",
        "puzzle_id": 1,
        "content_version": 1,
        "revision": 1,
        "committed_at": due(1).to_string(),
        "url": "https://prices.example/answers/1",
    });
    assert_eq!(body, expected);
    assert_eq!(header(&published, "idempotency-key"), "publish-1-v1");
    assert_eq!(header(&published, "x-fencepost-event"), "published");
    let seconds = due(1).get() / 1_000;
    let signature = format!("t={seconds},v1=<{seconds}.{}>", published.body);
    assert_eq!(header(&published, "x-fencepost-signature"), signature);

    let body: Value = serde_json::from_str(&withdrawn.body).unwrap();
    let expected = json!({
        "event": "withdrawn",
        "id": "withdraw-1-v2",
        "puzzle_id": 1,
        "content_version": 2,
        "revision": 2,
        "committed_at": due(1).to_string(),
    });
    assert_eq!(body, expected, "what is withdrawn is nowhere to be read");
}

#[tokio::test]
async fn every_event_arrives_whatever_the_receiver_does_and_keeps_its_key() {
    use Manner::{AnswerLost, Status, Unreachable};
    let manners: [&[Manner]; 6] = [
        &[],
        &[Status(500), Status(503), Status(500), Status(429)],
        &[AnswerLost, AnswerLost, AnswerLost],
        &[Unreachable, Unreachable, Status(301)],
        &[Status(404), AnswerLost, Status(400), Unreachable, Status(200), AnswerLost],
        &[Status(500); 40],
    ];
    for manners in manners {
        let world = listening(3).await;
        publish(&world).await;
        let receiver = Receiver::new(manners.iter().copied());
        let worker = worker(&world, "worker", &receiver).await;
        worker.site.withdraw(&editor(), id(2), Expected::ANYTHING).await.unwrap();
        exhaust(&world, &worker).await;

        let expected = expected_keys(&world).await;
        assert_eq!(expected.len(), 4);
        assert_eq!(receiver.keys().into_iter().collect::<BTreeSet<_>>(), expected, "{manners:?}");
        for notice in receiver.notices() {
            let body: Value = serde_json::from_str(&notice.body).unwrap();
            assert_eq!(body["id"], header(&notice, "idempotency-key"));
            let same_key = receiver
                .notices()
                .into_iter()
                .filter(|other| header(other, "idempotency-key") == header(&notice, "idempotency-key"));
            assert!(same_key.into_iter().all(|other| other.body == notice.body), "one key, one body");
        }
        assert_eq!(worker.site.outbox_tally().await, Ok(OutboxTally::default()), "{manners:?}");
    }
}

#[tokio::test]
async fn a_receiver_that_fails_is_left_alone_until_the_next_look() {
    let world = listening(3).await;
    publish(&world).await;
    let receiver = Receiver::new([Manner::Status(500)]);
    let worker = worker(&world, "worker", &receiver).await;
    assert_eq!(deliver(&worker).await, DeliveryReport { delivered: 0, failed: 1 });
    assert_eq!(receiver.keys(), ["publish-1-v1"]);
    assert_eq!(deliver(&worker).await, DeliveryReport { delivered: 2, failed: 0 });
    assert_eq!(receiver.keys(), ["publish-1-v1", "publish-2-v1", "publish-3-v1"], "nothing waits behind it");
    assert_eq!(deliver(&worker).await, DeliveryReport::default(), "the first waits its time");
}

#[tokio::test]
async fn whoever_is_killed_between_sending_and_recording_leaves_the_event_to_the_next() {
    let world = listening(1).await;
    publish(&world).await;
    let receiver = Receiver::new([Manner::Hanging]);
    let killed = worker(&world, "killed", &receiver).await;
    tokio::select! {
        _ = deliver(&killed) => panic!("the receiver answered"),
        () = receiver.reached() => {}
    }
    let next = worker(&world, "next", &receiver).await;
    world.clock.set(due(1).plus(CLAIM_MS - 1));
    assert_eq!(deliver(&next).await, DeliveryReport::default(), "it is claimed");
    world.clock.set(due(1).plus(CLAIM_MS));
    assert_eq!(deliver(&next).await, DeliveryReport { delivered: 1, failed: 0 });
    assert_eq!(receiver.keys(), ["publish-1-v1"; 2], "twice, and under one key");
    assert_eq!(events(&world).await, ["e=publish-1-v1 s=delivered n=2"]);
}

#[tokio::test]
async fn nothing_is_sent_for_a_commit_that_did_not_happen() {
    let world = listening(2).await;
    let undo = "CREATE TRIGGER undo AFTER INSERT ON commit_receipts WHEN NEW.puzzle_id = 1
                BEGIN SELECT RAISE(ABORT, 'rolled back'); END";
    world.execute(undo).await;
    let receiver = Receiver::new([]);
    let worker = worker(&world, "worker", &receiver).await;
    worker.run(Job::Publish).await;
    assert_eq!(receiver.keys(), ["publish-2-v1"]);
    assert_eq!(events(&world).await, ["e=publish-2-v1 s=delivered n=1"]);
    let forged = "INSERT INTO outbox (event_id, kind, puzzle_id, content_version, revision, happened_at,
                    created_at, next_attempt_at) VALUES ('x', 'published', 1, 1, 7, 0, 0, 0)";
    let forging = tokio::spawn(async move { world.execute(forged).await });
    assert!(forging.await.is_err(), "there is no event without a receipt");
}

#[tokio::test]
async fn many_workers_at_once_send_each_event_once() {
    const EVENTS: i64 = 12;
    let world = listening(EVENTS).await;
    publish(&world).await;
    let receiver = Receiver::new([]);
    let mut workers = tokio::task::JoinSet::new();
    for n in 0..4 {
        let worker = worker(&world, &format!("worker-{n}"), &receiver).await;
        workers.spawn(async move { deliver(&worker).await.delivered });
    }
    let delivered: Vec<u32> = workers.join_all().await;
    assert_eq!(delivered.iter().sum::<u32>(), 12, "{delivered:?}");
    let mut keys = receiver.keys();
    keys.sort();
    let expected: Vec<_> = expected_keys(&world).await.into_iter().collect();
    assert_eq!(keys, expected, "each once");
}

#[tokio::test]
async fn whatever_the_store_loses_every_event_arrives() {
    for fate in [Fate::RequestLost, Fate::AnswerLost, Fate::Busy, Fate::Refused] {
        for lost in 0..12 {
            let world = listening(2).await;
            publish(&world).await;
            let receiver = Receiver::new([]);
            let decide = move |number| if number == lost { fate } else { Fate::Answered };
            let mut invocation = world.lossy_invocation("lossy", Budget::unlimited(), decide).await;
            invocation.site.outlet = receiver.outlet();
            invocation.site.deliver_events_if_possible(&Stop::default()).await;
            let worker = worker(&world, "later", &receiver).await;
            exhaust(&world, &worker).await;
            let keys: BTreeSet<_> = receiver.keys().into_iter().collect();
            assert_eq!(keys, expected_keys(&world).await, "{fate:?} of call {lost}");
            let sent = receiver.keys().len();
            assert!(sent <= 3, "{fate:?} of call {lost}: sent {sent} times");
        }
    }
}

#[tokio::test]
async fn an_event_that_fails_for_two_days_is_dead_until_somebody_retries_it() {
    let world = listening(1).await;
    publish(&world).await;
    let attempts = usize::try_from(MOST_ATTEMPTS).unwrap();
    let receiver = Receiver::new(vec![Manner::Status(500); attempts]);
    let worker = worker(&world, "worker", &receiver).await;
    exhaust(&world, &worker).await;
    assert_eq!(worker.site.outbox_tally().await, Ok(OutboxTally { pending: 0, dead: 1 }));
    assert_eq!(receiver.keys().len(), attempts);

    let [dead] = worker.site.events(Some(EventState::Dead), None).await.unwrap().try_into().unwrap();
    let retried = worker.site.retry_event(&editor(), &dead.event.event_id).await.unwrap().unwrap();
    assert_eq!((retried.state, retried.attempts), (EventState::Pending, 0));
    assert_eq!(deliver(&worker).await, DeliveryReport { delivered: 1, failed: 0 });
    assert_eq!(worker.site.outbox_tally().await, Ok(OutboxTally::default()));
}

#[tokio::test]
async fn a_receiver_that_wants_no_more_is_not_asked_again() {
    let world = listening(1).await;
    publish(&world).await;
    let receiver = Receiver::new([Manner::Status(410)]);
    let worker = worker(&world, "worker", &receiver).await;
    exhaust(&world, &worker).await;
    assert_eq!(events(&world).await, ["e=publish-1-v1 s=dead n=1"]);
    assert_eq!(receiver.keys().len(), 1);
}

#[tokio::test]
async fn without_a_receiver_nothing_is_enqueued_and_later_nothing_of_the_past_is_told() {
    let world = World::new().await;
    world.import([bare(1), bare(2)]).await;
    world.clock.set(due(1));
    let report = world.worker("deaf").await.run(Job::Publish).await;
    assert_eq!(report.deliveries, None);
    assert_eq!((world.count("outbox").await, world.count("outbox_cursor").await), (0, 0));

    let receiver = Receiver::new([]);
    let worker = worker(&world, "worker", &receiver).await;
    assert_eq!(worker.run(Job::Publish).await.deliveries, Some(DeliveryReport::default()));
    world.clock.set(due(2));
    let told = DeliveryReport { delivered: 1, failed: 0 };
    assert_eq!(worker.run(Job::Publish).await.deliveries, Some(told));
    assert_eq!(receiver.keys(), ["publish-2-v1"]);
}

#[tokio::test]
async fn a_run_is_at_its_end_before_anything_is_sent() {
    let world = listening(1).await;
    let receiver = Receiver::new([Manner::Hanging]);
    let killed = worker(&world, "killed", &receiver).await;
    tokio::select! {
        _ = killed.run(Job::Publish) => panic!("the receiver answered"),
        () = receiver.reached() => {}
    }
    let unfinished = "SELECT run_id FROM job_runs WHERE finished_at IS NULL";
    assert_eq!(world.rows(unfinished).await, [""; 0]);
}

#[tokio::test]
async fn a_delivery_costs_what_is_reckoned_with() {
    let world = listening(1).await;
    publish(&world).await;
    let budget = Budget::of(50);
    let receiver = Receiver::within(budget.clone(), []);
    let mut invocation = world.invocation("worker", budget.clone()).await;
    invocation.site.outlet = receiver.outlet();
    invocation.site.deliver_events(&Stop::default()).await.unwrap();
    let calls = [
        ("outbox/work", cost::LOOK_FOR_EVENTS),
        ("outbox/read_cursor", cost::ENQUEUE),
        ("outbox/read_claim", cost::CLAIM_EVENT),
        ("outbox/read_entry", cost::RECORD_DELIVERY),
        // Nothing else is due.
        ("outbox/read_claim", cost::CLAIM_EVENT),
    ];
    assert_eq!(invocation.calls(), calls);
    let around = cost::LOOK_FOR_EVENTS + cost::ENQUEUE + cost::CLAIM_EVENT;
    assert_eq!(budget.spent(), around + cost::DELIVERY);
}

#[tokio::test]
async fn deliveries_take_what_a_run_leaves_and_no_more() {
    let world = listening(6).await;
    let mut told = Vec::new();
    for run in 0..4 {
        let budget = Budget::of(50);
        let receiver = Receiver::within(budget.clone(), []);
        let mut invocation = world.invocation(&format!("run-{run}-"), budget.clone()).await;
        invocation.site.outlet = receiver.outlet();
        let report = invocation.site.run_job(Job::Publish, &Stop::default()).await.unwrap();
        assert!(budget.spent() <= 50);
        told.push((report.items.len(), receiver.keys().len()));
    }
    assert_eq!(told, [(4, 0), (2, 3), (0, 3), (0, 0)], "published and told");
}
