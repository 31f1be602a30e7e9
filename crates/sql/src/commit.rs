//! The commit batch: the heart of the matter.
//!
//! 1. The *page* statement carries the whole guard and writes a token that was never
//!    used before. If any predicate is false it writes nothing, which is no error.
//! 2. Every later statement is conditioned on that token being on the page, so that
//!    zero propagates: ledger, revision, receipt, quota, release.
//! 3. The read-back tells what happened, and *asserts* what must hold whether or not
//!    the token landed. If a later statement ever lacked its condition, the assertion
//!    raises and the whole batch rolls back: a forgotten condition fails closed.
//!
//! The assertion stands in a SELECT whose only source is the clock, so that there is
//! always one row to judge, even for an item that has no page.
//!
//! How such a batch is put together, and what keeps a statement from standing in it without
//! its condition, is [`fencepost_batch`]'s. Here is what a commit of a site consists of.

use fencepost_batch::{
    Chain, Change, Insert, Linked, Marked, Marking, OWN, Raising, ReadBack, Sql, Text, Told, Tracing,
    texts::Assertion,
};
use fencepost_core::attempt::Attempt;
use fencepost_domain::{
    commit::{self, Commit, CommitKind, CommitReadback, CommitTrace},
    id::{CommitToken, ContentVersion, PuzzleId},
    lease::LeaseKey,
    page::AnswerContent,
    revision::Revision,
    time::{DAY_MS, UnixMillis},
};

use crate::{
    Batch, DecodeError, Query, Row, Value, action_log, decode,
    guard::{guard, own_params},
    sql_texts,
};

/// A published page: the row that a commit changes.
pub(crate) enum Page {}

/// What a page is found by.
#[derive(Clone)]
pub(crate) struct PageKey(PuzzleId);

impl From<PageKey> for Value {
    fn from(PageKey(puzzle): PageKey) -> Self {
        puzzle.get().into()
    }
}

impl Marked for Page {
    type Key = PageKey;
    type LeaseKey = LeaseKey;
    const TABLE: &'static str = "answer_posts";
    const ALIAS: &'static str = "a";
    const KEY: &'static str = "puzzle_id";
    const VERSION: &'static str = "content_version";
    const RECEIPTS: &'static str = "commit_receipts";

    fn lease_key(PageKey(puzzle): &PageKey) -> LeaseKey {
        LeaseKey::Publication(*puzzle)
    }
}

