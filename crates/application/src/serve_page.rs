//! Serving a page: the whole policy of the cache.
//!
//! A request first asks the store what time it is and how far the site has come. That one
//! small query is what freshness costs, and nothing can be saved on it: whatever was
//! answered without it could be old. Everything after it uses that time and no other.
//!
//! The answer of the query names a cache entry ([`fencepost_domain::cache_key`]). If the
//! cache has it, that is all. If not, the content is read together with the revisions that
//! it belongs to, rendered, and put under *these* revisions: a commit may have landed
//! between the two queries, and new content under an old name would be the one mistake
//! that nothing later could mend.
//!
//! What is kept is true for its name, for as long as its stretch of time lasts. The cache
//! is not trusted with either: an entry says itself what it is the answer to, and until when
//! it may be used, by the store's clock. A cache that fails, forgets, or hands over something
//! else costs speed and nothing more.
//!
//! Not kept is what does not exist, an empty list among it. There are more addresses of
//! nothing than of pages, and whoever tries them out in turn would push every page out of the
//! cache. Nor is a page that
//! had to leave out a row that wants repair: whoever repairs it raises no revision.

use std::sync::Arc;

use bytes::Bytes;
use fencepost_domain::{
    cache_key::{self, CacheKey, CacheSpace},
    calendar::{HOME_LIFETIME_MS, LONGEST_LIFETIME_MS},
    id::PuzzleId,
    image::ImageKey,
    revision::{Revision, SiteMoment},
    time::{PlayDate, UnixMillis},
};
use fencepost_ports::{CacheEntry, CacheError, Reply, Retry, Snapshot, StoreError};
use sha2::{Digest, Sha256};

use crate::{AnswerPageView, CacheUse, Content, Photo, PlayView, Site, StatsView};

/// What a reader asks for: an address that may have an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// The front page.
    Home,
    /// The list of answers.
    Answers {
        /// Those played before this date; `None` for the newest.
        before: Option<PlayDate>,
    },
    /// The answer of a puzzle.
    Answer(PuzzleId),
    /// How a puzzle was played, once its answer is out.
    Stats(PuzzleId),
    /// A puzzle, while it is played.
    Play(PuzzleId),
    /// The feed of the newest answers.
    Feed,
    /// The list of pages for search engines.
    Sitemap,
    /// A photo.
    Image {
        /// Which.
        key: ImageKey,
        /// Whether the client has its bytes, and wants to know only if it may show them.
        held: bool,
    },
}

impl Address {
    /// The one path, with its query, at which this is found.
    pub fn path(&self) -> String {
        match self {
            Self::Home => "/".to_owned(),
            Self::Answers { before: None } => "/answers".to_owned(),
            Self::Answers { before: Some(date) } => format!("/answers?before={date}"),
            Self::Answer(puzzle_id) => format!("/answers/{puzzle_id}"),
            Self::Stats(puzzle_id) => format!("/api/puzzles/{puzzle_id}/stats"),
            Self::Play(puzzle_id) => format!("/play/{puzzle_id}"),
            Self::Feed => "/feed.xml".to_owned(),
            Self::Sitemap => "/sitemap.xml".to_owned(),
            Self::Image { key, .. } => format!("/images/{key}"),
        }
    }

    /// The kind of address.
    const fn scope(&self) -> &'static str {
        match self {
            Self::Home => "home",
            Self::Answers { .. } => "answers",
            Self::Answer(_) => "answer",
            Self::Stats(_) => "stats",
            Self::Play(_) => "play",
            Self::Feed => "feed",
            Self::Sitemap => "sitemap",
            Self::Image { .. } => "image",
        }
    }

    const fn longest_lifetime_ms(&self) -> i64 {
        match self {
            Self::Home => HOME_LIFETIME_MS,
            Self::Answers { .. }
            | Self::Answer(_)
            | Self::Stats(_)
            | Self::Play(_)
            | Self::Feed
            | Self::Sitemap
            | Self::Image { .. } => LONGEST_LIFETIME_MS,
        }
    }
}

/// A reply as a view makes it, from content alone: never from the instant of the request, or
/// two requests would not get the same bytes.
#[derive(Clone, Debug)]
pub struct Rendering {
    /// The status of the answer.
    pub status: u16,
    /// What the body is.
    pub content_type: &'static str,
    /// The entity tag, without quotes, where it is not to be that of the body.
    pub tag: Option<String>,
    /// Whether search engines may keep it.
    pub indexable: bool,
    /// When asking again may help.
    pub retry: Option<Retry>,
    /// The document, or the photo.
    pub body: Bytes,
}

/// A reply, and what the request has learnt beside it.
#[derive(Clone, Debug)]
pub struct Served {
    /// The reply, as others may be given it as well.
    pub reply: Arc<Reply>,
    /// The instant of the request, by the store's clock.
    pub now: UnixMillis,
    /// Whether the request found out that an answer is due and not out.
    pub overdue: bool,
}

