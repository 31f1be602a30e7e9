//! The cache keeps what fits, whole, and no more than that.

use std::sync::Arc;

use fencepost_adapter_native::MemoryCache;
use fencepost_domain::{
    cache_key::{self, CacheKey, CacheSpace},
    calendar::Stretch,
    revision::{Revision, SiteMoment},
    time::UnixMillis,
};
use fencepost_ports::{CacheEntry, EdgeCache, Reply, Retry};

fn key(path: &str) -> CacheKey {
    let space = CacheSpace::new("test", None, "1");
    let now = UnixMillis::new(0);
    let moment = SiteMoment {
        now,
        publication_revision: Revision::new(1),
        bank_revision: 1,
        overdue: false,
        stretch: Stretch::around(now, None, None),
    };
    cache_key::key(&space, "answer", path, &moment)
}

fn entry(path: &str, body: impl Into<Vec<u8>>) -> CacheEntry {
    let reply = Reply {
        status: 404,
        content_type: "text/html".to_owned(),
        tag: Some("abc".to_owned()),
        indexable: false,
        retry: Some(Retry::After(30_000)),
        revision: Revision::new(1),
        body: body.into().into(),
    };
    CacheEntry { key: key(path), fresh_until: UnixMillis::new(60_000), reply: Arc::new(reply) }
}

#[tokio::test]
async fn an_entry_comes_back_whole_and_under_its_name_only() {
    let cache = MemoryCache::new(1_000_000);
    cache.put(&entry("/a", "A"), 1_000).await.unwrap();
    cache.put(&entry("/b", "B"), 1_000).await.unwrap();
    assert_eq!(cache.get(&key("/a")).await, Ok(Some(entry("/a", "A"))));
    assert_eq!(cache.get(&key("/c")).await, Ok(None));
    cache.put(&entry("/a", "newer"), 1_000).await.unwrap();
    assert_eq!(cache.get(&key("/a")).await, Ok(Some(entry("/a", "newer"))));
}

#[tokio::test]
async fn the_bytes_of_all_entries_stay_within_their_bound() {
    const BOUND: u64 = 1_000_000;
    let cache = MemoryCache::new(BOUND);
    for n in 0..3_000 {
        cache.put(&entry(&format!("/{n}"), vec![0; 10_000]), 1_000).await.unwrap();
        assert!(cache.bytes() <= BOUND, "{} bytes after {n} entries", cache.bytes());
    }
    assert!(cache.bytes() > BOUND / 2, "most of the room is in use: {}", cache.bytes());
}

#[tokio::test]
async fn a_body_is_kept_without_the_room_that_it_did_not_need() {
    let cache = MemoryCache::new(1_000_000);
    let mut body = Vec::with_capacity(20_000);
    body.extend([7; 10_000]);
    cache.put(&entry("/a", body), 1_000).await.unwrap();
    let kept = cache.get(&key("/a")).await.unwrap().unwrap().reply;
    drop(cache);
    let body = Arc::into_inner(kept).unwrap().body;
    assert_eq!(body.try_into_mut().unwrap().capacity(), 10_000);
}

#[tokio::test]
async fn what_is_larger_than_the_cache_is_not_kept() {
    let cache = MemoryCache::new(100_000);
    cache.put(&entry("/photo", vec![0; 200_000]), 1_000).await.unwrap();
    assert_eq!(cache.get(&key("/photo")).await, Ok(None));
    assert!(cache.bytes() <= 100_000);
}

/// Whatever number of processors the machine has, by which a cache is divided.
#[tokio::test]
async fn a_cache_of_the_usual_size_keeps_the_longest_list() {
    let cache = MemoryCache::new(12_000_000);
    let list = entry("/sitemap.xml", vec![b'x'; 1_900_000]);
    cache.put(&list, 300_000).await.unwrap();
    assert!(cache.get(&list.key).await.unwrap().is_some());
}
