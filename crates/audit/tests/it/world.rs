//! A site with one item in every state, which is asked without a network, and by a clock that
//! stands still. A leak can be planted in front of it.

use fencepost_application::Expected;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use axum::{
    Router,
    body::{Body, to_bytes},
    http::Request,
};
use fencepost_adapter_http::{AdminToken, HttpConfig, Secret, router};
use fencepost_application::{Counters, Resolutions, Settings, Site, Stop};
use fencepost_audit::{Answer, Ask, AskError, Bank, Depth, Games, Question, Report, Window, walk};
use fencepost_domain::{
    image::{FailureKind, FetchFailure, ImageFormat},
    puzzle::ImportFile,
};
use fencepost_ports::{
    Budget, FetchedImage, Job, Stores,
    memory::{
        CountingTokens, EternalCache, InstantTimer, ManualClock, MemoryBlobs, MemoryStore, TableImages,
    },
};
use serde_json::{Value, json};
use tower::ServiceExt;

/// A page.
pub(crate) const TOLD: i64 = 1118;
/// Taken back before it was ever public.
pub(crate) const NEVER_PUBLIC: i64 = 1114;
/// Being played on 28 November.
pub(crate) const OPEN: i64 = 1119;
/// Opens on 29 November.
pub(crate) const FUTURE: i64 = 1120;

const TOKEN: &str = "correct-horse";

/// A leak: it sees each request, and may change the answer to it.
pub(crate) type Leak = Box<dyn Fn(&Question, &mut Answer) + Send + Sync>;

/// A site, and the way to it.
pub(crate) struct World {
    clock: ManualClock,
    store: Arc<MemoryStore>,
    site: Site,
    router: Router,
    leak: Option<Leak>,
    has_token: bool,
    asked: Mutex<BTreeMap<String, usize>>,
}

impl World {
    /// The site at ten minutes to eleven in the evening of 28 November 2026, when the photo of
    /// tomorrow's item is there already.
    pub(crate) async fn new() -> Self {
        let clock = ManualClock::new("2026-11-20T12:00:00Z".parse().unwrap());
        let images = TableImages::new();
        for name in ["lamp", "clock", "kettle", "globe"] {
            images.set(address(name), Ok(FetchedImage { bytes: photo(name), format: ImageFormat::Webp }));
        }
        let busy = FetchFailure { kind: FailureKind::Passing, message: "503 Service Unavailable".to_owned() };
        images.set(address("stove"), Err(busy));
        let store = Arc::new(MemoryStore::new(clock.clone()));
        let site = Site {
            stores: Stores::of(store.clone()),
            blobs: Arc::new(MemoryBlobs::new()),
            image_source: Arc::new(images),
            cache: Arc::new(EternalCache::new()),
            tokens: Arc::new(CountingTokens::new("token")),
            timer: Arc::new(InstantTimer::new()),
            budget: Budget::unlimited(),
            resolutions: Resolutions::default(),
            counters: Counters::default(),
            outlet: None,
            settings: Settings::default(),
        };
        let config = HttpConfig {
            origin: Some("https://example.org/".to_owned()),
            environment: "test".to_owned(),
            admin_token: Some(AdminToken::new(TOKEN).unwrap()),
            secret: Some(Secret::new("a-secret-of-at-least-32-characters").unwrap()),
            ..HttpConfig::new(site.clone())
        };
        let router = router(config);
        let world = Self { clock, store, site, router, leak: None, has_token: true, asked: Mutex::default() };
        world.site.import(&editor(), bank()).await.unwrap();
        world.site.withdraw(&editor(), NEVER_PUBLIC.try_into().unwrap(), Expected::ANYTHING).await.unwrap();
        world.set("2026-11-28T22:50:00Z", 0);
        world.run().await;
        world.site.withdraw(&editor(), 1116.try_into().unwrap(), Expected::ANYTHING).await.unwrap();
        world
    }

    /// The same site with a leak.
    pub(crate) fn leaking(self, leak: Leak) -> Self {
        Self { leak: Some(leak), ..self }
    }

    /// The same site, to those who have no token.
    pub(crate) fn without_token(self) -> Self {
        Self { has_token: false, ..self }
    }

    /// Moves the clock to so many milliseconds after an instant.
    pub(crate) fn set(&self, instant: &str, ms: i64) {
        self.clock.set(instant.parse::<fencepost_domain::time::UnixMillis>().unwrap().plus(ms));
    }

