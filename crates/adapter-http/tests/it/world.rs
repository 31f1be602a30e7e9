//! A site with one item in every state, at three in the afternoon of 28 November 2026.

use fencepost_application::Expected;
use std::{fmt, sync::Arc};

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{HeaderMap, Method, Request, StatusCode},
};
use fencepost_adapter_http::{AdminToken, HttpConfig, Secret, router};
use fencepost_application::{Counters, Resolutions, Settings, Site, Stop};
use fencepost_domain::{
    id::PuzzleId,
    image::{FailureKind, FetchFailure, ImageFormat},
};
use fencepost_ports::{
    Budget, FetchedImage, Job, Stores,
    memory::{
        CountingTokens, EternalCache, InstantTimer, ManualClock, MemoryBlobs, MemoryStore, TableImages,
    },
};
use serde_json::{Value, json};
use tower::ServiceExt;
use url::form_urlencoded;

/// A page with a photo.
pub(crate) const PUBLISHED: i64 = 1118;
/// A page without one.
pub(crate) const PHOTOLESS: i64 = 1117;
/// A page that was taken back.
pub(crate) const WITHDRAWN: i64 = 1116;
/// Due, and its photo cannot be had yet.
pub(crate) const OVERDUE: i64 = 1115;
/// Taken back before it was ever public.
pub(crate) const NEVER_PUBLIC: i64 = 1114;
/// Being played.
pub(crate) const OPEN: i64 = 1119;
/// Opens tomorrow.
pub(crate) const FUTURE: i64 = 1120;
/// Nobody's number.
pub(crate) const UNKNOWN: i64 = 4711;

pub(crate) const TOKEN: &str = "correct-horse";
pub(crate) const SECRET: &str = "a-secret-of-at-least-32-characters";

/// A site, and what stands behind it.
pub(crate) struct World {
    pub(crate) clock: ManualClock,
    pub(crate) store: Arc<MemoryStore>,
    pub(crate) site: Site,
    pub(crate) blobs: Arc<MemoryBlobs>,
    pub(crate) cache: Arc<EternalCache>,
    pub(crate) config: HttpConfig,
}

impl World {
    /// Nothing imported.
    pub(crate) fn empty() -> Self {
        let clock = ManualClock::new("2026-11-20T12:00:00Z".parse().unwrap());
        let images = TableImages::new();
        for name in ["lamp", "clock", "kettle", "globe"] {
            let bytes = format!("bytes of the photo of a {name}").into_bytes();
            images.set(photo(name), Ok(FetchedImage { bytes, format: ImageFormat::Webp }));
        }
        let busy = FetchFailure { kind: FailureKind::Passing, message: "503 Service Unavailable".to_owned() };
        images.set(photo("stove"), Err(busy));
        let blobs = Arc::new(MemoryBlobs::new());
        let cache = Arc::new(EternalCache::new());
        let store = Arc::new(MemoryStore::new(clock.clone()));
        let site = Site {
            stores: Stores::of(store.clone()),
            blobs: blobs.clone(),
            image_source: Arc::new(images),
            cache: cache.clone(),
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
            secret: Some(Secret::new(SECRET).unwrap()),
            build_version: "1.2.3",
            ..HttpConfig::new(site.clone())
        };
        Self { clock, store, site, blobs, cache, config }
    }

    /// One item in every state.
    pub(crate) async fn new() -> Self {
        let world = Self::empty();
        world
            .import(json!([
                row(NEVER_PUBLIC, "2026-11-23", "Iron", None),
                row(OVERDUE, "2026-11-24", "Stove", Some("stove")),
                row(WITHDRAWN, "2026-11-25", "Kettle", Some("kettle")),
                row(PHOTOLESS, "2026-11-26", "Vase", None),
                row(PUBLISHED, "2026-11-27", "Lamp & shade", Some("lamp")),
                row(OPEN, "2026-11-28", "Clock", Some("clock")),
                row(FUTURE, "2026-11-29", "Globe", Some("globe")),
            ]))
            .await;
        world.site.withdraw(&editor(), id(NEVER_PUBLIC), Expected::ANYTHING).await.unwrap();
        world.clock.set("2026-11-28T15:00:00Z".parse().unwrap());
        let report = world.site.run_job(Job::Publish, &Stop::default()).await.unwrap();
        assert_eq!(report.counts.values().sum::<u32>(), 4, "{report:?}");
        world.site.withdraw(&editor(), id(WITHDRAWN), Expected::ANYTHING).await.unwrap();
        world
    }

    pub(crate) async fn import(&self, puzzles: Value) {
        let file = serde_json::from_value(json!({ "puzzles": puzzles })).unwrap();
        self.site.import(&editor(), file).await.unwrap();
    }

    pub(crate) fn router(&self) -> Router {
        router(self.config.clone())
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], Body::empty()).await
    }

    pub(crate) async fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        self.send(Method::GET, path, headers, Body::empty()).await
    }

    pub(crate) async fn head(&self, path: &str) -> Answer {
        self.send(Method::HEAD, path, &[], Body::empty()).await
    }

    /// An operator's request below `/admin/api`.
    pub(crate) async fn admin(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let authorization = format!("Bearer {TOKEN}");
        let mut headers = vec![("authorization", authorization.as_str())];
        if body.is_some() {
            headers.push(("content-type", "application/json"));
        }
        let body = body.map_or_else(Body::empty, |json| Body::from(json.to_string()));
        self.send(method, &format!("/admin/api{path}"), &headers, body).await
    }

    /// Sends a form with these fields.
    pub(crate) async fn submit(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        fields: &[(&str, &str)],
    ) -> Answer {
        let body = form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let form = [("content-type", "application/x-www-form-urlencoded")];
        let headers: Vec<_> = headers.iter().copied().chain(form).collect();
        self.send(Method::POST, path, &headers, Body::from(body)).await
    }

    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Body,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = self.router().oneshot(request.body(body).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    /// The address of the photo on the page at `path`.
    pub(crate) async fn photo_on(&self, path: &str) -> String {
        let html = self.get(path).await.text();
        let from = html.find("/images/").expect("the page has a photo");
        html[from..].split('"').next().unwrap().to_owned()
    }
}

/// What came back.
#[derive(Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// With the body as a person reads it.
impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = String::from_utf8_lossy(&self.body);
        write!(f, "{}\n{:#?}\n{body}", self.status, self.headers)
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("-", |value| value.to_str().unwrap())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

pub(crate) fn id(puzzle: i64) -> PuzzleId {
    puzzle.try_into().unwrap()
}

pub(crate) fn row(id: i64, play_date: &str, name: &str, image: Option<&str>) -> Value {
    json!({
        "id": id,
        "play_date": play_date,
        "name": name,
        "price_cents": id,
        "description": format!("About the *{name}*."),
        "image_url": image.map(photo),
    })
}

fn photo(name: &str) -> String {
    format!("https://photos.example/{name}.webp")
}

/// Somebody who acts.
pub(crate) fn editor() -> fencepost_domain::action::Actor {
    fencepost_domain::action::Actor::new("Ada", Some("a test")).unwrap()
}
