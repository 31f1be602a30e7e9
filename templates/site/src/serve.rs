//! Serving what is out.
//!
//! A cache that has to be purged is wrong for as long as that takes, and for good if the purge
//! gets lost. This one is never purged. Each request begins with one query, for the revision
//! and the time, and these are part of the name under which it asks the cache: after a
//! publication, everybody asks for another name. The stretch of time is part of it because the
//! embargo is: what may be read changes when an instant comes, and nobody writes anything then.
//!
//! Browsers may keep a page, but have to ask before they show it. If the database does not
//! answer, there is no page: an old one would be worse.

use askama::Template;
use async_trait::async_trait;
use fencepost_batch::{PlanRunner, Query, Store, Value, clock::CLOCK, decode, sql_texts};
use fencepost_core::{
    StoreError,
    cache_key::{CacheKey, CacheSpace, Moment},
    stretch::Stretch,
    time::UnixMillis,
};

/// What every reply says of itself, whatever it is.
pub const HEADERS: [(&str, &str); 4] = [
    ("cache-control", "public, max-age=0, must-revalidate"),
    ("content-security-policy", "default-src 'none'"),
    ("content-type", "text/html; charset=utf-8"),
    ("x-content-type-options", "nosniff"),
];

/// The longest that a copy is kept, in milliseconds.
const LONGEST_MS: i64 = 300_000;

/// Another build renders other pages, and must not find those of this one.
const BUILD: u64 = {
    let hash = hashed(0xcbf2_9ce4_8422_2325, include_bytes!("serve.rs"));
    hashed(hashed(hash, include_bytes!("../templates/home.html")), include_bytes!("../templates/post.html"))
};

/// A page, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// 200, 404 or 503.
    pub status: u16,
    /// HTML.
    pub body: String,
    /// What is behind a 503: for the log, which is another one wherever this runs.
    pub fault: Option<StoreError>,
}

/// Where copies are kept. It may forget them, and may keep them for too long.
#[async_trait]
pub trait Cache: Send + Sync {
    /// The copy of this name.
    async fn get(&self, key: &CacheKey) -> Option<String>;

    /// Keeps a copy, for `lifetime_ms` milliseconds.
    async fn put(&self, key: &CacheKey, body: &str, lifetime_ms: i64);
}

sql_texts! {
    LOOK = "site/look", format!("\
SELECT clock.now, s.revision,
  (SELECT max(p.due_at) FROM posts AS p WHERE p.due_at <= clock.now) AS last_due,
  (SELECT min(p.due_at) FROM posts AS p WHERE p.due_at > clock.now) AS next_due
FROM {CLOCK}
JOIN site_state AS s");
    LIST = "site/list", "\
SELECT g.slug, g.title, p.due_at
FROM posts AS p
JOIN pages AS g ON g.slug = p.slug
WHERE p.due_at <= CAST(?1 AS INTEGER)
ORDER BY p.due_at DESC, p.slug
LIMIT 100";
    SHOW = "site/show", "\
SELECT g.title, g.html, p.due_at
FROM posts AS p
JOIN pages AS g ON g.slug = p.slug
WHERE p.slug = ?2
  AND p.due_at <= CAST(?1 AS INTEGER)";
}

/// Answers a request for `path`. `origin` is the scheme and the host that it was sent to: two
/// sites in one cache are not mixed up.
pub async fn answer<R: PlanRunner>(store: &Store<R>, cache: &dyn Cache, origin: &str, path: &str) -> Reply {
    let (status, body, fault) = match page(store, cache, origin, path).await {
        Ok(Some(body)) => (200, body, None),
        Ok(None) => (404, note("Not found", "There is nothing here."), None),
        Err(error) => (503, note("Sorry", "Try again in a moment."), Some(error)),
    };
    Reply { status, body, fault }
}

fn note(title: &str, text: &str) -> String {
    format!("<!doctype html>\n<title>{title}</title>\n<p>{text}</p>\n")
}

async fn page<R: PlanRunner>(
    store: &Store<R>,
    cache: &dyn Cache,
    origin: &str,
    path: &str,
) -> Result<Option<String>, StoreError> {
    let look = Query::new(&LOOK, vec![Value::Clock], |row| {
        let due = |column| decode::optional_instant(row, column);
        let now = decode::instant(row, "now")?;
        Ok((now, decode::integer(row, "revision")?, Stretch::around(now, due("last_due")?, due("next_due")?)))
    });
    // From here on, this instant is the time of the request, whatever a clock may say.
    let (now, revision, stretch) = store.read_one(look).await?;
    let moment = Moment { now, revisions: &[('r', revision)], stretch };
    let space = CacheSpace::new("site", Some(origin), &format!("{BUILD:x}"));
    let key = CacheKey::new(&space, "page", path, &moment);
    if let Some(body) = cache.get(&key).await {
        return Ok(Some(body));
    }
    // What is read now may be newer than the revision in the key, and never older. Whoever asks
    // for this key asked for the revision before that, so newer does not hurt.
    let body = match path.strip_prefix('/') {
        Some("") => Some(home(store, now).await?),
        Some(slug) => post(store, now, slug).await?,
        None => None,
    };
    // Addresses without a page are not kept: there is no end of them.
    if let (Some(body), Some(until)) = (&body, stretch.fresh_until(now, LONGEST_MS)) {
        cache.put(&key, body, until.since(now)).await;
    }
    Ok(body)
}

async fn home<R: PlanRunner>(store: &Store<R>, now: UnixMillis) -> Result<String, StoreError> {
    struct Item {
        slug: String,
        title: String,
        due_at: UnixMillis,
    }

    #[derive(Template)]
    #[template(path = "home.html")]
    struct Home {
        posts: Vec<Item>,
    }

    let list = Query::new(&LIST, vec![now.get().into()], |row| {
        let (slug, title) = (decode::text(row, "slug")?, decode::text(row, "title")?);
        Ok(Item { slug, title, due_at: decode::instant(row, "due_at")? })
    });
    Ok(rendered(&Home { posts: store.read(list).await? }))
}

async fn post<R: PlanRunner>(
    store: &Store<R>,
    now: UnixMillis,
    slug: &str,
) -> Result<Option<String>, StoreError> {
    #[derive(Template)]
    #[template(path = "post.html")]
    struct Shown {
        title: String,
        html: String,
        due_at: UnixMillis,
    }

    let show = Query::new(&SHOW, vec![now.get().into(), slug.into()], |row| {
        let (title, html) = (decode::text(row, "title")?, decode::text(row, "html")?);
        Ok(Shown { title, html, due_at: decode::instant(row, "due_at")? })
    });
    Ok(store.read(show).await?.first().map(rendered))
}

fn rendered(template: &impl Template) -> String {
    template.render().expect("a template of plain texts renders")
}

/// FNV-1a.
const fn hashed(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01b3);
        at += 1;
    }
    hash
}
