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

use fencepost_domain::{
    commit::{Change, Commit, CommitKind, CommitReadback, CommitTrace},
    guard::Predicate,
    id::{CommitToken, ContentVersion, PuzzleId},
    page::AnswerContent,
    revision::Revision,
};

use crate::{
    Batch, DecodeError, Query, Row, SqlText, Statement, Value, action_log,
    clock::{CLOCK, DAY_MS},
    decode, guard,
    statement::sql_texts,
};

/// How the message of a failed assertion begins, wherever the store puts it.
pub const ASSERTION: &str = "assertion failed:";

/// Whether the attempt's token is on the page: what every later statement depends on.
/// `?1` is the puzzle, `?2` the token.
const LANDED: &str =
    "EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?1 AND a.commit_token = ?2)";

sql_texts! {
    /// A page appears.
    PUBLISH_PAGE = "commit/publish_page", publish_page();
    /// A page gets new content.
    UPDATE_PAGE = "commit/update_page", change_page(CommitKind::Update, CONTENT_COLUMNS);
    /// A page becomes a tombstone.
    WITHDRAW_PAGE = "commit/withdraw_page", change_page(CommitKind::Withdraw, "withdrawn_at = clock.now");
    /// A tombstone becomes a page.
    REINSTATE_PAGE = "commit/reinstate_page", change_page(CommitKind::Reinstate, "withdrawn_at = NULL");
    /// The item gets the state that fits the page.
    MOVE_ITEM = "commit/move_item", format!("\
UPDATE publication_items
SET state = ?3
WHERE puzzle_id = ?1
  AND {LANDED}");
    /// The site's revision goes up by one.
    RAISE_REVISION = "commit/raise_revision", format!("\
UPDATE site_state
SET publication_revision = publication_revision + 1
WHERE id = 1
  AND {LANDED}");
    /// The proof.
    WRITE_RECEIPT = "commit/write_receipt", "\
INSERT INTO commit_receipts (commit_token, puzzle_id, kind, owner_id, fence, content_version, revision, committed_at)
SELECT ?2, a.puzzle_id, ?3, ?4, CAST(?5 AS INTEGER), a.content_version, s.publication_revision, a.updated_at
FROM answer_posts AS a
JOIN site_state AS s ON s.id = 1
WHERE a.puzzle_id = ?1
  AND a.commit_token = ?2";
    /// One page more on this UTC day.
    COUNT_QUOTA = "commit/count_quota", format!("\
INSERT INTO daily_quotas (utc_day, published, quota)
SELECT a.updated_at / {DAY_MS}, 1, CAST(?3 AS INTEGER)
FROM answer_posts AS a
WHERE a.puzzle_id = ?1
  AND a.commit_token = ?2
ON CONFLICT (utc_day) DO UPDATE
SET published = published + 1,
    quota = max(quota, CASE WHEN set_quota IS NULL THEN excluded.quota ELSE published + 1 END)");
    /// The deed of a person that the commit was, if it was one.
    TRACE_DEED = "commit/trace_deed", format!("\
INSERT INTO operator_actions ({})
SELECT ?2, r.committed_at, ?3, ?4, r.puzzle_id, ?5,
  json_object('outcome', ?6, 'revision', r.revision, 'version', r.content_version), 0
FROM commit_receipts AS r
WHERE r.puzzle_id = ?1
  AND r.commit_token = ?2", action_log::COLUMNS);
    /// The lease has done its work.
    RELEASE_LEASE = "commit/release_lease", format!("\
UPDATE job_leases
SET expires_at = 0,
    updated_at = (SELECT a.updated_at FROM answer_posts AS a WHERE a.puzzle_id = ?1)
WHERE key = ?3
  AND owner_id = ?4
  AND fence = ?5
  AND {LANDED}");
    /// What happened, asserted.
    READ_BACK_PUBLISH = "commit/read_back_publish", read_back(CommitKind::Publish);
    /// What happened, asserted.
    READ_BACK_UPDATE = "commit/read_back_update", read_back(CommitKind::Update);
    /// What happened, asserted.
    READ_BACK_WITHDRAW = "commit/read_back_withdraw", read_back(CommitKind::Withdraw);
    /// What happened, asserted.
    READ_BACK_REINSTATE = "commit/read_back_reinstate", read_back(CommitKind::Reinstate);
    /// Looks for the receipt of an attempt without an answer.
    TRACE = "commit/trace", format!("\
SELECT clock.now,
  coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = ?2), 0) AS page_version,
  r.commit_token, r.puzzle_id, r.kind, r.owner_id, r.fence, r.content_version, r.revision, r.committed_at
FROM {CLOCK}
LEFT JOIN commit_receipts AS r ON r.commit_token IN (SELECT value FROM json_each(?3)) AND r.puzzle_id = ?2
LIMIT 1");
}

/// What an update writes; the parameters after the guard's and the token.
const CONTENT_COLUMNS: &str = "bank_version = CAST(?7 AS INTEGER),
    play_date = ?14,
    name = ?15,
    price_cents = CAST(?16 AS INTEGER),
    body_html = ?17,
    image_key = ?8,
    indexable = CAST(?9 AS INTEGER)";

fn publish_page() -> String {
    format!(
        "\
INSERT INTO answer_posts (puzzle_id, content_version, commit_token, bank_version, play_date, name, price_cents,
  body_html, image_key, indexable, published_at, updated_at)
SELECT CAST(?2 AS INTEGER), CAST(?10 AS INTEGER) + 1, ?13, CAST(?7 AS INTEGER), ?14, ?15, CAST(?16 AS INTEGER),
  ?17, ?8, CAST(?9 AS INTEGER), clock.now, clock.now
FROM {CLOCK}
WHERE {}",
        guard::conjunction(CommitKind::Publish.guard())
    )
}

fn change_page(kind: CommitKind, columns: &str) -> String {
    format!(
        "\
UPDATE answer_posts
SET content_version = content_version + 1,
    commit_token = ?13,
    updated_at = clock.now,
    {columns}
FROM {CLOCK}
WHERE answer_posts.puzzle_id = ?2
  AND {}",
        guard::conjunction(kind.guard())
    )
}

/// What must hold after every batch, landed or not: a name, and an expression.
const ASSERTIONS: [(&str, &str); 4] = [
    (
        "the revision is not that of the newest receipt",
        "(SELECT s.publication_revision FROM site_state AS s WHERE s.id = 1) \
         = coalesce((SELECT max(r.revision) FROM commit_receipts AS r), 0)",
    ),
    (
        "token and receipt are not together",
        "EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?2 AND a.commit_token = ?13) \
         = EXISTS (SELECT 1 FROM commit_receipts AS r WHERE r.commit_token = ?13)",
    ),
    (
        "the page is not at the version of its newest receipt",
        "coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = ?2), 0) \
         = coalesce((SELECT max(r.content_version) FROM commit_receipts AS r WHERE r.puzzle_id = ?2), 0)",
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
          NOT EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?2))",
    ),
];

/// Whether the token is on the page, by the parameters of the guard and the token.
pub(crate) const LANDED_BY_GUARD_PARAMS: &str =
    "EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?2 AND a.commit_token = ?13)";

/// The path `well` when all is well, and otherwise one that `json_extract` refuses with a
/// message that names what is not: the only way to raise an error from a SELECT on both D1
/// and SQLite.
pub(crate) fn assertion(well: &str) -> String {
    let cases = ASSERTIONS
        .map(|(name, holds)| format!("WHEN ({holds}) IS NOT TRUE\n      THEN '{ASSERTION} {name}'"))
        .join("\n    ");
    format!("json_extract('{{}}', CASE\n    {cases}\n    ELSE {well} END)")
}

fn read_back(kind: CommitKind) -> String {
    format!(
        "\
SELECT
  {assertion} AS assertion,
  {LANDED_BY_GUARD_PARAMS} AS landed,
  coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = ?2), 0) AS page_version,
  (SELECT s.publication_revision FROM site_state AS s WHERE s.id = 1) AS publication_revision,
  (SELECT a.updated_at FROM answer_posts AS a WHERE a.puzzle_id = ?2 AND a.commit_token = ?13) AS committed_at,
  {predicates}
FROM {CLOCK}",
        assertion = assertion("'$'"),
        predicates = guard::columns(kind.guard()),
    )
}

