//! Once, whoever does it and whatever goes wrong.

use std::cmp::Ordering;

use fencepost_batch::{
    Committed, Store,
    faults::{Call, Fate, Faulty},
};
use fencepost_core::{StoreErrorKind, landing::Ended, time::UnixMillis};
use fencepost_site::{LEASE_MS, Post, Told, add, due, lease_key, publish};

use crate::world::{DUE, MIGRATIONS, PATIENCE, World, hello, run, worker};

#[tokio::test(flavor = "multi_thread")]
async fn two_workers_at_once_publish_once() {
    for _ in 0..20 {
        let world = World::new().await;
        let other = world.another().await;
        let (one, two) = tokio::join!(run(&world.store), run(&other));
        let told: Vec<_> = [one.unwrap(), two.unwrap()].into_iter().flatten().collect();
        let landed = told.iter().filter(|(_, ended)| matches!(ended, Ok(Some(Ended::Landed(1))))).count();
        assert_eq!((landed, world.state().await), (1, (1, 1, 1)), "{told:?}");
    }
}

/// The conditions that did not hold.
fn refused(ended: &Committed) -> String {
    let Ended::Refused(refusal) = ended else { panic!("{ended:?}") };
    refusal.to_string()
}

#[tokio::test]
async fn whoever_wakes_up_after_a_takeover_writes_nothing() {
    let world = World::new().await;
    let post = due(&world.store, 1).await.unwrap().remove(0);
    let key = lease_key(&post.slug);
    let sleeper = world.store.hold(&key, &worker(), LEASE_MS).await.unwrap().unwrap();
    assert_eq!(world.store.hold(&key, &worker(), LEASE_MS).await.unwrap(), None);

    world.at(DUE + LEASE_MS);
    let successor = world.store.hold(&key, &worker(), LEASE_MS).await.unwrap().unwrap();
    let late = publish(&world.store, PATIENCE, &sleeper, &post).await.unwrap();
    assert_eq!(refused(&late), "lease_owner, lease_fence");
    assert_eq!(world.state().await, (0, 0, 0));

    assert_eq!(publish(&world.store, PATIENCE, &successor, &post).await.unwrap(), Ended::Landed(1));
    let later = publish(&world.store, PATIENCE, &sleeper, &post).await.unwrap();
    assert_eq!(refused(&later), "lease_owner, lease_fence, lease_live, version");
    assert_eq!(world.state().await, (1, 1, 1));
}

/// What a run asks: what is due, whether it may take it in hand, and to commit.
const CALLS: u32 = 3;

/// Each call of a run, lost on the way there and on the way back.
#[tokio::test]
async fn a_lost_call_publishes_neither_twice_nor_never() {
    for fate in [Fate::LostOnTheWay, Fate::AnswerLost] {
        for lost in 1..=CALLS {
            let world = World::new().await;
            let decide =
                move |call: Call| async move { if call.number == lost { fate } else { Fate::Answered } };
            let store = Store::new(Faulty::new(world.another().await.into_runner(), decide));
            let told = run(&store).await.unwrap();
            assert_eq!(told, [("hello".to_owned(), Ok(Some(Ended::Landed(1))))], "call {lost}, {fate:?}");
            assert_eq!(world.state().await, (1, 1, 1), "call {lost}, {fate:?}");
            assert_eq!(world.run().await, []);
            assert!(store.runner().calls() > CALLS, "call {lost} was not made again or asked after");
        }
    }
}

/// Each batch in turn arrives late: after its run, or after the one that did the work in its stead.
/// The worker goes on, or it ends there and then.
#[tokio::test]
async fn a_batch_that_arrives_late_publishes_nothing_twice() {
    let mut arrived = 0;
    for late in 1..=CALLS {
        for (rest, finished) in [
            (Fate::Answered, false),
            (Fate::Answered, true),
            (Fate::LostOnTheWay, false),
            (Fate::LostOnTheWay, true),
        ] {
            let world = World::new().await;
            let decide = move |call: Call| async move {
                match call.number.cmp(&late) {
                    Ordering::Less => Fate::Answered,
                    Ordering::Equal => Fate::ArrivesLate,
                    Ordering::Greater => rest,
                }
            };
            let store = Store::new(Faulty::new(world.another().await.into_runner(), decide));
            drop(run(&store).await);
            let what = format!("call {late} arrives late, then {rest:?}, finished: {finished}");
            world.at(DUE + LEASE_MS);
            if finished {
                world.run().await;
                assert_eq!(world.state().await, (1, 1, 1), "{what}");
            }
            arrived += store.runner().arrive().await.len();
            world.at(DUE + 2 * LEASE_MS).run().await;
            assert_eq!(world.state().await, (1, 1, 1), "{what}");
        }
    }
    assert_eq!(arrived, 8, "taking it in hand and committing, four times each");
}

