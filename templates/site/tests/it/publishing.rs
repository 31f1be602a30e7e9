//! Once, whoever does it and whatever goes wrong.

use std::sync::atomic::{AtomicUsize, Ordering};

use fencepost_batch::Store;
use fencepost_core::{landing::Ended, time::UnixMillis};
use fencepost_site::{LEASE_MS, Post, add, due, lease_key, publish};

use crate::world::{DUE, Lossy, Lost, MIGRATIONS, PATIENCE, World, hello, run, worker};

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
    assert_eq!(late, Ended::Refused(vec!["lease_owner", "lease_fence"]));
    assert_eq!(world.state().await, (0, 0, 0));

    assert_eq!(publish(&world.store, PATIENCE, &successor, &post).await.unwrap(), Ended::Landed(1));
    let later = publish(&world.store, PATIENCE, &sleeper, &post).await.unwrap();
    assert_eq!(later, Ended::Refused(vec!["lease_owner", "lease_fence", "lease_live", "version"]));
    assert_eq!(world.state().await, (1, 1, 1));
}

/// Each call of a run, lost on the way there and on the way back.
#[tokio::test]
async fn a_lost_call_publishes_neither_twice_nor_never() {
    for lost in [Lost::Request, Lost::Answer] {
        let mut nth = 0;
        loop {
            let world = World::new().await;
            let runner = Lossy {
                inner: world.another().await.into_runner(),
                lose: (nth, lost),
                calls: AtomicUsize::new(0),
            };
            let store = Store::new(runner);
            let told = run(&store).await.unwrap();
            assert_eq!(told, [("hello".to_owned(), Ok(Some(Ended::Landed(1))))], "call {nth}, {lost:?}");
            assert_eq!(world.state().await, (1, 1, 1), "call {nth}, {lost:?}");
            assert_eq!(world.run().await, []);
            if store.runner().calls.load(Ordering::SeqCst) <= nth {
                break;
            }
            nth += 1;
        }
        assert_eq!(nth, 3, "a run asks what is due, takes it in hand, and commits");
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
    assert_eq!((early, world.state().await), (Ended::Refused(vec!["is_due"]), (0, 0, 0)));
    let store = &world.at(DUE).store;
    let lease = store.hold(&lease_key("hello"), &worker(), LEASE_MS).await.unwrap().unwrap();
    assert_eq!(publish(store, PATIENCE, &lease, &hello()).await.unwrap(), Ended::Landed(1));
}

#[tokio::test]
async fn what_was_changed_in_between_is_not_published_as_it_was_read() {
    let world = World::new().await;
    let lease = world.store.hold(&lease_key("hello"), &worker(), LEASE_MS).await.unwrap().unwrap();
    let changed = Post { body: "Three.".to_owned(), ..hello() };
    assert!(add(&world.store, &changed, UnixMillis::new(DUE)).await.unwrap());
    let stale = publish(&world.store, PATIENCE, &lease, &hello()).await.unwrap();
    assert_eq!((stale, world.state().await), (Ended::Refused(vec!["is_as_read"]), (0, 0, 0)));
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