/// The commit batch.
pub fn commit(commit: &Commit) -> Batch<CommitReadback> {
    let kind = commit.change.kind();
    let read_back: &'static SqlText = match kind {
        CommitKind::Publish => &READ_BACK_PUBLISH,
        CommitKind::Update => &READ_BACK_UPDATE,
        CommitKind::Withdraw => &READ_BACK_WITHDRAW,
        CommitKind::Reinstate => &READ_BACK_REINSTATE,
    };
    let readback = Query::new(read_back, params_with_token(commit), move |row| decode_readback(row, kind));
    Batch { writes: writes(commit), readback }
}

/// The parameters of the guard, and the token.
pub(crate) fn params_with_token(commit: &Commit) -> Vec<Value> {
    let mut params = guard::params(commit);
    params.push(commit.token.as_str().into());
    params
}

/// The statements of a commit, but for the read-back.
pub(crate) fn writes(commit: &Commit) -> Vec<Statement> {
    let kind = commit.change.kind();
    let mut page_params = params_with_token(commit);
    if let Some(content) = commit.change.content() {
        page_params.extend(content_params(content));
    }
    let mut writes = vec![
        Statement::new(page_text(&commit.change), page_params),
        chained(&MOVE_ITEM, commit, [kind.state_after().as_str().into()]),
        chained(&RAISE_REVISION, commit, []),
        chained(
            &WRITE_RECEIPT,
            commit,
            [kind.as_str().into(), commit.lease.owner.as_str().into(), commit.lease.fence.get().into()],
        ),
    ];
    if kind == CommitKind::Publish {
        writes.push(chained(&COUNT_QUOTA, commit, [commit.daily_quota.into()]));
    }
    if let Some(deed) = &commit.by {
        let [actor, action, reason] = action_log::deed_params(deed);
        writes.push(chained(&TRACE_DEED, commit, [actor, action, reason, kind.outcome().as_str().into()]));
    }
    writes.push(chained(
        &RELEASE_LEASE,
        commit,
        [
            commit.lease.key.to_string().into(),
            commit.lease.owner.as_str().into(),
            commit.lease.fence.get().into(),
        ],
    ));
    writes
}

