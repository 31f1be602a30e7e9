//! Replies in the cache of the data centre, by the platform's Cache API.
//!
//! The API is made for responses, and looks into them: it leaves out what is not a `200`,
//! answers conditions by itself, and forgets what does not say how long it lives. So an
//! entry is an envelope, a plain `200` whose address is the entry's name and nothing else,
//! asked for without any header of a client's. What its own headers will depend on travels
//! in one header of the envelope.
//!
//! Storing happens behind the answer's back. Whatever the cache does, late, never, or with
//! an error, is logged and costs the next reader some milliseconds.

use std::sync::Arc;

use async_trait::async_trait;
use fencepost_adapter_http::Spawner;
use fencepost_domain::{cache_key::CacheKey, revision::Revision, time::UnixMillis};
use fencepost_ports::{Budget, CacheEntry, CacheError, EdgeCache, Reply, Retry};
use serde::{Deserialize, Serialize};
use worker::{Cache, Headers, Response, ResponseBuilder, send::SendFuture};

/// Where entries stand below an origin: at addresses that no page has.
const PREFIX: &str = "/.fencepost-cache";

/// The header of the envelope that holds all but the body.
const LABEL: &str = "x-fencepost-entry";

/// The Cache API, under the addresses of an origin.
pub(crate) struct CacheApi {
    origin: String,
    spawner: Arc<dyn Spawner>,
    budget: Budget,
}

impl CacheApi {
    /// Entries that stand below `origin`, stored by `spawner`, within `budget`.
    pub(crate) fn new(origin: String, spawner: Arc<dyn Spawner>, budget: Budget) -> Self {
        Self { origin, spawner, budget }
    }

    /// Counts a call that is about to be made.
    fn spend(&self) -> Result<(), CacheError> {
        self.budget.spend(1).map_err(|refusal| CacheError(refusal.to_string()))
    }

    fn address(&self, key: &CacheKey) -> String {
        format!("{}{PREFIX}{key}", self.origin)
    }

    #[worker::send]
    async fn find(&self, key: &CacheKey) -> Result<Option<CacheEntry>, CacheError> {
        self.spend()?;
        match Cache::default().get(self.address(key), false).await.map_err(failed)? {
            Some(envelope) => open(envelope).await.map(Some),
            None => Ok(None),
        }
    }
}

#[async_trait]
impl EdgeCache for CacheApi {
    async fn get(&self, key: &CacheKey) -> Result<Option<CacheEntry>, CacheError> {
        self.find(key).await
    }

    async fn put(&self, entry: &CacheEntry, lifetime_ms: i64) -> Result<(), CacheError> {
        self.spend()?;
        let envelope = seal(entry, lifetime_ms)?;
        let address = self.address(&entry.key);
        self.spawner.spawn(Box::pin(SendFuture::new(async move {
            if let Err(problem) = Cache::default().put(address, envelope).await {
                tracing::warn!("storing in the cache failed: {problem}");
            }
        })));
        Ok(())
    }
}

/// All of an entry but the body.
#[derive(Clone, Serialize, Deserialize)]
struct Label {
    key: CacheKey,
    fresh_until: UnixMillis,
    status: u16,
    content_type: String,
    tag: Option<String>,
    indexable: bool,
    retry: Option<Retry>,
    revision: Revision,
    bytes: usize,
}

impl Label {
    /// Whether the reply can be sent as it is. What cannot was not put here by this program,
    /// and must not end the instance, with which other requests would end.
    fn is_sendable(&self) -> bool {
        let is_visible = |text: &str| text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        matches!(self.status, 200 | 400..=599)
            && is_visible(&self.content_type)
            && self.tag.as_deref().is_none_or(|tag| is_visible(tag) && !tag.contains('"'))
    }
}

fn seal(entry: &CacheEntry, lifetime_ms: i64) -> Result<Response, CacheError> {
    let CacheEntry { key, fresh_until, reply } = entry;
    let label = Label {
        key: key.clone(),
        fresh_until: *fresh_until,
        status: reply.status,
        content_type: reply.content_type.clone(),
        tag: reply.tag.clone(),
        indexable: reply.indexable,
        retry: reply.retry,
        revision: reply.revision,
        bytes: reply.body.len(),
    };
    let label = serde_json::to_string(&label).map_err(|problem| CacheError(problem.to_string()))?;
    let headers = Headers::new();
    let lifetime = format!("public, max-age={}", lifetime_ms / 1_000);
    for (name, value) in [("cache-control", lifetime.as_str()), (LABEL, label.as_str())] {
        headers.set(name, value).map_err(failed)?;
    }
    Ok(ResponseBuilder::new().with_headers(headers).fixed(reply.body.to_vec()))
}

async fn open(mut envelope: Response) -> Result<CacheEntry, CacheError> {
    let label = envelope.headers().get(LABEL).map_err(failed)?.unwrap_or_default();
    let label: Label = serde_json::from_slice(label.as_bytes())
        .map_err(|problem| CacheError(format!("an entry says nothing of itself ({problem})")))?;
    if !label.is_sendable() {
        return Err(CacheError("an entry is of no reply that this program gives".to_owned()));
    }
    let body = envelope.bytes().await.map_err(failed)?;
    if body.len() != label.bytes {
        return Err(CacheError(format!("an entry has {} of its {} bytes", body.len(), label.bytes)));
    }
    let reply = Reply {
        status: label.status,
        content_type: label.content_type,
        tag: label.tag,
        indexable: label.indexable,
        retry: label.retry,
        revision: label.revision,
        body: body.into(),
    };
    Ok(CacheEntry { key: label.key, fresh_until: label.fresh_until, reply: Arc::new(reply) })
}

fn failed(problem: worker::Error) -> CacheError {
    CacheError(problem.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_that_cannot_be_sent_is_none() {
        let page = Label {
            key: serde_json::from_str("\"/a\"").unwrap(),
            fresh_until: UnixMillis::new(5),
            status: 200,
            content_type: "text/html; charset=utf-8".to_owned(),
            tag: Some("d497c7ad".to_owned()),
            indexable: true,
            retry: None,
            revision: Revision::new(1),
            bytes: 0,
        };
        assert!(page.is_sendable());
        for status in [404, 410] {
            assert!(Label { status, tag: None, ..page.clone() }.is_sendable(), "{status}");
        }
        for status in [0, 99, 101, 204, 304, 999, 9_999] {
            assert!(!Label { status, ..page.clone() }.is_sendable(), "{status}");
        }
        for text in ["text/html\nx", "t\u{e4}xt", "\u{7f}"] {
            assert!(!Label { content_type: text.to_owned(), ..page.clone() }.is_sendable(), "{text:?}");
            assert!(!Label { tag: Some(text.to_owned()), ..page.clone() }.is_sendable(), "{text:?}");
        }
        assert!(!Label { tag: Some("a\"b".to_owned()), ..page.clone() }.is_sendable());
    }
}
