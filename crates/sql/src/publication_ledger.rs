//! The ledger: finding work, taking it in hand, giving it back, moving it.

use fencepost_domain::{
    action::Entry,
    commit::Receipt,
    guard::Predicate,
    id::PuzzleId,
    item_view::Rescheduled,
    lease::{Lease, LeaseKey},
    ledger::{Ending, ItemState, LONGEST_WAIT_MS},
    preflight::{Begin, Preflight},
    quota::DailyQuota,
    time::{DAY_MS, UnixMillis},
    work::{Position, RunnableItem, Wake},
};

use crate::{
    Batch, DecodeError, Query, Row, SqlText, Statement, Value,
    action_log::{entry_params, landed, landing, trace_sql},
    clock::{CLOCK, NOW, clock_from},
    decode::{
        self, CATCH_UP_COLUMNS, IMAGE_COLUMNS, ITEM_COLUMNS, LEASE_COLUMNS, PAGE_COLUMNS, PUZZLE_COLUMNS,
        QUOTA_COLUMNS,
    },
    guard::{caught_up, predicate_sql, quota_under},
    lease_store::{claim_params, claim_sql, lease_is_live, release_statement, take_over_sql},
    sql_texts,
};

/// The states from which a job takes an item in hand; spelled as in the partial index
/// that holds exactly these items.
pub(crate) const RUNNABLE: &str = "i.state IN ('scheduled', 'processing')";

/// The ledger by way of that index, which is in the order of the work. Named, so that no
/// later index can tempt the planner into sorting every item that is ever to come.
pub(crate) const BACKLOG: &str = "publication_items AS i INDEXED BY publication_items_runnable";

/// Whether the item `i` is not waiting for its next attempt at `now`: see
/// `Item::is_runnable`.
pub(crate) fn rested(now: &str) -> String {
    format!("(i.next_attempt_at <= {now} OR i.next_attempt_at > {now} + {LONGEST_WAIT_MS})")
}

/// Whether the item `i` is in nobody's hands at `now`.
pub(crate) fn free(now: &str) -> String {
    let live = lease_is_live("l", now);
    format!(
        "coalesce((SELECT NOT ({live}) FROM job_leases AS l WHERE l.key = 'publication:' || i.puzzle_id), 1)"
    )
}

/// Whether the item `?1` is still the lease holder's: key `?2`, owner `?3`, fence `?4`.
/// Liveness is not asked: nobody has taken over, so giving back harms nobody.
const HELD: &str =
    "EXISTS (SELECT 1 FROM job_leases AS l WHERE l.key = ?2 AND l.owner_id = ?3 AND l.fence = ?4)";

/// Whether the item `?1` has no page; what is withdrawn may have one or not.
const NO_PAGE: &str = "NOT EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?1)";

/// The states in which an item `i` is not out: there is a page in none of them.
const NOT_OUT: &str = "i.state IN ('scheduled', 'processing', 'blocked')";