    /// Publishes what is due, and prepares photos.
    pub(crate) async fn run(&self) {
        self.site.run_job(Job::Publish, &Stop::default()).await.unwrap();
    }

    /// Looks the site over.
    pub(crate) async fn audit(&self, depth: Depth) -> Report {
        self.try_audit(depth).await.unwrap()
    }

    /// Looks the site over, if there is one.
    pub(crate) async fn try_audit(&self, depth: Depth) -> Result<Report, AskError> {
        let mut bank = Bank::of_import(bank(), 600_000).unwrap();
        if self.has_token {
            bank.learn(self, self.clock.now()).await.unwrap();
        }
        walk(self, &bank, depth, Games::Ended).await
    }

    /// Looks the site over, and plays so far.
    pub(crate) async fn play(&self, games: Games) -> Report {
        let bank = Bank::of_import(bank(), 600_000).unwrap();
        walk(self, &bank, Depth::Near, games).await.unwrap()
    }

    /// How many results are counted.
    pub(crate) fn results(&self) -> usize {
        self.store.tables()["daily_results"].len()
    }

    /// The address of the photo of tomorrow's item.
    pub(crate) async fn photo_to_come(&self) -> String {
        let question = Question::new("GET", format!("/admin/api/items/{FUTURE}")).by_operator();
        let item: Value = serde_json::from_slice(&self.ask(&question).await.unwrap().body).unwrap();
        format!("/images/{}", item["image"]["object_key"].as_str().unwrap())
    }
}

#[async_trait]
impl Ask for World {
    async fn ask(&self, question: &Question) -> Result<Answer, AskError> {
        let mut request = Request::builder().method(question.method).uri(&question.path);
        for (name, value) in &question.headers {
            request = request.header(*name, value);
        }
        if question.as_operator {
            request = request.header("authorization", format!("Bearer {TOKEN}"));
        }
        let body = question.body.clone().map_or_else(Body::empty, Body::from);
        let response = self.router.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let headers = parts.headers.iter();
        let now = self.clock.now();
        let mut answer = Answer {
            status: parts.status.as_u16(),
            headers: headers
                .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
                .collect(),
            body: to_bytes(body, usize::MAX).await.unwrap().to_vec(),
            window: Window { from: now, until: now },
        };
        *self.asked.lock().unwrap().entry(question.path.clone()).or_default() += 1;
        if let Some(leak) = &self.leak {
            leak(question, &mut answer);
        }
        Ok(answer)
    }

    fn has_token(&self) -> bool {
        self.has_token
    }
}

/// The bytes of a photo.
pub(crate) fn photo(name: &str) -> Vec<u8> {
    format!("bytes of the photo of a {name}").into_bytes()
}

fn address(name: &str) -> String {
    format!("https://photos.example/{name}.webp")
}

fn bank() -> ImportFile {
    let row =
        |id: i64, play_date: &str, name: &str, price_cents: i64, description: &str, image: Option<&str>| {
            json!({
                "id": id, "play_date": play_date, "name": name, "price_cents": price_cents,
                "description": description, "image_url": image.map(address),
            })
        };
    let rows = json!({ "puzzles": [
        row(NEVER_PUBLIC, "2026-11-23", "Iron", 3_141, "It flattens *whatever* it meets.", None),
        row(1115, "2026-11-24", "Stove", 2_718, "Four rings and an oven.", Some("stove")),
        row(1116, "2026-11-25", "Kettle", 1_999, "It whistles when it boils.", Some("kettle")),
        row(1117, "2026-11-26", "Vase", 1_450, "Empty, as vases are.", None),
        row(TOLD, "2026-11-27", "Lamp & shade", 5_995, "It gives a warm light.", Some("lamp")),
        row(OPEN, "2026-11-28", "Grandfather clock", 123_450, "It strikes every *quarter* of an hour.", Some("clock")),
        row(FUTURE, "2026-11-29", "Antique globe", 67_890, "Shows the **world** as it was.", Some("globe")),
        row(1121, "2026-11-30", "Snow shovel", 2_450, "It waits for its season.", None),
        row(1123, "2026-12-02", "Lamp", 3_000, "", None),
    ] });
    serde_json::from_value(rows).unwrap()
}

/// Somebody who acts.
pub(crate) fn editor() -> fencepost_domain::action::Actor {
    fencepost_domain::action::Actor::new("Ada", Some("a test")).unwrap()
}
