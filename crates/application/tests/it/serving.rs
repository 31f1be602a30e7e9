//! Pages come from a cache that forgets nothing, and are never old.

use crate::world::editor;
use fencepost_application::Expected;
use std::{
    pin::Pin,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use fencepost_application::{Address, Served, Site, Stop};
use fencepost_domain::{
    cache_key::CacheKey, calendar::LONGEST_LIFETIME_MS, image::ImageKey, revision::SiteMoment,
    time::UnixMillis,
};
use fencepost_ports::{
    CacheEntry, CacheError, EdgeCache, Job, NoCache, Retry, RevisionSource, StoreError,
    memory::{EternalCache, MemoryBlobs},
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
    let answers = [Address::Answer(id(1)), Address::Answer(id(3))];
    for address in [Address::Home, LIST, Address::Feed, Address::Sitemap].into_iter().chain(answers) {
        world.clock.set(opens(3).plus(3_600_000));
        let first = worker.site.serve_page(&space(), &address, spell_out).await.unwrap();
        world.clock.advance(30_000);
        let again = hit(&worker, &address).await;
        assert_eq!(again.reply, first.reply, "{address:?}");
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
    let mut changed = async |what: &str, expected: [bool; 6]| {
        let after = pages(&worker.site).await;
        let fresh = pages(&uncached(&worker)).await;
        assert_eq!(after, fresh, "{what}");
        let differs: Vec<_> = before.iter().zip(&after).map(|(before, after)| before != after).collect();
        assert_eq!(differs, expected, "{what}: home, list, first answer, second answer, feed, sitemap");
        before = after;
    };
    worker.run(Job::Compensate).await;
    changed("a publication, and today's photo", [true; 6]).await;
    worker.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    changed("a withdrawal", [true; 6]).await;
    worker.site.reinstate(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    changed("a reinstatement", [true; 6]).await;
    world.import([fencepost_domain::puzzle::ImportRow { price_cents: 77, ..row(2) }]).await;
    changed("an edit that is not published again", [false; 6]).await;
    world.clock.advance(1);
    worker.site.republish(&editor(), id(2), Expected::ANYTHING).await.unwrap();
    changed("an update", [true, true, false, true, true, true]).await;
    world.import([fencepost_domain::puzzle::ImportRow { name: "Renamed".to_owned(), ..row(3) }]).await;
    changed("an edit of today's puzzle", [true, false, false, false, false, false]).await;
    worker.site.withdraw(&editor(), id(3), Expected::ANYTHING).await.unwrap();
    changed("today's puzzle taken back", [true, false, false, false, false, false]).await;
}

/// Home, list, first and second answer, feed, sitemap.
async fn pages(site: &Site) -> Vec<String> {
    let mut pages = Vec::new();
    let answers = [Address::Answer(id(1)), Address::Answer(id(2))];
    let addresses = [Address::Home, LIST].into_iter().chain(answers);
    for address in addresses.chain([Address::Feed, Address::Sitemap]) {
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
    assert!(shown(&worker.site, &Address::Home).await.contains("open: []"));
    world.import([row(1)]).await;
    assert!(worker.answer(1).await.contains("NotYet"));
    assert!(shown(&worker.site, &Address::Home).await.contains("Item 1"));
    worker.site.reschedule(&editor(), id(1), due(5), None).await.unwrap();
    let served = worker.site.serve_page(&space(), &Address::Answer(id(1)), spell_out).await.unwrap();
    assert_eq!(served.reply.retry, Some(Retry::At(due(5))));
}

#[tokio::test]
async fn what_is_read_after_a_commit_is_kept_under_the_revision_of_the_commit() {
    let (world, worker) = published().await;
    // The request reads the revision, another worker withdraws, the request reads the page.
    let mut moments = fencepost_ports::mock::MockRevisionSource::new();
    let before = worker.site.moment().await.unwrap();
    moments.expect_moment().returning(move || Ok(before));
    world.worker("editor").await.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    let mut late = worker.site.clone();
    late.stores.revisions = Arc::new(moments);
    let served = late.serve_page(&space(), &Address::Answer(id(1)), spell_out).await.unwrap();
    assert_eq!(served.reply.revision.get(), 2);
    let names: Vec<_> = world.cache.entries().keys().map(ToString::to_string).collect();
    assert!(names.len() == 1 && names[0].contains("/r2/"), "{names:?}");
    assert!(worker.answer(1).await.contains("Withdrawn"));
}

#[tokio::test]
async fn an_entry_is_not_used_after_it_says_itself_that_it_is_over() {
    let (world, worker) = published().await;
    let fresh_until = async |address: &Address| {
        let served = worker.site.serve_page(&space(), address, spell_out).await.unwrap();
        let entries = world.cache.entries();
        let entry = entries.values().find(|entry| entry.reply == served.reply).unwrap();
        (served.now, entry.fresh_until)
    };
    let answer = Address::Answer(id(1));
    let (now, over) = fresh_until(&answer).await;
    assert_eq!(over, now.plus(LONGEST_LIFETIME_MS));
    world.clock.set(over.plus(-1));
    assert_eq!(fresh_until(&answer).await.1, over, "still good");
    world.clock.set(over);
    assert_eq!(fresh_until(&answer).await.1, over.plus(LONGEST_LIFETIME_MS), "made anew");
    let (now, over) = fresh_until(&Address::Home).await;
    assert_eq!(over, now.plus(60_000));
}

/// A cache that hands over whatever it has, asked for or not.
struct Confused(Arc<EternalCache>);

#[async_trait]
impl EdgeCache for Confused {
    async fn get(&self, _: &CacheKey) -> Result<Option<CacheEntry>, CacheError> {
        Ok(self.0.entries().into_values().next())
    }

    async fn put(&self, entry: &CacheEntry, lifetime_ms: i64) -> Result<(), CacheError> {
        self.0.put(entry, lifetime_ms).await
    }
}

#[tokio::test]
async fn an_entry_of_something_else_is_not_used() {
    let (world, worker) = published().await;
    let site = Site { cache: Arc::new(Confused(world.cache.clone())), ..worker.site.clone() };
    for _ in 0..2 {
        assert!(shown(&site, &Address::Answer(id(1))).await.contains("Public"));
        assert!(shown(&site, &Address::Home).await.starts_with("Home"));
        assert!(shown(&site, &LIST).await.starts_with("Answers"));
    }
}

type Interlude = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A source of time and revision after whose every answer something happens, before the
/// request goes on to read content.
struct Interrupted {
    revisions: Arc<dyn RevisionSource>,
    interlude: Mutex<Option<Interlude>>,
}

#[async_trait]
impl RevisionSource for Interrupted {
    async fn moment(&self) -> Result<SiteMoment, StoreError> {
        let moment = self.revisions.moment().await;
        let interlude = self.interlude.lock().unwrap().take();
        if let Some(interlude) = interlude {
            interlude.await;
        }
        moment
    }
}

/// `worker`'s site, with something that happens between its next two reads.
fn interrupted(worker: &Worker, interlude: impl Future<Output = ()> + Send + 'static) -> Site {
    let mut site = worker.site.clone();
    site.stores.revisions = Arc::new(Interrupted {
        revisions: site.stores.revisions.clone(),
        interlude: Mutex::new(Some(Box::pin(interlude))),
    });
    site
}

#[tokio::test]
async fn a_request_that_straddles_an_instant_leaves_nothing_behind_for_later() {
    let world = World::new().await;
    world.import([row(1), row(2)]).await;
    let (worker, other) = (world.worker("worker").await, world.worker("other").await);
    for address in [Address::Answer(id(1)), Address::Home, LIST] {
        world.clock.set(due(1).plus(-2_000));
        let before = shown(&uncached(&worker), &address).await;
        // Behind the request's back the embargo ends, and the answer is published.
        let (clock, publisher) = (world.clock.clone(), other.site.clone());
        let site = interrupted(&worker, async move {
            clock.set(due(1));
            publisher.run_job(Job::Publish, &Stop::default()).await.unwrap();
        });
        assert_eq!(shown(&site, &address).await, before, "the request goes on as of its own instant");
        assert_eq!(shown(&worker.site, &address).await, shown(&uncached(&worker), &address).await);
        world.clock.set(due(1).plus(-1_500));
        assert_eq!(shown(&worker.site, &address).await, before, "nor does it leave anything for earlier");
        world.clock.set(due(1));
        worker.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap();
        worker.site.reinstate(&editor(), id(1), Expected::ANYTHING).await.unwrap();
    }
}

#[tokio::test]
async fn a_request_that_straddles_midnight_shows_the_day_on_which_it_began() {
    let world = World::new().await;
    world.import([row(1), row(2)]).await;
    let worker = world.worker("worker").await;
    world.clock.set(opens(2).plus(-2_000));
    let clock = world.clock.clone();
    let site = interrupted(&worker, async move { clock.set(opens(2)) });
    let home = shown(&site, &Address::Home).await;
    assert!(home.contains("Item 1") && !home.contains("Item 2"), "{home}");
    // Yesterday's puzzle is played on, beside today's.
    let home = shown(&worker.site, &Address::Home).await;
    assert!(home.contains("Item 2") && home.contains("Item 1"), "{home}");
    world.clock.set(due(1));
    let home = shown(&worker.site, &Address::Home).await;
    assert!(home.contains("Item 2") && !home.contains("Item 1"), "{home}");
    world.clock.set(opens(2).plus(-1));
    assert!(!shown(&worker.site, &Address::Home).await.contains("Item 2"), "nothing of tomorrow");
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
    broken.expect_put().times(1).returning(|_, _| Err(CacheError("out of order".to_owned())));
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
    worker.site.withdraw(&editor(), id(1), Expected::ANYTHING).await.unwrap();
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