sql_texts! {
    /// What stops every publication, and work to do now, oldest first, after a position. The
    /// work stands inside, so that there is a row without any; the order of the rows is not
    /// promised by that, and whoever reads them puts them in order.
    RUNNABLE_ITEMS = "publication_ledger/runnable_items", format!("\
SELECT clock.now, s.paused, {QUOTA_COLUMNS}, work.puzzle_id, work.due_at, work.leased, work.photo_ready
FROM {CLOCK}
JOIN site_state AS s ON s.id = 1
LEFT JOIN daily_quotas AS q ON q.utc_day = clock.now / {DAY_MS}
LEFT JOIN (
  SELECT i.puzzle_id, i.due_at,
    coalesce((SELECT {live} FROM job_leases AS l WHERE l.key = 'publication:' || i.puzzle_id), 0) AS leased,
    EXISTS (SELECT 1
            FROM puzzles AS p
            LEFT JOIN source_images AS m ON m.puzzle_id = p.puzzle_id AND m.image_url = p.image_url
            WHERE p.puzzle_id = i.puzzle_id
              AND (p.image_url IS NULL OR m.state = 'ready')) AS photo_ready
  FROM {BACKLOG}
  WHERE {RUNNABLE}
    AND i.due_at BETWEEN {since} AND {NOW}
    AND (i.due_at, i.puzzle_id) > (CAST(?2 AS INTEGER), CAST(?3 AS INTEGER))
    AND {rested}
  ORDER BY i.due_at, i.puzzle_id
  LIMIT CAST(?4 AS INTEGER)) AS work ON true", live = lease_is_live("l", NOW), rested = rested(NOW), since = caught_up(NOW));
    /// The oldest item that is runnable now, unless the site is at a standstill; and the
    /// next instant at which another may be. Looks at the backlog and at one item beyond.
    NEXT_WAKE = "publication_ledger/next_wake", format!("\
SELECT clock.now,
  (SELECT i.due_at
   FROM {BACKLOG}
   WHERE {RUNNABLE}
     AND i.due_at BETWEEN {since} AND clock.now
     AND {rested}
     AND {free}
     AND {not_paused}
     AND coalesce((SELECT q.published < {limit} FROM daily_quotas AS q
                   WHERE q.utc_day = clock.now / {DAY_MS}), 0 < ?2)
   ORDER BY i.due_at
   LIMIT 1) AS overdue,
  (SELECT min(waiting.at) FROM (
     SELECT max(CASE WHEN {rested} THEN 0 ELSE i.next_attempt_at END, coalesce(
       (SELECT l.expires_at FROM job_leases AS l WHERE l.key = 'publication:' || i.puzzle_id AND {live}), 0)) AS at
     FROM {BACKLOG}
     WHERE {RUNNABLE}
       AND i.due_at BETWEEN {since} AND clock.now
     UNION ALL
     SELECT * FROM (
       SELECT i.due_at AS at
       FROM {BACKLOG}
       WHERE {RUNNABLE}
         AND i.due_at > clock.now
       ORDER BY i.due_at
       LIMIT 1)) AS waiting
   WHERE waiting.at > clock.now) AS upcoming
FROM {CLOCK}",
        live = lease_is_live("l", "clock.now"),
        rested = rested("clock.now"),
        free = free("clock.now"),
        since = caught_up("clock.now"),
        limit = quota_under("?2"),
        not_paused = predicate_sql(Predicate::NotPaused));
    /// The claim of an item that is runnable now; `?5` is the puzzle, and `?6` whether a person
    /// wants it.
    CLAIM_ITEM = "publication_ledger/claim_item", claim_sql(&format!("\
WHERE EXISTS (SELECT 1 FROM publication_items AS i
              WHERE i.puzzle_id = ?5
                AND {RUNNABLE}
                AND i.due_at <= clock.now
                AND (?6 OR i.due_at >= {})
                AND {})", caught_up("clock.now"), rested("clock.now")));
    /// The mark: only under the claimer's own live lease, and only while the item is due.
    /// It asks the clock again, because the lease may be an older one of the same owner,
    /// from before the clock jumped back or the item was postponed.
    MARK_PROCESSING = "publication_ledger/mark_processing", format!("\
UPDATE publication_items
SET state = 'processing'
WHERE puzzle_id = ?2
  AND state = 'scheduled'
  AND due_at <= {NOW}
  AND (?5 OR due_at >= {since})
  AND {rested}
  AND EXISTS (SELECT 1 FROM job_leases AS l WHERE l.key = ?3 AND l.owner_id = ?4 AND {live})",
        live = lease_is_live("l", NOW),
        since = caught_up(NOW),
        rested = rested(NOW).replace("i.", ""));
    /// An operator's take-over of an item that exists; `?5` is the puzzle.
    TAKE_ITEM_OVER = "publication_ledger/take_item_over", take_over_sql("\
WHERE EXISTS (SELECT 1 FROM publication_items AS i WHERE i.puzzle_id = ?5)");
    /// All that is seen before an item is rendered.
    PREFLIGHT = "publication_ledger/preflight", format!("\
SELECT clock.now, {LEASE_COLUMNS}, {ITEM_COLUMNS}, {PUZZLE_COLUMNS},
  {IMAGE_COLUMNS},
  {PAGE_COLUMNS},
  s.paused, {QUOTA_COLUMNS}, {CATCH_UP_COLUMNS}
FROM {CLOCK}
JOIN site_state AS s ON s.id = 1
LEFT JOIN publication_items AS i ON i.puzzle_id = ?2
LEFT JOIN puzzles AS p ON p.puzzle_id = ?2
LEFT JOIN source_images AS m ON m.puzzle_id = ?2
LEFT JOIN answer_posts AS a ON a.puzzle_id = ?2
LEFT JOIN job_leases AS l ON l.key = ?3
LEFT JOIN daily_quotas AS q ON q.utc_day = clock.now / {DAY_MS}");
    /// An attempt ends without a commit.
    GIVE_BACK = "publication_ledger/give_back", format!("\
UPDATE publication_items
SET state = ?5,
    attempts = attempts + CAST(?6 AS INTEGER),
    next_attempt_at = coalesce(clock.now + CAST(?7 AS INTEGER), next_attempt_at),
    blocked_reason = ?8
FROM {clock}
WHERE publication_items.puzzle_id = ?1
  AND publication_items.state = 'processing'
  AND {HELD}", clock = clock_from("?9"));
    /// The trace of a withdrawal of an item that is not out, and its guard.
    TRACE_WITHDRAWAL = "publication_ledger/trace_withdrawal", trace_sql(
        5,
        "i.puzzle_id",
        "json_object('from', i.state, 'to', 'withdrawn')",
        &format!("\
JOIN publication_items AS i ON i.puzzle_id = ?1
WHERE {NOT_OUT}
  AND {HELD}"));
    /// An item that is not out is taken back.
    WITHDRAW_ITEM = "publication_ledger/withdraw_item", format!("\
UPDATE publication_items
SET state = 'withdrawn',
    blocked_reason = NULL
WHERE puzzle_id = ?1
  AND {}", landing("?2"));
    /// The trace of the reinstatement of an item without a page, and its guard.
    TRACE_REINSTATEMENT = "publication_ledger/trace_reinstatement", trace_sql(
        5,
        "i.puzzle_id",
        "json_object('from', i.state, 'to', 'scheduled')",
        &format!("\
JOIN publication_items AS i ON i.puzzle_id = ?1
WHERE i.state = 'withdrawn'
  AND {NO_PAGE}
  AND {HELD}"));
    /// The trace of a retry, and its guard: an item that is not out, and that may not be tried
    /// at once anyway.
    TRACE_RETRY = "publication_ledger/trace_retry", trace_sql(
        2,
        "i.puzzle_id",
        "json_object('attempts', i.attempts, 'from', i.state, 'to', 'scheduled')",
        &format!("\
JOIN publication_items AS i ON i.puzzle_id = ?1
WHERE {NOT_OUT}
  AND (i.state, i.attempts, i.next_attempt_at) <> ('scheduled', 0, 0)"));
    /// An item is scheduled as if nothing had been tried, in whosever hands it is.
    SCHEDULE_ANEW = "publication_ledger/schedule_anew", format!("\
UPDATE publication_items
SET state = 'scheduled',
    attempts = 0,
    next_attempt_at = 0,
    blocked_reason = NULL
WHERE puzzle_id = ?1
  AND {}", landing("?2"));
    /// The trace of a move to `?2`, seen at `?3`, and its guard.
    TRACE_MOVE = "publication_ledger/trace_move", trace_sql(
        4,
        "i.puzzle_id",
        "json_object('from', i.due_at, 'to', CAST(?2 AS INTEGER))",
        &format!("\
JOIN publication_items AS i ON i.puzzle_id = ?1
WHERE {NOT_OUT}
  AND i.due_at = coalesce(CAST(?3 AS INTEGER), i.due_at)
  AND i.due_at <> CAST(?2 AS INTEGER)
  AND CAST(?2 AS INTEGER) >= (SELECT p.playable_until FROM puzzles AS p WHERE p.puzzle_id = ?1)"));
    /// Moves the due instant.
    MOVE_DUE = "publication_ledger/move_due", format!("\
UPDATE publication_items
SET due_at = CAST(?3 AS INTEGER),
    next_attempt_at = 0
WHERE puzzle_id = ?1
  AND {}", landing("?2"));
    /// The instant at which its answer changes by itself.
    RECORD_DUE = "publication_ledger/record_due", format!("\
INSERT INTO visibility_instants (instant)
SELECT i.due_at
FROM publication_items AS i
WHERE i.puzzle_id = ?1
  AND {}
ON CONFLICT (instant) DO NOTHING", landing("?2"));
    /// Pages of the bank are shown differently from now on.
    RAISE_FOR_ITEM = "publication_ledger/raise_for_item", format!("\
UPDATE site_state
SET bank_revision = bank_revision + 1
WHERE id = 1
  AND {}", landing("?1"));
    /// The item that stands, and its puzzle's end of play.
    READ_ITEM = "publication_ledger/read_item", format!("\
SELECT {ITEM_COLUMNS}, p.playable_until
FROM publication_items AS i
JOIN puzzles AS p ON p.puzzle_id = i.puzzle_id
WHERE i.puzzle_id = ?1");
    /// Every change of a page, oldest first.
    RECEIPTS = "publication_ledger/receipts", "\
SELECT commit_token, puzzle_id, kind, owner_id, fence, content_version, revision, committed_at
FROM commit_receipts
WHERE puzzle_id = ?1
ORDER BY content_version";
}

/// What a job looks at before it takes anything in hand, and one item: a row of what
/// [`runnable`] finds.
pub struct Finding {
    /// The database's clock.
    pub now: UnixMillis,
    /// Whether the site is paused.
    pub paused: bool,
    /// The row of the current UTC day.
    pub quota: Option<DailyQuota>,
    /// The item, if there is any. One that cannot be read is a finding like any other: the
    /// items behind it are due as well.
    pub item: Option<Result<RunnableItem, DecodeError>>,
}

/// What stops every publication, and the items that a job may take in hand, after a
/// position; one row at least.
pub fn runnable(after: Option<Position>, limit: u32) -> Query<Finding> {
    // No date of play lies before the epoch, and neither does a due instant.
    let (due_at, puzzle) = after.map_or((0, 0), |after| (after.due_at.get(), after.puzzle_id.get()));
    let params = vec![Value::Clock, due_at.into(), puzzle.into(), i64::from(limit).into()];
    Query::new(&RUNNABLE_ITEMS, params, |row| {
        let found = !matches!(row.integer("puzzle_id"), Ok(None));
        Ok(Finding {
            now: decode::instant(row, "now")?,
            paused: decode::flag(row, "paused")?,
            quota: decode::optional_quota(row)?,
            item: found.then(|| runnable_item(row)),
        })
    })
}

fn runnable_item(row: &dyn Row) -> Result<RunnableItem, DecodeError> {
    let position =
        Position { due_at: decode::instant(row, "due_at")?, puzzle_id: decode::puzzle_id(row, "puzzle_id")? };
    Ok(RunnableItem {
        position,
        leased: decode::flag(row, "leased")?,
        photo_ready: decode::flag(row, "photo_ready")?,
    })
}

/// When there is work under a daily quota.
pub fn next_wake(daily_quota: i64) -> Query<Wake> {
    Query::new(&NEXT_WAKE, vec![Value::Clock, daily_quota.into()], |row| {
        Ok(Wake {
            now: decode::instant(row, "now")?,
            overdue: decode::optional_instant(row, "overdue")?,
            upcoming: decode::optional_instant(row, "upcoming")?,
        })
    })
}

/// Claims an item, marks it, and reads.
pub fn begin(begin: &Begin) -> Batch<Preflight> {
    let mark = vec![
        Value::Clock,
        begin.puzzle_id.get().into(),
        begin.key().to_string().into(),
        begin.owner.as_str().into(),
        begin.by_hand.into(),
    ];
    let mut claim = claim_of_item(begin);
    claim.push(begin.by_hand.into());
    Batch {
        writes: vec![Statement::new(&CLAIM_ITEM, claim), Statement::new(&MARK_PROCESSING, mark)],
        readback: preflight(begin.puzzle_id),
    }
}

/// Takes an item over, and reads.
pub fn take_over(begin: &Begin) -> Batch<Preflight> {
    Batch {
        writes: vec![Statement::new(&TAKE_ITEM_OVER, claim_of_item(begin))],
        readback: preflight(begin.puzzle_id),
    }
}

fn claim_of_item(begin: &Begin) -> Vec<Value> {
    let mut params = claim_params(&begin.key(), &begin.owner, begin.ttl_ms);
    params.push(begin.puzzle_id.get().into());
    params
}

/// All that is seen before an item is rendered.
pub fn preflight(puzzle: PuzzleId) -> Query<Preflight> {
    let params = vec![Value::Clock, puzzle.get().into(), LeaseKey::Publication(puzzle).to_string().into()];
    Query::new(&PREFLIGHT, params, |row| {
        Ok(Preflight {
            now: decode::instant(row, "now")?,
            lease: decode::optional_lease(row)?,
            item: decode::optional_item(row)?,
            puzzle: decode::optional_puzzle(row)?,
            image: decode::optional_image(row)?,
            page: decode::optional_page(row)?,
            paused: decode::flag(row, "paused")?,
            quota: decode::optional_quota(row)?,
            catch_up: decode::catch_up(row)?,
        })
    })
}

/// Ends an attempt without a commit.
pub fn finish(lease: &Lease, ending: &Ending) -> Batch<Rescheduled> {
    let mut params = held_params(lease);
    let (state, failures, delay, reason) = match ending {
        Ending::Restore => (ItemState::Scheduled, 0, None, None),
        Ending::Wait { delay_ms } => (ItemState::Scheduled, 0, Some(*delay_ms), None),
        Ending::Fail { delay_ms } => (ItemState::Scheduled, 1, Some(*delay_ms), None),
        Ending::Block { reason } => (ItemState::Blocked, 1, None, Some(reason.as_str())),
    };
    params.extend([state.as_str().into(), failures.into(), delay.into(), reason.into(), Value::Clock]);
    Batch {
        writes: vec![Statement::new(&GIVE_BACK, params), release_statement(lease)],
        readback: read_item(lease.key.puzzle_id()),
    }
}

/// Takes back an item without a page.
pub fn withdraw_unpublished(lease: &Lease, entry: &Entry) -> Batch<Rescheduled> {
    held_change(&TRACE_WITHDRAWAL, &WITHDRAW_ITEM, lease, entry)
}

/// Schedules a withdrawn item without a page again.
pub fn reinstate_unpublished(lease: &Lease, entry: &Entry) -> Batch<Rescheduled> {
    held_change(&TRACE_REINSTATEMENT, &SCHEDULE_ANEW, lease, entry)
}

/// A change of an item by whoever holds its lease, which it releases.
fn held_change(
    trace: &'static SqlText,
    change: &'static SqlText,
    lease: &Lease,
    entry: &Entry,
) -> Batch<Rescheduled> {
    let puzzle = lease.key.puzzle_id();
    let mut guarded = held_params(lease);
    guarded.extend(entry_params(entry));
    Batch {
        writes: vec![
            Statement::new(trace, guarded),
            Statement::new(&RAISE_FOR_ITEM, vec![entry.token.as_str().into()]),
            Statement::new(change, vec![puzzle.get().into(), entry.token.as_str().into()]),
            landed(entry),
            release_statement(lease),
        ],
        readback: read_item(puzzle),
    }
}

/// Lets an item be tried at once.
pub fn retry(puzzle: PuzzleId, entry: &Entry) -> Batch<Rescheduled> {
    let mut guarded = vec![puzzle.get().into()];
    guarded.extend(entry_params(entry));
    Batch {
        writes: vec![
            Statement::new(&TRACE_RETRY, guarded),
            Statement::new(&SCHEDULE_ANEW, vec![puzzle.get().into(), entry.token.as_str().into()]),
            landed(entry),
        ],
        readback: read_item(puzzle),
    }
}

/// Moves the due instant of an item.
pub fn reschedule(
    puzzle: PuzzleId,
    due_at: UnixMillis,
    expected: Option<UnixMillis>,
    entry: &Entry,
) -> Batch<Rescheduled> {
    let token = || entry.token.as_str().into();
    let mut guarded = vec![puzzle.get().into(), due_at.get().into(), expected.map(UnixMillis::get).into()];
    guarded.extend(entry_params(entry));
    Batch {
        writes: vec![
            Statement::new(&TRACE_MOVE, guarded),
            Statement::new(&RAISE_FOR_ITEM, vec![token()]),
            Statement::new(&MOVE_DUE, vec![puzzle.get().into(), token(), due_at.get().into()]),
            Statement::new(&RECORD_DUE, vec![puzzle.get().into(), token()]),
            landed(entry),
        ],
        readback: read_item(puzzle),
    }
}

fn read_item(puzzle: PuzzleId) -> Query<Rescheduled> {
    Query::new(&READ_ITEM, vec![puzzle.get().into()], |row| {
        Ok(Rescheduled {
            item: decode::optional_item(row)?,
            playable_until: decode::optional_instant(row, "playable_until")?,
        })
    })
}

fn held_params(lease: &Lease) -> Vec<Value> {
    vec![
        lease.key.puzzle_id().get().into(),
        lease.key.to_string().into(),
        lease.owner.as_str().into(),
        lease.fence.get().into(),
    ]
}

/// Every change of a page, oldest first.
pub fn receipts(puzzle: PuzzleId) -> Query<Receipt> {
    Query::new(&RECEIPTS, vec![puzzle.get().into()], decode::receipt)
}
