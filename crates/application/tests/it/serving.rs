//! Pages come from a cache that forgets nothing, and are never old.

use std::sync::Arc;

use fencepost_application::{Address, Served, Site};
use fencepost_domain::{calendar::LONGEST_LIFETIME_MS, image::ImageKey, time::UnixMillis};
use fencepost_ports::{
    CacheError, EdgeCache, Job, NoCache, Retry,
    memory::MemoryBlobs,
    mock::{MockAnswerPosts, MockEdgeCache},
};

use crate::world::{Worker, World, due, id, opens, row, shown, space, spell_out};

const LIST: Address = Address::Answers { before: None };

/// Asks a site that can read time and revision, but no content.
async fn hit(worker: &Worker, address: &Address) -> Served {
    let mut site = worker.site.clone();
    site.stores.posts = Arc::new(MockAnswerPosts::new());
    site.serve_page(&space(), address, |_| panic!("rendered again")).await.unwrap()
}

async fn published() -> (World, Worker) {
    let world = World::with_finished(1).await;
    let worker = world.worker("worker").await;
    worker.run(Job::Publish).await;
    (world, worker)
}

#[tokio::test]
async fn a_hit_reads_time_and_revision_and_nothing_else() {
    let (world, worker) = published().await;
    world.import([row(3)]).await;
    for address in [Address::Home, LIST, Address::Answer(id(1)), Address::Answer(id(3))] {
        world.clock.set(opens(3).plus(3_600_000));
        let first = worker.site.serve_page(&space(), &address, spell_out).await.unwrap();
        world.clock.advance(30_000);
        let again = hit(&worker, &address).await;
        assert_eq!(again.answer, first.answer, "{address:?}");
        assert_eq!(again.now, first.now.plus(30_000), "the present, not that of the entry");
    }
}

#[tokio::test]
async fn a_page_that_is_not_out_yet_is_never_served_from_its_instant_on() {
    let world = World::new().await;
    world.import([row(1)]).await;
    let worker = world.worker("worker").await;
    let at = async |now: UnixMillis, expected: &str| {
        world.clock.set(now);
        let answer = worker.answer(1).await;
        assert!(answer.contains(expected), "at {now}: {answer}");
    };
    at(opens(1).plus(-1), "Unknown").await;
    at(opens(1), "NotYet").await;
    at(due(1).plus(-2_000), "NotYet").await;
    at(due(1).plus(-1), "NotYet").await;
    at(due(1), "Late").await;
    worker.run(Job::Publish).await;
    at(due(1), "Public").await;
    assert!(world.cache.entries().len() >= 4, "the cache was in use");
}

#[tokio::test]
async fn every_change_is_seen_by_the_next_request_on_every_page() {
    let (world, worker) = published().await;
    world.import([row(2), row(3)]).await;
    world.clock.set(opens(3).plus(3_600_000));
    let mut before = pages(&worker.site).await;
    let mut changed = async |what: &str, expected: [bool; 4]| {
        let after = pages(&worker.site).await;
        let fresh = pages(&uncached(&worker)).await;
        assert_eq!(after, fresh, "{what}");
        let differs: Vec<_> = before.iter().zip(&after).map(|(before, after)| before != after).collect();
        assert_eq!(differs, expected, "{what}: home, list, first answer, second answer");
        before = after;
    };
    worker.run(Job::Compensate).await;
    changed("a publication, and today's photo", [true, true, true, true]).await;
    worker.site.withdraw(id(1)).await.unwrap();
    changed("a withdrawal", [true, true, true, true]).await;
    worker.site.reinstate(id(1)).await.unwrap();
    changed("a reinstatement", [true, true, true, true]).await;
    world.import([fencepost_domain::puzzle::ImportRow { price_cents: 77, ..row(2) }]).await;
    changed("an edit that is not published again", [false; 4]).await;
    worker.site.republish(id(2)).await.unwrap();
    changed("an update", [true, true, false, true]).await;
    world.import([fencepost_domain::puzzle::ImportRow { name: "Renamed".to_owned(), ..row(3) }]).await;
    changed("an edit of today's puzzle", [true, false, false, false]).await;
    worker.site.withdraw(id(3)).await.unwrap();
    changed("today's puzzle taken back", [true, false, false, false]).await;
}

/// Home, list, first and second answer.
async fn pages(site: &Site) -> Vec<String> {
    let mut pages = Vec::new();
    for address in [Address::Home, LIST, Address::Answer(id(1)), Address::Answer(id(2))] {
        pages.push(shown(site, &address).await);
    }
    pages
}

fn uncached(worker: &Worker) -> Site {
    Site { cache: Arc::new(NoCache), ..worker.site.clone() }
}