sql_texts! {
    /// A page appears.
    PUBLISH_PAGE: Marking<Page> = "commit/publish_page", Sql::insert_marked(
        "bank_version, play_date, name, price_cents, body_html, image_key, indexable, published_at",
        "CAST(?9 AS INTEGER), ?14, ?15, CAST(?16 AS INTEGER), ?17, ?10, CAST(?11 AS INTEGER), clock.now",
        &guard(CommitKind::Publish));
    /// A page gets new content.
    UPDATE_PAGE: Marking<Page> = "commit/update_page", Sql::update_marked("\
bank_version = CAST(?9 AS INTEGER),
    play_date = ?14,
    name = ?15,
    price_cents = CAST(?16 AS INTEGER),
    body_html = ?17,
    image_key = ?10,
    indexable = CAST(?11 AS INTEGER)", &guard(CommitKind::Update));
    /// A page becomes a tombstone.
    WITHDRAW_PAGE: Marking<Page> = "commit/withdraw_page",
        Sql::update_marked("withdrawn_at = clock.now", &guard(CommitKind::Withdraw));
    /// A tombstone becomes a page.
    REINSTATE_PAGE: Marking<Page> = "commit/reinstate_page",
        Sql::update_marked("withdrawn_at = NULL", &guard(CommitKind::Reinstate));
    /// The item gets the state that fits the page.
    MOVE_ITEM: Linked<Page> = "commit/move_item", Sql::update("publication_items", "state = ?8", "puzzle_id = ?2");
    /// The site's revision goes up by one.
    RAISE_REVISION: Linked<Page> = "commit/raise_revision", Sql::update(
        "site_state", "publication_revision = publication_revision + 1", "id = 1");
    /// The proof.
    WRITE_RECEIPT: Linked<Page> = "commit/write_receipt", Sql::insert(Insert {
        table: "commit_receipts",
        columns: "commit_token, puzzle_id, kind, owner_id, fence, content_version, revision, committed_at",
        values: "?7, a.puzzle_id, ?8, ?4, CAST(?5 AS INTEGER), a.content_version, s.publication_revision, a.updated_at",
        joins: "JOIN site_state AS s ON s.id = 1",
        ..Insert::default()
    });
    /// One page more on this UTC day.
    COUNT_QUOTA: Linked<Page> = "commit/count_quota", Sql::insert(Insert {
        table: "daily_quotas",
        columns: "utc_day, published, quota",
        values: &format!("a.updated_at / {DAY_MS}, 1, CAST(?8 AS INTEGER)"),
        on_conflict: "(utc_day) DO UPDATE
SET published = published + 1,
    quota = max(quota, CASE WHEN set_quota IS NULL THEN excluded.quota ELSE published + 1 END)",
        ..Insert::default()
    });
    /// The deed of a person that the commit was, if it was one.
    TRACE_DEED: Linked<Page> = "commit/trace_deed", Sql::insert(Insert {
        table: "operator_actions",
        columns: action_log::COLUMNS,
        values: "?7, r.committed_at, ?8, ?9, r.puzzle_id, ?10,
  json_object('outcome', ?11, 'revision', r.revision, 'version', r.content_version), 0",
        joins: "JOIN commit_receipts AS r ON r.commit_token = a.commit_token",
        ..Insert::default()
    });
    /// The lease has done its work.
    RELEASE_LEASE: Linked<Page> = "commit/release_lease", Sql::release_lease();
    /// What happened, asserted.
    READ_BACK_PUBLISH: ReadBack<Page> = "commit/read_back_publish", read_back(CommitKind::Publish);
    /// What happened, asserted.
    READ_BACK_UPDATE: ReadBack<Page> = "commit/read_back_update", read_back(CommitKind::Update);
    /// What happened, asserted.
    READ_BACK_WITHDRAW: ReadBack<Page> = "commit/read_back_withdraw", read_back(CommitKind::Withdraw);
    /// What happened, asserted.
    READ_BACK_REINSTATE: ReadBack<Page> = "commit/read_back_reinstate", read_back(CommitKind::Reinstate);
    /// Looks for the receipt of an attempt without an answer.
    TRACE: Tracing<Page> = "commit/trace", Sql::receipts(
        "r.puzzle_id, r.kind, r.owner_id, r.fence, r.content_version, r.revision, r.committed_at");
}

/// What must hold of a site after every batch, besides what must hold of every guarded batch.
fn assertions() -> [Assertion; 2] {
    [
        (
            "the revision is not that of the newest receipt",
            "(SELECT s.publication_revision FROM site_state AS s WHERE s.id = 1) \
             = coalesce((SELECT max(r.revision) FROM commit_receipts AS r), 0)"
                .to_owned(),
        ),
        (
            "the state of the item does not fit the page",
            "coalesce((SELECT CASE \
                WHEN a.puzzle_id IS NULL THEN i.state <> 'published' \
                WHEN a.withdrawn_at IS NULL THEN i.state = 'published' \
                ELSE i.state = 'withdrawn' END \
              FROM publication_items AS i \
              LEFT JOIN answer_posts AS a ON a.puzzle_id = i.puzzle_id \
              WHERE i.puzzle_id = ?2), \
              NOT EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?2))"
                .to_owned(),
        ),
    ]
}

/// Raises `message` when all is well, and otherwise says what is not.
pub(crate) fn raising(message: &str) -> Sql<Raising<Page>> {
    Sql::raising(&assertions(), message)
}

fn read_back(kind: CommitKind) -> Sql<ReadBack<Page>> {
    let columns = "\
(SELECT s.publication_revision FROM site_state AS s WHERE s.id = 1) AS publication_revision,
  (SELECT a.updated_at FROM answer_posts AS a WHERE a.puzzle_id = ?2 AND a.commit_token = ?7) AS committed_at";
    Sql::of_guard(&guard(kind), &assertions(), columns)
}

/// The commit batch.
pub fn commit(commit: &Commit) -> Batch<CommitReadback> {
    let kind = commit.change.kind();
    let read_back: &'static Text<ReadBack<Page>> = match kind {
        CommitKind::Publish => &READ_BACK_PUBLISH,
        CommitKind::Update => &READ_BACK_UPDATE,
        CommitKind::Withdraw => &READ_BACK_WITHDRAW,
        CommitKind::Reinstate => &READ_BACK_REINSTATE,
    };
    let batch = chain(commit).read_back(read_back, decode_columns).into_batch();
    let readback = batch.readback.map(move |Told { landed, version, guard, told }| CommitReadback {
        landed,
        content_version: ContentVersion::new(version),
        revision: told.revision,
        committed_at: told.committed_at,
        // The columns stand in the order of the predicates.
        guard: kind.guard().iter().copied().zip(guard.into_iter().map(|(_, holds)| holds)).collect(),
    });
    Batch { writes: batch.writes, readback }
}

