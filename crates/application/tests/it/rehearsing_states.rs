//! A dry run on one copy of a database, and a run on another: the same report.
//!
//! The states are drawn, item by item: with and without a photo, free, in somebody's hands,
//! left behind by the dead, blocked, resting, moved, out, taken back, unreadable, refused by
//! the database. Around them are a pause, a quota and what was published on the day.
//!
//! A dry run fetches no photo. So where a run had to, the two may part: what the dry run has
//! told of such an item is only that, and items behind one that did come out are not compared.

use crate::world::editor;
use fencepost_application::Expected;
use fencepost_application::{DryRunReport, ItemReport, RunReport, Settings, Stop};
use fencepost_domain::{
    guard::Predicate,
    id::OwnerId,
    image::{FailureKind, FetchFailure, ImageFormat, ImageKey},
    outcome::Outcome,
    puzzle::ImportRow,
};
use fencepost_ports::{ImageRecord, Job, SourceImages};
use proptest::{prelude::*, sample::select};

use crate::world::{LEASE_MS, World, due, id, row, url};

/// Whether the photo of an item is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Photo {
    None,
    Stored,
    Missing,
    Unavailable(FailureKind),
}

/// What has become of an item so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Past {
    Nothing,
    /// Somebody has it in hand.
    Held,
    /// Somebody had it in hand, and is gone.
    Abandoned,
    /// It was in hand before, and given back.
    Released,
    Blocked,
    Resting,
    Postponed,
    Published,
    TakenBack,
    WithdrawnUnpublished,
    Unreadable,
    /// The database refuses its receipt.
    Refused,
}

#[derive(Clone, Debug)]
struct State {
    items: Vec<(Photo, Past)>,
    paused: bool,
    daily_quota: i64,
    published_today: Option<(i64, i64)>,
}

fn state() -> impl Strategy<Value = State> {
    use Past::{
        Abandoned, Blocked, Held, Nothing, Postponed, Published, Refused, Released, Resting, TakenBack,
        Unreadable, WithdrawnUnpublished,
    };
    let photo = prop_oneof![
        3 => Just(Photo::None),
        5 => Just(Photo::Stored),
        1 => Just(Photo::Missing),
        1 => select(vec![FailureKind::Passing, FailureKind::Permanent]).prop_map(Photo::Unavailable),
    ];
    let past = prop_oneof![
        8 => Just(Nothing),
        6 => select(vec![
            Held, Abandoned, Released, Blocked, Resting, Postponed, Published, TakenBack,
            WithdrawnUnpublished, Unreadable, Refused,
        ]),
    ];
    // Whether the database would take the page of a photo that is not there yet shows in none of
    // the two reports alike.
    let item = (photo, past).prop_map(|item| match item {
        (Photo::Missing, Refused) => (Photo::Stored, Refused),
        item => item,
    });
    (
        proptest::collection::vec(item, 1..8),
        proptest::bool::weighted(0.1),
        prop_oneof![3 => Just(100), 2 => 0..6_i64],
        proptest::option::weighted(0.4, (0..4_i64, 0..6_i64)),
    )
        .prop_map(|(items, paused, daily_quota, published_today)| State {
            items,
            paused,
            daily_quota,
            published_today,
        })
}

impl State {
    async fn build(&self) -> World {
        let world = World::new().await;
        let numbered = || (1..).zip(&self.items);
        world
            .import(numbered().map(|(n, (photo, _))| match photo {
                Photo::None => ImportRow { image_url: None, ..row(n) },
                _ => row(n),
            }))
            .await;
        world.clock.set(due(i64::try_from(self.items.len()).unwrap()));
        let press = world.worker("press").await;
        for (n, (photo, past)) in numbered() {
            match photo {
                Photo::None | Photo::Missing => {}
                Photo::Stored => store_photo(&world, n).await,
                Photo::Unavailable(kind) => {
                    let message = "it answered 500".to_owned();
                    world.images.set(url(n), Err(FetchFailure { kind: *kind, message }));
                }
            }
            self.let_happen(&world, &press, n, *past).await;
        }
        if let Some((published, quota)) = self.published_today {
            // As many as were counted in truth, and some more.
            let day = world.clock.now().utc_day().get();
            world
                .execute(&format!(
                    "INSERT INTO daily_quotas (utc_day, published, quota) VALUES ({day}, {published}, {quota})
                     ON CONFLICT (utc_day) DO UPDATE SET published = published + {published}, quota = {quota}"
                ))
                .await;
        }
        world.execute(&format!("UPDATE site_state SET paused = {}", i64::from(self.paused))).await;
        world
    }

