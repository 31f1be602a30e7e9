//! Random lives of a site, seen through a cache that breaks every promise of caches.
//!
//! It forgets nothing, and says of every entry that it is fresh for ever. Whatever is
//! served all the same must be what a site without a cache serves: names alone have to keep
//! old answers away, with any order of imports, edits, jobs and passing instants.

use crate::world::editor;
use fencepost_application::Expected;
use std::sync::Arc;

use async_trait::async_trait;
use fencepost_application::{Address, Counters, Resolutions, Settings, Site, Stop};
use fencepost_domain::{
    cache_key::CacheKey,
    puzzle::{ImportFile, ImportRow},
    time::UnixMillis,
};
use fencepost_ports::{
    Budget, CacheEntry, CacheError, EdgeCache, Job, NoCache, Stores,
    memory::{
        CountingTokens, EternalCache, InstantTimer, ManualClock, MemoryBlobs, MemoryStore, TableImages,
    },
};
use proptest::{prelude::*, sample::select};

use crate::world::{due, id, opens, photo, row, shown, url};

/// A cache that calls everything fresh.
#[derive(Default)]
struct Stubborn(EternalCache);

#[async_trait]
impl EdgeCache for Stubborn {
    async fn get(&self, key: &CacheKey) -> Result<Option<CacheEntry>, CacheError> {
        let found = self.0.get(key).await?;
        Ok(found.map(|entry| CacheEntry { fresh_until: UnixMillis::new(i64::MAX), ..entry }))
    }

    async fn put(&self, entry: &CacheEntry, lifetime_ms: i64) -> Result<(), CacheError> {
        self.0.put(entry, lifetime_ms).await
    }
}

#[derive(Clone, Debug)]
enum Step {
    Import { n: i64, day: i64, price: i64, photo: bool },
    Pass { ms: i64 },
    GoTo { instant: UnixMillis },
    Run,
    PreparePhotos,
    Withdraw { n: i64 },
    Reinstate { n: i64 },
    Republish { n: i64 },
    Reschedule { n: i64, due_at: UnixMillis },
    Pause { paused: bool },
}

const PUZZLES: i64 = 3;

fn step() -> impl Strategy<Value = Step> {
    let puzzle = 1..=PUZZLES;
    let instants: Vec<_> = (1..=5)
        .flat_map(|n| [opens(n), due(n), due(n).plus(7_200_000)])
        .flat_map(|it| [it.plus(-1_001), it.plus(-1), it, it.plus(1)])
        .collect();
    let due_at = select(vec![due(1), due(2), due(3), due(2).plus(7_200_000), due(4)]);
    prop_oneof![
        4 => (puzzle.clone(), 1..5_i64, 1..3_i64, any::<bool>())
            .prop_map(|(n, day, price, photo)| Step::Import { n, day, price, photo }),
        2 => select(vec![1, 999, 50_000, 280_000, 3_600_000]).prop_map(|ms| Step::Pass { ms }),
        6 => select(instants).prop_map(|instant| Step::GoTo { instant }),
        4 => Just(Step::Run),
        1 => Just(Step::PreparePhotos),
        2 => puzzle.clone().prop_map(|n| Step::Withdraw { n }),
        2 => puzzle.clone().prop_map(|n| Step::Reinstate { n }),
        2 => puzzle.clone().prop_map(|n| Step::Republish { n }),
        2 => (puzzle, due_at).prop_map(|(n, due_at)| Step::Reschedule { n, due_at }),
        1 => any::<bool>().prop_map(|paused| Step::Pause { paused }),
    ]
}

struct Life {
    clock: ManualClock,
    cached: Site,
    bare: Site,
}

impl Life {
    fn begin() -> Self {
        let clock = ManualClock::new(opens(1));
        let images = TableImages::new();
        for n in 1..=PUZZLES {
            images.set(url(n), Ok(photo(&url(n))));
        }
        let cached = Site {
            stores: Stores::of(Arc::new(MemoryStore::new(clock.clone()))),
            blobs: Arc::new(MemoryBlobs::new()),
            image_source: Arc::new(images),
            cache: Arc::new(Stubborn::default()),
            budget: Budget::unlimited(),
            resolutions: Resolutions::default(),
            counters: Counters::default(),
            outlet: None,
            tokens: Arc::new(CountingTokens::new("token")),
            timer: Arc::new(InstantTimer::new()),
            settings: Settings::default(),
        };
        let bare = Site { cache: Arc::new(NoCache), ..cached.clone() };
        Self { clock, cached, bare }
    }

    /// Takes a step. Whether the site lets it is not the question here.
    async fn take(&self, step: &Step) {
        let site = &self.bare;
        match step {
            Step::Import { n, day, price, photo } => {
                let image_url = photo.then(|| url(*n));
                let play_date = row(*day).play_date;
                let row = ImportRow { play_date, price_cents: *price, image_url, ..row(*n) };
                drop(site.import(&editor(), ImportFile { puzzles: vec![row] }).await);
            }
            Step::Pass { ms } => drop(self.clock.advance(*ms)),
            Step::GoTo { instant } => self.clock.set(*instant),
            Step::Run => drop(site.run_job(Job::Compensate, &Stop::default()).await),
            Step::PreparePhotos => drop(site.prepare_photos(&Stop::default()).await),
            Step::Withdraw { n } => drop(site.withdraw(&editor(), id(*n), Expected::ANYTHING).await),
            Step::Reinstate { n } => drop(site.reinstate(&editor(), id(*n), Expected::ANYTHING).await),
            Step::Republish { n } => drop(site.republish(&editor(), id(*n), Expected::ANYTHING).await),
            Step::Reschedule { n, due_at } => drop(site.reschedule(&editor(), id(*n), *due_at, None).await),
            Step::Pause { paused } => drop(site.set_paused(&editor(), *paused).await),
        }
    }

    /// Every address that there could be.
    async fn addresses(&self) -> Vec<Address> {
        let list = [None, Some(row(2).play_date.parse().unwrap())];
        let images = self.bare.stores.verifier.referenced_images(None, 9).await.unwrap();
        [Address::Home, Address::Feed, Address::Sitemap]
            .into_iter()
            .chain(list.map(|before| Address::Answers { before }))
            .chain((1..=PUZZLES + 1).map(|n| Address::Answer(id(n))))
            .chain(images.into_iter().map(|image| Address::Image { key: image.key, held: false }))
            .collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_site_with_a_stubborn_cache_answers_as_one_without(steps in prop::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let life = Life::begin();
            for (number, step) in steps.iter().enumerate() {
                life.take(step).await;
                for address in life.addresses().await {
                    let (cached, bare) = (shown(&life.cached, &address).await, shown(&life.bare, &address).await);
                    prop_assert_eq!(cached, bare, "{:?} after step {}, {:?}", address, number, step);
                }
            }
            Ok(())
        })?;
    }
}
