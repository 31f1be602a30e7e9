//! What people did: the trace of every action.
//!
//! An action that is no commit, no import and no run is a batch whose first statement is its
//! trace. That one has the whole guard, and a row that is *landing*: every later statement
//! depends on it, and the last one says that it has landed. So nothing is changed without a
//! trace and nothing is traced that was not changed. A batch that is sent again, because its
//! answer was lost, finds its row landed, and does nothing: not even what somebody else has
//! undone since.
//!
//! Commits, imports and runs have a token of their own already. Their trace takes it, and is
//! written if that token has landed.

use fencepost_domain::{
    action::{Deed, Entry, LoggedAction, Reason},
    id::{CommitToken, PuzzleId},
    time::UnixMillis,
};

use crate::{
    Batch, DecodeError, Query, Row, Statement, Value,
    clock::{CLOCK, clock_from},
    decode, sql_texts,
};

/// The columns of a row that is to be made.
pub(crate) const COLUMNS: &str = "token, at, actor, action, puzzle_id, reason, detail, landing";

/// The columns that [`logged`] reads.
pub(crate) const LOGGED_COLUMNS: &str =
    "o.rowid AS number, o.token, o.at, o.actor, o.action, o.puzzle_id, o.reason, o.detail";

/// The trace that begins a batch, on the condition `source`, which may join the clock's table
/// with others. Its five parameters begin with `?first`: see [`entry_params`].
pub(crate) fn trace_sql(first: usize, puzzle: &str, detail: &str, source: &str) -> String {
    let [token, clock, actor, action, reason] = [0, 1, 2, 3, 4].map(|nth| format!("?{}", first + nth));
    format!(
        "\
INSERT INTO operator_actions ({COLUMNS})
SELECT {token}, clock.now, {actor}, {action}, {puzzle}, {reason}, {detail}, 1
FROM {clock}
{source}
ON CONFLICT (token) DO NOTHING",
        clock = clock_from(&clock)
    )
}

/// The parameters of a trace: token, clock, actor, action, reason.
pub(crate) fn entry_params(entry: &Entry) -> [Value; 5] {
    let [actor, action, reason] = deed_params(&entry.deed);
    [entry.token.as_str().into(), Value::Clock, actor, action, reason]
}

/// Actor, action and reason.
pub(crate) fn deed_params(deed: &Deed) -> [Value; 3] {
    [
        deed.actor.name.as_str().into(),
        deed.action.as_str().into(),
        deed.actor.reason.as_ref().map(Reason::as_str).into(),
    ]
}

/// Whether the action with the token `token` is landing in this very batch.
pub(crate) fn landing(token: &str) -> String {
    format!("EXISTS (SELECT 1 FROM operator_actions AS o WHERE o.token = {token} AND o.landing = 1)")
}

sql_texts! {
    /// The action has landed.
    LANDED = "action_log/landed", "\
UPDATE operator_actions
SET landing = 0
WHERE token = ?1
  AND landing = 1";
    /// A link to a preview was made, which changes nothing else.
    TRACE_PREVIEW = "action_log/trace_preview", format!("\
INSERT INTO operator_actions ({COLUMNS})
SELECT ?2, clock.now, ?3, ?4, CAST(?6 AS INTEGER), ?5, json_object('expires_at', CAST(?7 AS INTEGER)), 0
FROM {CLOCK}
WHERE EXISTS (SELECT 1 FROM puzzles AS p WHERE p.puzzle_id = ?6)
ON CONFLICT (token) DO NOTHING");
    /// The action with a token.
    READ_ACTION = "action_log/read_action", format!("\
SELECT {LOGGED_COLUMNS}
FROM operator_actions AS o
WHERE o.token = ?1");
    /// Actions, the newest first.
    ACTIONS = "action_log/actions", format!("\
SELECT {LOGGED_COLUMNS}
FROM operator_actions AS o
WHERE o.rowid < coalesce(?1, 9223372036854775807)
ORDER BY o.rowid DESC
LIMIT CAST(?2 AS INTEGER)");
    /// What was done with one item, oldest first.
    ACTIONS_OF = "action_log/actions_of", format!("\
SELECT {LOGGED_COLUMNS}
FROM operator_actions AS o
WHERE o.puzzle_id = ?1
ORDER BY o.rowid");
}

/// The end of a batch that began with a trace.
pub(crate) fn landed(entry: &Entry) -> Statement {
    Statement::new(&LANDED, vec![entry.token.as_str().into()])
}

/// Records that a link to a preview was made.
pub fn trace_preview(entry: &Entry, puzzle: PuzzleId, expires_at: UnixMillis) -> Batch<LoggedAction> {
    let [actor, done, reason] = deed_params(&entry.deed);
    let token = entry.token.as_str();
    let params =
        vec![Value::Clock, token.into(), actor, done, reason, puzzle.get().into(), expires_at.get().into()];
    Batch { writes: vec![Statement::new(&TRACE_PREVIEW, params)], readback: action(&entry.token) }
}

/// The action with this token, if it is on record.
pub fn action(token: &CommitToken) -> Query<LoggedAction> {
    Query::new(&READ_ACTION, vec![token.as_str().into()], logged)
}

/// Actions, the newest first.
pub fn actions(before: Option<i64>, limit: u32) -> Query<LoggedAction> {
    Query::new(&ACTIONS, vec![before.into(), i64::from(limit).into()], logged)
}

/// What was done with one item, oldest first.
pub fn actions_of(puzzle: PuzzleId) -> Query<LoggedAction> {
    Query::new(&ACTIONS_OF, vec![puzzle.get().into()], logged)
}

pub(crate) fn logged(row: &dyn Row) -> Result<LoggedAction, DecodeError> {
    let puzzle_id = row.integer("puzzle_id")?.map(|_| decode::puzzle_id(row, "puzzle_id")).transpose()?;
    Ok(LoggedAction {
        number: decode::integer(row, "number")?,
        token: CommitToken::new(decode::text(row, "token")?),
        at: decode::instant(row, "at")?,
        actor: decode::text(row, "actor")?,
        action: decode::parsed(row, "action")?,
        puzzle_id,
        reason: row.text("reason")?,
        detail: decode::json(row, "detail")?,
    })
}