/// The statements of a commit, but for the read-back.
pub(crate) fn chain(commit: &Commit) -> Chain<Page> {
    let kind = commit.change.kind();
    let mut own = own_params(commit);
    if let Some(content) = commit.change.content() {
        own.extend(content_params(content));
    }
    let text = page_text(&commit.change);
    // What a kind of commit is not concerned with stands at the end.
    own.truncate(text.as_ref().arity() + 1 - OWN);
    // A commit travels through a port as a value, and whoever makes one draws its token for it.
    let attempt = Attempt::vouched_for(commit.token.clone());
    let change = Change::new(&commit.lease, PageKey(commit.puzzle_id()), commit.content_version.get());
    let mut chain = Chain::begin(attempt, &change, text, own)
        .then(&MOVE_ITEM, [kind.state_after().as_str().into()])
        .then(&RAISE_REVISION, [])
        .then(&WRITE_RECEIPT, [kind.as_str().into()]);
    if kind == CommitKind::Publish {
        chain = chain.then(&COUNT_QUOTA, [commit.daily_quota.into()]);
    }
    if let Some(deed) = &commit.by {
        let [actor, action, reason] = action_log::deed_params(deed);
        chain = chain.then(&TRACE_DEED, [actor, action, reason, kind.outcome().as_str().into()]);
    }
    chain.then(&RELEASE_LEASE, [])
}

/// The receipt of one of `tokens`, if one landed.
pub fn trace(puzzle: PuzzleId, tokens: &[CommitToken]) -> Query<CommitTrace> {
    let tokens = serde_json::to_string(tokens).expect("a list of texts is JSON");
    Query::new(TRACE.as_ref(), vec![Value::Clock, puzzle.get().into(), tokens.into()], |row| {
        Ok(CommitTrace {
            now: decode::instant(row, "now")?,
            receipt: row.text("commit_token")?.map(|_| decode::receipt(row)).transpose()?,
            content_version: ContentVersion::new(decode::integer(row, "row_version")?),
        })
    })
}

fn page_text(change: &commit::Change) -> &'static Text<Marking<Page>> {
    match change {
        commit::Change::Publish(_) => &PUBLISH_PAGE,
        commit::Change::Update(_) => &UPDATE_PAGE,
        commit::Change::Withdraw => &WITHDRAW_PAGE,
        commit::Change::Reinstate => &REINSTATE_PAGE,
    }
}

fn content_params(content: &AnswerContent) -> [Value; 4] {
    [
        content.play_date.to_string().into(),
        content.name.as_str().into(),
        content.price_cents.into(),
        content.body_html.as_str().into(),
    ]
}

/// What a site tells besides what every guarded batch tells.
struct Columns {
    revision: Revision,
    committed_at: Option<UnixMillis>,
}

fn decode_columns(row: &dyn Row) -> Result<Columns, DecodeError> {
    Ok(Columns {
        revision: Revision::new(decode::integer(row, "publication_revision")?),
        committed_at: decode::optional_instant(row, "committed_at")?,
    })
}