impl Site {
    /// Answers a request for an address. `space` tells whoever renders apart from others.
    ///
    /// # Errors
    /// A store that cannot be read: an old answer might be wrong, so there is none.
    pub async fn serve_page(
        &self,
        space: &CacheSpace,
        address: &Address,
        render: impl FnOnce(Content) -> Rendering + Send,
    ) -> Result<Served, StoreError> {
        let moment = self.moment().await?;
        let name = |at: &SiteMoment| cache_key::key(space, address.scope(), &address.path(), at);
        let cached = self.cached(&name(&moment), moment.now).await;
        if let Ok(Some(reply)) = cached {
            self.counters.cache(CacheUse::Hit);
            return Ok(served(reply, &moment));
        }
        let Snapshot { publication_revision, bank_revision, value, unreadable } =
            self.read(address, moment.now).await?;
        for problem in &unreadable {
            tracing::error!("a page leaves out what wants repair: {problem}");
        }
        let fresh_until = if can_be_kept(&value) && unreadable.is_empty() {
            moment.stretch.fresh_until(moment.now, address.longest_lifetime_ms())
        } else {
            None
        };
        let reply = Arc::new(render(value).reply(publication_revision));
        let mut came_of_it = Ok(CacheUse::NotKept);
        if let Some(fresh_until) = fresh_until {
            let key = name(&SiteMoment { publication_revision, bank_revision, ..moment });
            let entry = CacheEntry { key, fresh_until, reply: Arc::clone(&reply) };
            let kept = self.keep(&entry, fresh_until.since(moment.now)).await;
            came_of_it = kept.map(|()| CacheUse::Miss);
        }
        self.counters.cache(cached.and(came_of_it).unwrap_or(CacheUse::Failed));
        Ok(served(reply, &moment))
    }

    /// Answers a request for an address that cannot have an answer. What it learns and tells
    /// is what a request for a page that is not there learns and tells.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn serve_nothing(&self, rendering: Rendering) -> Result<Served, StoreError> {
        let moment = self.moment().await?;
        Ok(rendering.served_once(&moment))
    }

    /// Time and revision. Answers whether the store can be read at all.
    pub async fn moment(&self) -> Result<SiteMoment, StoreError> {
        self.stores.revisions.moment().await
    }

    /// What the cache has under a key, as far as it may be used.
    async fn cached(&self, key: &CacheKey, now: UnixMillis) -> Result<Option<Arc<Reply>>, CacheError> {
        let found = self.cache.get(key).await.inspect_err(
            |error| tracing::warn!(%key, "reading the cache failed, the page is made anew: {error}"),
        );
        let usable = |entry: &CacheEntry| entry.key == *key && now < entry.fresh_until;
        found.map(|entry| entry.filter(usable).map(|entry| entry.reply))
    }

    async fn keep(&self, entry: &CacheEntry, lifetime_ms: i64) -> Result<(), CacheError> {
        let kept = self.cache.put(entry, lifetime_ms).await;
        kept.inspect_err(|error| tracing::warn!(key = %entry.key, "storing in the cache failed: {error}"))
    }
}

fn served(reply: Arc<Reply>, moment: &SiteMoment) -> Served {
    Served { reply, now: moment.now, overdue: moment.overdue }
}

/// Whether this is worth keeping: what exists, and whole.
fn can_be_kept(content: &Content) -> bool {
    match content {
        Content::Answers { list, .. } => !list.answers.is_empty(),
        Content::Answer { view, .. } => *view != AnswerPageView::Unknown,
        Content::Stats { view, .. } => *view != StatsView::Unknown,
        Content::Play { view, .. } => *view != PlayView::Unknown,
        Content::Image { photo, .. } => matches!(photo, Photo::Bytes(_)),
        Content::Home(_) | Content::Feed(_) | Content::Sitemap(_) => true,
    }
}

impl Rendering {
    /// The reply to one request, which is kept nowhere.
    pub(crate) fn served_once(self, moment: &SiteMoment) -> Served {
        served(Arc::new(self.reply(moment.publication_revision)), moment)
    }

    fn reply(self, revision: Revision) -> Reply {
        Reply {
            status: self.status,
            content_type: self.content_type.to_owned(),
            tag: tag_of(self.tag, self.status, &self.body),
            indexable: self.indexable,
            retry: self.retry,
            revision,
            body: self.body,
        }
    }
}

/// A reply that succeeded is known by its content, not by the revision: a publication
/// elsewhere leaves a reader's copy of it valid. One that did not succeed has no tag, since
/// a condition applies only to a request that would otherwise succeed.
fn tag_of(spelled: Option<String>, status: u16, body: &[u8]) -> Option<String> {
    (status == 200).then(|| spelled.unwrap_or_else(|| short_hash(body, 16)))
}

/// The first `bytes` bytes of the SHA-256 of `content`, in hexadecimal.
pub fn short_hash(content: &[u8], bytes: usize) -> String {
    Sha256::digest(content).iter().take(bytes).map(|byte| format!("{byte:02x}")).collect()
}