#[tokio::test]
async fn a_late_import_and_a_reschedule_are_seen_at_once() {
    let world = World::new().await;
    let worker = world.worker("worker").await;
    world.clock.set(opens(1).plus(1));
    assert!(worker.answer(1).await.contains("Unknown"));
    assert!(shown(&worker.site, &Address::Home).await.contains("today: None"));
    world.import([row(1)]).await;
    assert!(worker.answer(1).await.contains("NotYet"));
    assert!(shown(&worker.site, &Address::Home).await.contains("Item 1"));
    worker.site.reschedule(id(1), due(5), None).await.unwrap();
    let served = worker.site.serve_page(&space(), &Address::Answer(id(1)), spell_out).await.unwrap();
    assert_eq!(served.answer.retry, Some(Retry::At(due(5))));
}

#[tokio::test]
async fn what_is_read_after_a_commit_is_kept_under_the_revision_of_the_commit() {
    let (world, worker) = published().await;
    // The request reads the revision, another worker withdraws, the request reads the page.
    let mut moments = fencepost_ports::mock::MockRevisionSource::new();
    let before = worker.site.moment().await.unwrap();
    moments.expect_moment().returning(move || Ok(before));
    world.worker("editor").await.site.withdraw(id(1)).await.unwrap();
    let mut late = worker.site.clone();
    late.stores.revisions = Arc::new(moments);
    let served = late.serve_page(&space(), &Address::Answer(id(1)), spell_out).await.unwrap();
    assert_eq!(served.answer.revision.get(), 2);
    let names: Vec<_> = world.cache.entries().keys().map(ToString::to_string).collect();
    assert!(names.len() == 1 && names[0].contains("/r2/"), "{names:?}");
    assert!(worker.answer(1).await.contains("Withdrawn"));
}

#[tokio::test]
async fn an_entry_is_not_used_after_it_says_itself_that_it_is_over() {
    let (world, worker) = published().await;
    let first = worker.site.serve_page(&space(), &Address::Answer(id(1)), spell_out).await.unwrap();
    assert_eq!(first.answer.fresh_until, first.now.plus(LONGEST_LIFETIME_MS));
    world.clock.set(first.answer.fresh_until);
    let again = worker.site.serve_page(&space(), &Address::Answer(id(1)), spell_out).await.unwrap();
    assert_eq!(again.answer.fresh_until, again.now.plus(LONGEST_LIFETIME_MS), "made anew");
    let home = worker.site.serve_page(&space(), &Address::Home, spell_out).await.unwrap();
    assert_eq!(home.answer.fresh_until, home.now.plus(60_000));
}

#[tokio::test]
async fn what_is_nowhere_is_not_kept() {
    let (world, worker) = published().await;
    world.import([row(9)]).await;
    for n in [9, 77] {
        assert!(worker.answer(n).await.contains("Unknown"));
    }
    assert_eq!(world.cache.entries().len(), 0);
}

#[tokio::test]
async fn nothing_is_kept_that_ends_within_a_second() {
    let world = World::new().await;
    world.import([row(1)]).await;
    let worker = world.worker("worker").await;
    world.clock.set(due(1).plus(-999));
    worker.answer(1).await;
    assert_eq!(world.cache.entries().len(), 0);
    world.clock.set(due(1).plus(-1_000));
    worker.answer(1).await;
    assert_eq!(world.cache.entries().len(), 1);
}

#[tokio::test]
async fn a_cache_that_fails_costs_nothing_but_time() {
    let (_world, worker) = published().await;
    let mut broken = MockEdgeCache::new();
    broken.expect_get().returning(|_| Err(CacheError("out of order".to_owned())));
    broken.expect_put().times(1).returning(|_, _, _| Err(CacheError("out of order".to_owned())));
    let cache: Arc<dyn EdgeCache> = Arc::new(broken);
    let site = Site { cache, ..worker.site.clone() };
    assert!(shown(&site, &Address::Answer(id(1))).await.contains("Public"));
}

#[tokio::test]
async fn a_photo_is_kept_while_something_shows_it() {
    let (world, worker) = published().await;
    let key = world.rows("SELECT image_key FROM answer_posts").await.remove(0);
    let key = key.trim_start_matches("image_key=").parse().unwrap();
    let photo = Address::Image { key, held: false };
    assert!(shown(&worker.site, &photo).await.contains("Bytes"));
    hit(&worker, &photo).await;
    worker.site.withdraw(id(1)).await.unwrap();
    assert!(shown(&worker.site, &photo).await.contains("Hidden"));
}

#[tokio::test]
async fn a_photo_that_the_client_has_is_not_read_and_not_kept() {
    let (world, worker) = published().await;
    let key = world.rows("SELECT image_key FROM answer_posts").await.remove(0);
    let key: ImageKey = key.trim_start_matches("image_key=").parse().unwrap();
    let held = Address::Image { key: key.clone(), held: true };
    let site = Site { blobs: Arc::new(MemoryBlobs::new()), ..worker.site.clone() };
    assert!(shown(&site, &held).await.contains("Held"));
    assert_eq!(world.cache.entries().len(), 0);
    shown(&worker.site, &Address::Image { key, held: false }).await;
    hit(&worker, &held).await;
}
