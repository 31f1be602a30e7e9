//! Writing posts, as long as they are not out.
//!
//! Once a post is out, its page is what was published, and a change of the post would change
//! nothing that anybody sees. So it is refused. (To correct a page is a guarded batch of its
//! own, with a new revision: `Sql::update_marked` in the place of `Sql::insert_marked`.)

use fencepost_batch::{Batch, PlanRunner, Query, Statement, Store, Value, decode, sql_texts};
use fencepost_core::{StoreError, time::UnixMillis};

/// What somebody has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    /// Its address: lower-case letters, digits and hyphens.
    pub slug: String,
    /// Its title, as plain text.
    pub title: String,
    /// Paragraphs of plain text, with an empty line between them.
    pub body: String,
}

sql_texts! {
    ADD = "posts/add", "\
INSERT INTO posts (slug, title, body, due_at)
SELECT ?1, ?2, ?3, CAST(?4 AS INTEGER)
WHERE NOT EXISTS (SELECT 1 FROM pages AS g WHERE g.slug = ?1)
ON CONFLICT (slug) DO UPDATE
SET title = excluded.title,
    body = excluded.body,
    due_at = excluded.due_at";
    ADDED = "posts/added", "SELECT EXISTS (SELECT 1 FROM pages AS g WHERE g.slug = ?1) AS is_out";
}

/// Adds a post, or changes one that is not out yet. Returns whether it did: what is out stays
/// as it is.
///
/// # Errors
/// A store that misbehaved, or that refuses the post: the table says what one may consist of.
pub async fn add<R: PlanRunner>(
    store: &Store<R>,
    post: &Post,
    due_at: UnixMillis,
) -> Result<bool, StoreError> {
    let slug = Value::from(post.slug.as_str());
    let params =
        vec![slug.clone(), post.title.as_str().into(), post.body.as_str().into(), due_at.get().into()];
    let is_out = Query::new(&ADDED, vec![slug], |row| decode::flag(row, "is_out"));
    let is_out =
        store.batch_one(Batch { writes: vec![Statement::new(&ADD, params)], readback: is_out }).await?;
    Ok(!is_out)
}
