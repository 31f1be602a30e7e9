//! No stale page, ever: writers change pages without a pause, readers in two data centres
//! ask for all of them, and every reply is held against what had been committed before the
//! request began.
//!
//! The writers keep a book. Right after a change of a page has returned, they enter the
//! revision and the version that it led to. A reader looks into the book, *then* asks, and
//! may see what the book said or anything newer, and nothing older. Each data centre has a
//! cache of its own that forgets nothing.
//!
//! A check like this is worth nothing unless it can fail. So it is also run on caches whose
//! keys lack the revision, and has to find them out.

use crate::world::editor;
use fencepost_application::Expected;
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::SeqCst},
};

use async_trait::async_trait;
use fencepost_application::{Address, Site};
use fencepost_domain::{
    cache_key::CacheKey,
    id::ContentVersion,
    puzzle::{ImportFile, ImportRow},
    revision::Revision,
};
use fencepost_ports::{CacheEntry, CacheError, EdgeCache, Job, memory::EternalCache};
use tokio::task::JoinSet;

use crate::world::{Worker, World, id, row, space, spell_out};

const PAGES: u8 = 4;
/// How many data centres there are.
const CENTRES: usize = 2;
/// How many readers each of them has.
const READERS: usize = 3;

/// How often each page is changed.
fn changes() -> i64 {
    if std::env::var_os("FENCEPOST_FULL_PROOFS").is_some() { 400 } else { 12 }
}

/// What has been committed for certain.
#[derive(Default)]
struct Book {
    revision: AtomicI64,
    versions: [AtomicI64; PAGES as usize],
    done: AtomicBool,
    replies: AtomicU64,
    stale: Mutex<Vec<String>>,
}

impl Book {
    fn enter(&self, n: i64, revision: Option<Revision>, version: Option<ContentVersion>) {
        let (revision, version) = (revision.unwrap().get(), version.unwrap().get());
        self.page(n).fetch_max(version, SeqCst);
        self.revision.fetch_max(revision, SeqCst);
    }

    fn page(&self, n: i64) -> &AtomicI64 {
        &self.versions[usize::try_from(n - 1).unwrap()]
    }
}

/// Changes one page over and over: withdrawn, shown again, edited and brought up to date. The
/// first is an even version, the others are odd ones.
async fn write(worker: Arc<Worker>, book: Arc<Book>, n: i64) {
    for change in 0..changes() {
        let withdrawn = worker.site.withdraw(&editor(), id(n), Expected::ANYTHING).await.unwrap();
        book.enter(n, withdrawn.revision, withdrawn.content_version);
        let edited = ImportRow { price_cents: 100 + change, ..row(n) };
        worker.site.import(&editor(), ImportFile { puzzles: vec![edited] }).await.unwrap();
        let back = worker.site.reinstate(&editor(), id(n), Expected::ANYTHING).await.unwrap();
        book.enter(n, back.revision, back.content_version);
    }
}

/// Asks for everything until the writers are done.
async fn read(site: Site, book: Arc<Book>) {
    let answers = (1..=i64::from(PAGES)).map(|n| (Some(n), Address::Answer(id(n))));
    let lists = [(None, Address::Home), (None, Address::Answers { before: None })];
    let addresses: Vec<_> = answers.chain(lists).collect();
    while !book.done.load(SeqCst) {
        for (page, address) in &addresses {
            let revision = book.revision.load(SeqCst);
            let version = page.map(|n| book.page(n).load(SeqCst));
            let served = site.serve_page(&space(), address, spell_out).await.unwrap();
            book.replies.fetch_add(1, SeqCst);
            let shown = String::from_utf8_lossy(&served.reply.body);
            let older = served.reply.revision.get() < revision;
            let outdated =
                version.is_some_and(|version| version_shown(&shown).is_some_and(|it| it < version));
            if older || outdated {
                let what = format!("{address:?} after revision {revision}, version {version:?}: {shown}");
                book.stale.lock().unwrap().push(what);
            }
        }
        tokio::task::yield_now().await;
    }
}

/// The version of a page that is shown. One that was withdrawn tells none.
fn version_shown(shown: &str) -> Option<i64> {
    let (_, rest) = shown.split_once("content_version: ContentVersion(")?;
    rest.split(')').next()?.parse().ok()
}

/// Lets writers and readers at each other. Returns how many replies there were, and those
/// that were stale.
async fn hammer(cache: impl Fn() -> Arc<dyn EdgeCache>) -> (u64, Vec<String>) {
    let world = World::with_finished(PAGES.into()).await;
    let writer = Arc::new(world.worker("writer").await);
    writer.run(Job::Publish).await;
    let book = Arc::new(Book::default());
    let mut readers = JoinSet::new();
    for centre in 0..CENTRES {
        let worker = world.worker(&format!("centre-{centre}")).await;
        let site = Site { cache: cache(), ..worker.site };
        for _ in 0..READERS {
            readers.spawn(read(site.clone(), book.clone()));
        }
    }
    let writers: JoinSet<()> = (1..=PAGES.into()).map(|n| write(writer.clone(), book.clone(), n)).collect();
    writers.join_all().await;
    book.done.store(true, SeqCst);
    readers.join_all().await;
    writer.assert_sound().await;
    let stale = std::mem::take(&mut *book.stale.lock().unwrap());
    (book.replies.load(SeqCst), stale)
}

/// A cache whose keys lack the revision.
#[derive(Default)]
struct Blind(EternalCache);

impl Blind {
    fn without_revision(key: &CacheKey) -> CacheKey {
        let parts = key.as_str().split('/').filter(|part| !is_revision(part)).collect::<Vec<_>>();
        serde_json::from_value(parts.join("/").into()).unwrap()
    }
}

fn is_revision(part: &str) -> bool {
    part.strip_prefix('r').is_some_and(|digits| digits.parse::<i64>().is_ok())
}

#[async_trait]
impl EdgeCache for Blind {
    async fn get(&self, key: &CacheKey) -> Result<Option<CacheEntry>, CacheError> {
        let entry = self.0.get(&Self::without_revision(key)).await?;
        Ok(entry.map(|entry| CacheEntry { key: key.clone(), ..entry }))
    }

    async fn put(&self, entry: &CacheEntry, lifetime_ms: i64) -> Result<(), CacheError> {
        let key = Self::without_revision(&entry.key);
        self.0.put(&CacheEntry { key, ..entry.clone() }, lifetime_ms).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_reply_is_older_than_what_was_committed_before_its_request() {
    let (replies, stale) = hammer(|| Arc::new(EternalCache::new())).await;
    println!("{replies} replies, {} stale", stale.len());
    assert_eq!(stale, [""; 0]);
    assert!(replies > 100, "only {replies} replies");
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_without_the_revision_are_found_out() {
    let (replies, stale) = hammer(|| Arc::new(Blind::default())).await;
    println!("{replies} replies, {} stale", stale.len());
    assert!(!stale.is_empty(), "{replies} replies, and none was stale");
}