/// The receipt of one of `tokens`, if one landed.
pub fn trace(puzzle: PuzzleId, tokens: &[CommitToken]) -> Query<CommitTrace> {
    let tokens = serde_json::to_string(tokens).expect("a list of texts is JSON");
    Query::new(&TRACE, vec![Value::Clock, puzzle.get().into(), tokens.into()], |row| {
        Ok(CommitTrace {
            now: decode::instant(row, "now")?,
            receipt: row.text("commit_token")?.map(|_| decode::receipt(row)).transpose()?,
            content_version: ContentVersion::new(decode::integer(row, "page_version")?),
        })
    })
}

/// A statement that depends on the token: `?1` the puzzle, `?2` the token, then its own.
fn chained<const N: usize>(text: &'static SqlText, commit: &Commit, own: [Value; N]) -> Statement {
    let mut params = vec![commit.puzzle_id().get().into(), commit.token.as_str().into()];
    params.extend(own);
    Statement::new(text, params)
}

fn page_text(change: &Change) -> &'static SqlText {
    match change {
        Change::Publish(_) => &PUBLISH_PAGE,
        Change::Update(_) => &UPDATE_PAGE,
        Change::Withdraw => &WITHDRAW_PAGE,
        Change::Reinstate => &REINSTATE_PAGE,
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

fn decode_readback(row: &dyn Row, kind: CommitKind) -> Result<CommitReadback, DecodeError> {
    let guard: Result<Vec<(Predicate, bool)>, DecodeError> = kind
        .guard()
        .iter()
        .map(|predicate| Ok((*predicate, decode::flag(row, predicate.as_str())?)))
        .collect();
    Ok(CommitReadback {
        landed: decode::flag(row, "landed")?,
        content_version: ContentVersion::new(decode::integer(row, "page_version")?),
        revision: Revision::new(decode::integer(row, "publication_revision")?),
        committed_at: decode::optional_instant(row, "committed_at")?,
        guard: guard?,
    })
}