    async fn let_happen(&self, world: &World, press: &crate::world::Worker, n: i64, past: Past) {
        let now = world.clock.now().get();
        let lease = |owner: &str, fence: i64, expires_at: i64| {
            format!(
                "INSERT INTO job_leases (key, owner_id, fence, expires_at, updated_at)
                 VALUES ('publication:{n}', '{owner}', {fence}, {expires_at}, 0);"
            )
        };
        let item = |set: &str| format!("UPDATE publication_items SET {set} WHERE puzzle_id = {n};");
        let sql = match past {
            Past::Nothing => return,
            Past::Held => lease("other", 3, now + 1) + &item("state = 'processing'"),
            Past::Abandoned => lease("other", 3, now) + &item("state = 'processing'"),
            Past::Released => lease("other", 7, 0),
            Past::Blocked => item("state = 'blocked', attempts = 10, blocked_reason = 'a reason'"),
            Past::Resting => item(&format!("attempts = 1, next_attempt_at = {}", now + 60_000)),
            Past::Postponed => item(&format!("due_at = {}", now + 1)),
            Past::Published | Past::TakenBack => {
                press.site.publish_item(id(n), &OwnerId::new("press")).await.unwrap();
                if past == Past::TakenBack {
                    press.site.withdraw(&editor(), id(n), Expected::ANYTHING).await.unwrap();
                }
                return;
            }
            Past::WithdrawnUnpublished => item("state = 'withdrawn'"),
            Past::Unreadable => {
                format!("UPDATE puzzles SET play_date = 'yesterday{n}' WHERE puzzle_id = {n};")
            }
            Past::Refused => format!(
                "CREATE TRIGGER forbid_{n} BEFORE INSERT ON commit_receipts WHEN new.puzzle_id = {n}
                 BEGIN SELECT RAISE(ABORT, 'no receipt for puzzle {n}'); END;"
            ),
        };
        world.execute(&sql).await;
    }
}

async fn store_photo(world: &World, n: i64) {
    let (store, owner) = (world.store().await, OwnerId::new("press"));
    let seen = SourceImages::begin(&store, id(n), &owner, LEASE_MS).await.unwrap();
    let object_key = ImageKey::new([u8::try_from(n).unwrap(); 32], ImageFormat::Jpeg);
    let record = ImageRecord::Ready { image_url: url(n), object_key, bytes: 9 };
    store.record(&seen.lease_of(id(n), &owner).unwrap(), &record).await.unwrap();
}

/// What a dry run says of an item whose photo would have to be fetched.
fn awaits_photo(item: &ItemReport) -> bool {
    item.blocked_by == [Predicate::ImageReady] && item.outcome == Outcome::Conflict
}

fn compare(dry: &DryRunReport, real: &RunReport) {
    for (told, done) in dry.items.iter().zip(&real.items) {
        if !awaits_photo(told) {
            assert_eq!(told, done);
            continue;
        }
        assert_eq!(told.puzzle_id, done.puzzle_id);
        match done.outcome {
            Outcome::Published => return,
            _ => assert_eq!((done.outcome, &done.blocked_by), (Outcome::Blocked, &told.blocked_by)),
        }
    }
    assert_eq!(dry.items.len(), real.items.len());
    let ends = (real.revision, real.interrupted, real.utc_day, real.started_at);
    assert_eq!((dry.revision, dry.interrupted, dry.utc_day, dry.started_at), ends);
    if !dry.items.iter().any(awaits_photo) {
        assert_eq!(dry.counts, real.counts);
    }
}

async fn check(state: State) {
    let world = state.build().await;
    let (one, other) = (world.copy().await, world.copy().await);
    let settings = || Settings { daily_quota: state.daily_quota, ..Settings::default() };
    let before = one.everything().await;
    let dry = one.worker_with("worker", settings()).await;
    let told = dry.site.rehearse_job(Job::Publish, &Stop::default()).await.unwrap();
    assert_eq!(one.everything().await, before, "a dry run has changed something");
    let real = other.worker_with("worker", settings()).await.run(Job::Publish).await;
    compare(&told, &real);
    // Whoever trusted it and runs the job gets what was told, and not the other's luck.
    let after = one.worker_with("worker", settings()).await.run(Job::Publish).await;
    assert_eq!((after.items, after.revision), (real.items, real.revision));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_dry_run_on_one_copy_tells_what_a_run_on_another_does(state in state()) {
        tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(check(state));
    }
}
