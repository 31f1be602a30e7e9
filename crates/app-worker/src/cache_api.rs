//! Rendered answers in the cache of the data centre, by the platform's Cache API.
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
use fencepost_ports::{Budget, CacheError, EdgeCache, Retry, StoredAnswer};
use serde::{Deserialize, Serialize};
use worker::{Cache, Headers, Response, ResponseBuilder, send::SendFuture};

/// Where entries stand below an origin: at addresses that no page has.
const PREFIX: &str = "/.fencepost-cache";

/// The header of the envelope that holds all but the body.
const ENTRY: &str = "x-fencepost-entry";

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
    async fn find(&self, key: &CacheKey) -> Result<Option<StoredAnswer>, CacheError> {
        self.spend()?;
        match Cache::default().get(self.address(key), false).await.map_err(failed)? {
            Some(envelope) => open(envelope).await.map(Some),
            None => Ok(None),
        }
    }
}

#[async_trait]
impl EdgeCache for CacheApi {
    async fn get(&self, key: &CacheKey) -> Result<Option<StoredAnswer>, CacheError> {
        self.find(key).await
    }

    async fn put(&self, key: &CacheKey, answer: &StoredAnswer, lifetime_ms: i64) -> Result<(), CacheError> {
        self.spend()?;
        let envelope = seal(answer, lifetime_ms)?;
        let address = self.address(key);
        self.spawner.spawn(Box::pin(SendFuture::new(async move {
            if let Err(problem) = Cache::default().put(address, envelope).await {
                tracing::warn!("storing in the cache failed: {problem}");
            }
        })));
        Ok(())
    }
}

/// All of an answer but its body.
#[derive(Serialize, Deserialize)]
struct Entry {
    status: u16,
    content_type: String,
    tag: Option<String>,
    indexable: bool,
    retry: Option<Retry>,
    revision: Revision,
    fresh_until: UnixMillis,
    bytes: usize,
}

fn seal(answer: &StoredAnswer, lifetime_ms: i64) -> Result<Response, CacheError> {
    let entry = Entry {
        status: answer.status,
        content_type: answer.content_type.clone(),
        tag: answer.tag.clone(),
        indexable: answer.indexable,
        retry: answer.retry,
        revision: answer.revision,
        fresh_until: answer.fresh_until,
        bytes: answer.body.len(),
    };
    let entry = serde_json::to_string(&entry).map_err(|problem| CacheError(problem.to_string()))?;
    let headers = Headers::new();
    let lifetime = format!("public, max-age={}", lifetime_ms / 1_000);
    for (name, value) in [("cache-control", lifetime.as_str()), (ENTRY, entry.as_str())] {
        headers.set(name, value).map_err(failed)?;
    }
    Ok(ResponseBuilder::new().with_headers(headers).fixed(answer.body.to_vec()))
}

async fn open(mut envelope: Response) -> Result<StoredAnswer, CacheError> {
    let entry = envelope.headers().get(ENTRY).map_err(failed)?.unwrap_or_default();
    let entry: Entry = serde_json::from_str(&entry)
        .map_err(|problem| CacheError(format!("an entry says nothing of itself ({problem})")))?;
    let body = envelope.bytes().await.map_err(failed)?;
    if body.len() != entry.bytes {
        return Err(CacheError(format!("an entry has {} of its {} bytes", body.len(), entry.bytes)));
    }
    Ok(StoredAnswer {
        status: entry.status,
        content_type: entry.content_type,
        tag: entry.tag,
        indexable: entry.indexable,
        retry: entry.retry,
        revision: entry.revision,
        fresh_until: entry.fresh_until,
        body: body.into(),
    })
}

fn failed(problem: worker::Error) -> CacheError {
    CacheError(problem.to_string())
}
