//! Publishing what is due.
//!
//! Everything that could be checked between reading a post and writing its page may have
//! changed when the write arrives. So nothing is checked there: the conditions travel inside
//! the write, in its guard, and a batch whose guard says no writes nothing at all. That is an
//! outcome like any other. The guard says: the lease is still the writer's (nobody took over
//! while it slept), there is no page yet, the post is due by the database's clock, and it is
//! what was read.
//!
//! All other statements of the batch hang on the token that the first one left on the page.
//! The last one reads back what happened, and rolls everything back if revision, receipt and
//! page do not agree.

use askama::Template;
use fencepost_batch::{
    Chain, Change, Committed, Guard, Insert, Linked, Marked, Marking, PlanRunner, Query, ReadBack, Sql,
    Store, Tracing, Value, clock::NOW, decode, sql_texts,
};
use fencepost_core::{StoreError, id::OwnerId, landing::Ended, lease::Lease, retry::Patience};

use crate::Post;

/// After how long the work of one who died is taken over, in milliseconds.
pub const LEASE_MS: i64 = 60_000;

/// A post that was due, and what became of it: `None` if somebody else has it in hand.
pub type Told = (String, Result<Option<Committed>, StoreError>);

/// What the lease on a post is called.
pub fn lease_key(slug: &str) -> String {
    format!("post:{slug}")
}

enum Page {}

impl Marked for Page {
    type Key = String;
    type LeaseKey = String;
    const TABLE: &'static str = "pages";
    const ALIAS: &'static str = "g";
    const KEY: &'static str = "slug";
    const AT: &'static str = "published_at";
    const RECEIPTS: &'static str = "receipts";

    fn lease_key(slug: &String) -> String {
        lease_key(slug)
    }
}

/// `?8` is the title that was read, `?9` the body.
fn guard() -> Guard<Page> {
    let of_post = |what: &str| format!("(SELECT {what} FROM posts AS p WHERE p.slug = ?2)");
    Guard::under_lease()
        .and("is_due", of_post("p.due_at <= clock.now"))
        .and("is_as_read", of_post("p.title = ?8 AND p.body = ?9"))
}

sql_texts! {
    DUE = "posts/due", format!("\
SELECT p.slug, p.title, p.body
FROM posts AS p
WHERE p.due_at <= {NOW}
  AND NOT EXISTS (SELECT 1 FROM pages AS g WHERE g.slug = p.slug)
ORDER BY p.due_at, p.slug
LIMIT CAST(?2 AS INTEGER)");
    PUBLISH: Marking<Page> = "pages/publish", Sql::insert_marked("title, html", "?8, ?10", &guard());
    RAISE_REVISION: Linked<Page> = "pages/raise_revision",
        Sql::update("site_state", "revision = revision + 1", "id = 1");
    WRITE_RECEIPT: Linked<Page> = "pages/write_receipt", Sql::insert(Insert {
        table: "receipts",
        columns: "commit_token, slug, version, revision",
        values: "?7, g.slug, g.version, (SELECT s.revision FROM site_state AS s)",
        ..Insert::default()
    });
    RELEASE: Linked<Page> = "pages/release", Sql::release_lease();
    READ_BACK: ReadBack<Page> = "pages/read_back", Sql::of_guard(&guard(), &[(
        "the revision is not that of the newest receipt",
        "(SELECT s.revision FROM site_state AS s) = coalesce((SELECT max(r.revision) FROM receipts AS r), 0)".to_owned(),
    )], "");
    TRACE: Tracing<Page> = "pages/trace", Sql::receipts("");
}

/// The posts that are due and not out, oldest first, `at_most` so many. A hint: what counts is
/// what the guard says.
///
/// # Errors
/// A store that misbehaved.
pub async fn due<R: PlanRunner>(store: &Store<R>, at_most: i64) -> Result<Vec<Post>, StoreError> {
    let params = vec![Value::Clock, at_most.into()];
    let query = Query::new(&DUE, params, |row| {
        let text = |column| decode::text(row, column);
        Ok(Post { slug: text("slug")?, title: text("title")?, body: text("body")? })
    });
    store.read(query).await
}

/// Publishes a post under a lease, which nobody holds any more afterwards.
///
/// # Errors
/// A store that misbehaved; nothing was written, or nobody can say.
pub async fn publish<R: PlanRunner>(
    store: &Store<R>,
    patience: Patience<'_>,
    lease: &Lease<String>,
    post: &Post,
) -> Result<Committed, StoreError> {
    let html = article(&post.body);
    let change = Change::new(lease, post.slug.clone(), 0);
    let batch = |attempt| {
        let own = [post.title.as_str(), &post.body, &html].map(Into::into);
        Chain::begin(attempt, &change, &PUBLISH, own)
            .then(&RAISE_REVISION, [])
            .then(&WRITE_RECEIPT, [])
            .then(&RELEASE, [])
            .read_back(&READ_BACK, |_| Ok(()))
    };
    store.commit(patience, &change, &TRACE, batch).await
}

/// Publishes what is due, `at_most` so many posts. Whatever is left, the next run finds.
///
/// # Errors
/// A store that does not say what is due.
pub async fn publish_due<R: PlanRunner>(
    store: &Store<R>,
    patience: Patience<'_>,
    owner: &OwnerId,
    at_most: i64,
) -> Result<Vec<Told>, StoreError> {
    let mut told = Vec::new();
    for post in patience.persistently(|| due(store, at_most)).await? {
        let ended = take_in_hand(store, patience, owner, &post).await;
        told.push((post.slug, ended));
    }
    Ok(told)
}

async fn take_in_hand<R: PlanRunner>(
    store: &Store<R>,
    patience: Patience<'_>,
    owner: &OwnerId,
    post: &Post,
) -> Result<Option<Committed>, StoreError> {
    let key = lease_key(&post.slug);
    let Some(lease) = patience.persistently(|| store.hold(&key, owner, LEASE_MS)).await? else {
        return Ok(None);
    };
    publish(store, patience, &lease, post).await.map(Some)
}

/// What became of a post, for the log.
pub fn in_words(ended: &Result<Option<Committed>, StoreError>) -> String {
    match ended {
        Ok(Some(Ended::Landed(_))) => "published".to_owned(),
        Ok(Some(Ended::Refused(refusal))) => format!("not published, for want of {refusal}"),
        Ok(Some(Ended::Superseded)) => "published by somebody else".to_owned(),
        Ok(Some(Ended::Unknown)) => "nobody can say what became of it; the next run will".to_owned(),
        Ok(None) => "somebody else has it in hand".to_owned(),
        Err(error) => format!("not published, or nobody can say: {error}"),
    }
}

/// The content of a page. It is made safe here, once.
fn article(body: &str) -> String {
    #[derive(Template)]
    #[template(path = "article.html")]
    struct Article<'a> {
        paragraphs: Vec<&'a str>,
    }

    let paragraphs = body.split("\n\n").map(str::trim).filter(|text| !text.is_empty()).collect();
    Article { paragraphs }.render().expect("a template of plain texts renders")
}