/// Before each call of a run, until somebody else has done its work.
#[tokio::test]
async fn whoever_sleeps_through_its_lease_publishes_nothing() {
    for at in 1..=CALLS {
        let world = World::new().await;
        let (runner, alarm) = Faulty::asleep_at(world.another().await.into_runner(), at);
        let store = Store::new(runner);
        let others = async {
            assert!(alarm.asleep().await, "there was no call {at}");
            let told = world.at(DUE + LEASE_MS).run().await;
            assert!(matches!(told[..], [(_, Ok(Some(Ended::Landed(1))))]), "{told:?}");
            alarm.wake();
        };
        let (told, ()) = tokio::join!(run(&store), others);
        let landed = |(_, ended): &Told| matches!(ended, Ok(Some(Ended::Landed(_))));
        assert!(!told.unwrap().iter().any(landed), "asleep at call {at}");
        assert_eq!(world.state().await, (1, 1, 1), "asleep at call {at}");
    }
}

#[test]
fn the_table_of_leases_is_the_one_that_the_statements_are_made_for() {
    assert!(MIGRATIONS[0].sql.contains(fencepost_batch::lease_store::SCHEMA));
}

#[tokio::test]
async fn nothing_is_published_a_millisecond_early() {
    let world = World::new().await;
    world.at(DUE - 1);
    assert_eq!(world.run().await, []);
    let lease = world.store.hold(&lease_key("hello"), &worker(), LEASE_MS).await.unwrap().unwrap();
    let early = publish(&world.store, PATIENCE, &lease, &hello()).await.unwrap();
    assert_eq!((&*refused(&early), world.state().await), ("is_due", (0, 0, 0)));
    let store = &world.at(DUE).store;
    let lease = store.hold(&lease_key("hello"), &worker(), LEASE_MS).await.unwrap().unwrap();
    assert_eq!(publish(store, PATIENCE, &lease, &hello()).await.unwrap(), Ended::Landed(1));
}

#[tokio::test]
async fn what_was_changed_in_between_is_not_published_as_it_was_read() {
    let (title, body) = ("Other".to_owned(), "Three.".to_owned());
    for changed in [Post { title, ..hello() }, Post { body, ..hello() }] {
        let world = World::new().await;
        let lease = world.store.hold(&lease_key("hello"), &worker(), LEASE_MS).await.unwrap().unwrap();
        assert!(add(&world.store, &changed, UnixMillis::new(DUE)).await.unwrap());
        let stale = publish(&world.store, PATIENCE, &lease, &hello()).await.unwrap();
        assert_eq!((&*refused(&stale), world.state().await), ("is_as_read", (0, 0, 0)));
    }
}

/// Readers would be served copies that were kept under the same revision before.
#[tokio::test]
async fn nothing_is_published_under_a_revision_that_has_been() {
    let world = World::new().await;
    for slug in ["second", "third"] {
        let post = Post { slug: slug.to_owned(), ..hello() };
        assert!(add(&world.store, &post, UnixMillis::new(DUE)).await.unwrap());
    }
    assert_eq!(world.run().await.len(), 3);
    let late = Post { slug: "late".to_owned(), ..hello() };
    assert!(add(&world.store, &late, UnixMillis::new(DUE)).await.unwrap());
    world.set_back(4).await;
    let told = world.run().await;
    assert!(matches!(&told[..], [(_, Err(error))] if error.kind() == StoreErrorKind::Assertion), "{told:?}");
    assert_eq!(world.state().await, (3, 3, -1));
}

#[tokio::test]
async fn what_is_out_stays_as_it_is() {
    let world = World::new().await;
    world.run().await;
    let page = world.get("/hello").await;
    assert!(page.body.contains("<h1>Hello &#38; welcome</h1>"), "{}", page.body);
    let other = Post { title: "Other".to_owned(), ..hello() };
    assert!(!add(&world.store, &other, UnixMillis::new(0)).await.unwrap());
    // A day later, when no copy is left.
    assert_eq!(world.at(DUE + 86_400_000).get("/hello").await, page);
}
