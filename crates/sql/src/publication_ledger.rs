//! The ledger: finding work, taking it in hand, giving it back, moving it.

use fencepost_domain::{
    commit::Receipt,
    guard::Predicate,
    id::{ContentVersion, PuzzleId},
    item_view::{ItemSummary, Rescheduled},
    lease::{Lease, LeaseKey},
    ledger::{Ending, ItemState, LONGEST_WAIT_MS},
    preflight::{Begin, Preflight},
    quota::DailyQuota,
    time::{PlayDate, UnixMillis},
    work::{Position, RunnableItem, Wake},
};

use crate::{
    Batch, DecodeError, Query, Row, Statement, Value,
    clock::{CLOCK, DAY_MS, NOW, clock_from},
    decode::{self, IMAGE_COLUMNS, ITEM_COLUMNS, LEASE_COLUMNS, PAGE_COLUMNS, PUZZLE_COLUMNS, QUOTA_COLUMNS},
    guard::{lease_is_live, predicate_sql},
    lease_store::{claim_params, claim_sql, release_statement, take_over_sql},
    statement::sql_texts,
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

/// Whether the item `?1` may move to `?2`, seen at `?3`: there is a page in none of these states.
const MOVABLE: &str = "i.puzzle_id = ?1
    AND i.state IN ('scheduled', 'processing', 'blocked')
    AND i.due_at = coalesce(CAST(?3 AS INTEGER), i.due_at)
    AND CAST(?2 AS INTEGER) >= (SELECT p.playable_until FROM puzzles AS p WHERE p.puzzle_id = ?1)";

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
    AND i.due_at <= {NOW}
    AND (i.due_at, i.puzzle_id) > (CAST(?2 AS INTEGER), CAST(?3 AS INTEGER))
    AND {rested}
  ORDER BY i.due_at, i.puzzle_id
  LIMIT CAST(?4 AS INTEGER)) AS work ON true", live = lease_is_live("l", NOW), rested = rested(NOW));
    /// The oldest item that is runnable now, unless the site is at a standstill; and the
    /// next instant at which another may be. Looks at the backlog and at one item beyond.
    NEXT_WAKE = "publication_ledger/next_wake", format!("\
SELECT clock.now,
  (SELECT i.due_at
   FROM {BACKLOG}
   WHERE {RUNNABLE}
     AND i.due_at <= clock.now
     AND {rested}
     AND {free}
     AND {not_paused}
     AND coalesce((SELECT q.published < max(q.quota, ?2) FROM daily_quotas AS q
                   WHERE q.utc_day = clock.now / {DAY_MS}), 0 < ?2)
   ORDER BY i.due_at
   LIMIT 1) AS overdue,
  (SELECT min(waiting.at) FROM (
     SELECT max(CASE WHEN {rested} THEN 0 ELSE i.next_attempt_at END, coalesce(
       (SELECT l.expires_at FROM job_leases AS l WHERE l.key = 'publication:' || i.puzzle_id AND {live}), 0)) AS at
     FROM {BACKLOG}
     WHERE {RUNNABLE}
       AND i.due_at <= clock.now
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
        not_paused = predicate_sql(Predicate::NotPaused));
    /// The claim of an item that is runnable now; `?5` is the puzzle.
    CLAIM_ITEM = "publication_ledger/claim_item", claim_sql(&format!("\
WHERE EXISTS (SELECT 1 FROM publication_items AS i
              WHERE i.puzzle_id = ?5
                AND {RUNNABLE}
                AND i.due_at <= clock.now
                AND {})", rested("clock.now")));
    /// The mark: only under the claimer's own live lease, and only while the item is due.
    /// It asks the clock again, because the lease may be an older one of the same owner,
    /// from before the clock jumped back or the item was postponed.
    MARK_PROCESSING = "publication_ledger/mark_processing", format!("\
UPDATE publication_items
SET state = 'processing'
WHERE puzzle_id = ?2
  AND state = 'scheduled'
  AND due_at <= {NOW}
  AND {rested}
  AND EXISTS (SELECT 1 FROM job_leases AS l WHERE l.key = ?3 AND l.owner_id = ?4 AND {live})",
        live = lease_is_live("l", NOW),
        rested = rested(NOW).replace("i.", ""));
    /// An operator's take-over of an item that exists; `?5` is the puzzle.
    TAKE_ITEM_OVER = "publication_ledger/take_item_over", take_over_sql("\
WHERE EXISTS (SELECT 1 FROM publication_items AS i WHERE i.puzzle_id = ?5)");
    /// All that is seen before an item is rendered.
    PREFLIGHT = "publication_ledger/preflight", format!("\
SELECT clock.now, {LEASE_COLUMNS}, {ITEM_COLUMNS}, {PUZZLE_COLUMNS},
  {IMAGE_COLUMNS},
  {PAGE_COLUMNS},
  s.paused, {QUOTA_COLUMNS}
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
    /// An item that is not out is taken back: in none of these states is there a page.
    WITHDRAW_ITEM = "publication_ledger/withdraw_item", format!("\
UPDATE publication_items
SET state = 'withdrawn',
    blocked_reason = NULL
WHERE puzzle_id = ?1
  AND state IN ('scheduled', 'processing', 'blocked')
  AND {HELD}");
    /// Raises the bank's revision if [`WITHDRAW_ITEM`], which follows it, will change the item.
    RAISE_FOR_WITHDRAW = "publication_ledger/raise_for_withdraw", format!("\
UPDATE site_state
SET bank_revision = bank_revision + 1
WHERE id = 1
  AND EXISTS (SELECT 1 FROM publication_items AS i
              WHERE i.puzzle_id = ?1
                AND i.state IN ('scheduled', 'processing', 'blocked'))
  AND {HELD}");
    /// A withdrawn item without a page is scheduled again.
    REINSTATE_ITEM = "publication_ledger/reinstate_item", format!("\
UPDATE publication_items
SET state = 'scheduled',
    attempts = 0,
    next_attempt_at = 0
WHERE puzzle_id = ?1
  AND state = 'withdrawn'
  AND {NO_PAGE}
  AND {HELD}");
    /// Raises the bank's revision if [`REINSTATE_ITEM`], which follows it, will change the item.
    RAISE_FOR_REINSTATE = "publication_ledger/raise_for_reinstate", format!("\
UPDATE site_state
SET bank_revision = bank_revision + 1
WHERE id = 1
  AND EXISTS (SELECT 1 FROM publication_items AS i WHERE i.puzzle_id = ?1 AND i.state = 'withdrawn')
  AND {NO_PAGE}
  AND {HELD}");
    /// An item that is not out may be tried at once, in whosever hands it is.
    RETRY_ITEM = "publication_ledger/retry_item", "\
UPDATE publication_items
SET state = 'scheduled',
    attempts = 0,
    next_attempt_at = 0,
    blocked_reason = NULL
WHERE puzzle_id = ?1
  AND state IN ('scheduled', 'processing', 'blocked')";
    /// Raises the bank's revision if [`MOVE_DUE`], which follows it, will move the item.
    RAISE_FOR_MOVE = "publication_ledger/raise_for_move", format!("\
UPDATE site_state
SET bank_revision = bank_revision + 1
WHERE id = 1
  AND EXISTS (SELECT 1 FROM publication_items AS i
              WHERE {MOVABLE}
                AND i.due_at <> CAST(?2 AS INTEGER))");
    /// Moves the due instant.
    MOVE_DUE = "publication_ledger/move_due", format!("\
UPDATE publication_items AS i
SET due_at = CAST(?2 AS INTEGER),
    next_attempt_at = 0
WHERE {MOVABLE}");
    /// The instant at which its answer changes by itself.
    RECORD_DUE = "publication_ledger/record_due", "\
INSERT INTO visibility_instants (instant)
SELECT i.due_at
FROM publication_items AS i
WHERE i.puzzle_id = ?1
ON CONFLICT (instant) DO NOTHING";
    /// The item that stands, and its puzzle's end of play.
    READ_ITEM = "publication_ledger/read_item", format!("\
SELECT {ITEM_COLUMNS}, p.playable_until
FROM publication_items AS i
JOIN puzzles AS p ON p.puzzle_id = i.puzzle_id
WHERE i.puzzle_id = ?1");
    /// Stops or resumes.
    SET_PAUSED = "publication_ledger/set_paused", "\
UPDATE site_state
SET paused = CAST(?1 AS INTEGER)
WHERE id = 1";
    /// Whether the site is paused.
    READ_PAUSED = "publication_ledger/read_paused", "\
SELECT paused
FROM site_state
WHERE id = 1";
    /// Items for people, newest date of play first.
    LIST_ITEMS = "publication_ledger/list_items", format!("\
SELECT p.puzzle_id, p.play_date, p.name, {ITEM_COLUMNS},
  coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = p.puzzle_id), 0) AS page_version
FROM puzzles AS p
JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
WHERE p.play_date < coalesce(?1, '9999')
ORDER BY p.play_date DESC
LIMIT CAST(?2 AS INTEGER)");
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
    ];
    Batch {
        writes: vec![
            Statement::new(&CLAIM_ITEM, claim_of_item(begin)),
            Statement::new(&MARK_PROCESSING, mark),
        ],
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
    let mut params = claim_params(begin.key(), &begin.owner, begin.ttl_ms);
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
pub fn withdraw_unpublished(lease: &Lease) -> Batch<Rescheduled> {
    Batch {
        writes: vec![
            Statement::new(&RAISE_FOR_WITHDRAW, held_params(lease)),
            Statement::new(&WITHDRAW_ITEM, held_params(lease)),
            release_statement(lease),
        ],
        readback: read_item(lease.key.puzzle_id()),
    }
}

/// Schedules a withdrawn item without a page again.
pub fn reinstate_unpublished(lease: &Lease) -> Batch<Rescheduled> {
    Batch {
        writes: vec![
            Statement::new(&RAISE_FOR_REINSTATE, held_params(lease)),
            Statement::new(&REINSTATE_ITEM, held_params(lease)),
            release_statement(lease),
        ],
        readback: read_item(lease.key.puzzle_id()),
    }
}

/// Lets an item be tried at once.
pub fn retry(puzzle: PuzzleId) -> Batch<Rescheduled> {
    Batch {
        writes: vec![Statement::new(&RETRY_ITEM, vec![puzzle.get().into()])],
        readback: read_item(puzzle),
    }
}

/// Moves the due instant of an item.
pub fn reschedule(puzzle: PuzzleId, due_at: UnixMillis, expected: Option<UnixMillis>) -> Batch<Rescheduled> {
    let params = || vec![puzzle.get().into(), due_at.get().into(), expected.map(UnixMillis::get).into()];
    Batch {
        writes: vec![
            Statement::new(&RAISE_FOR_MOVE, params()),
            Statement::new(&MOVE_DUE, params()),
            Statement::new(&RECORD_DUE, vec![puzzle.get().into()]),
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

/// Stops or resumes all that makes content public.
pub fn set_paused(paused: bool) -> Batch<bool> {
    Batch {
        writes: vec![Statement::new(&SET_PAUSED, vec![paused.into()])],
        readback: Query::new(&READ_PAUSED, Vec::new(), |row| decode::flag(row, "paused")),
    }
}

/// Items for people.
pub fn items(before: Option<PlayDate>, limit: u32) -> Query<ItemSummary> {
    let params = vec![before.map(|date| date.to_string()).into(), i64::from(limit).into()];
    Query::new(&LIST_ITEMS, params, |row| {
        Ok(ItemSummary {
            puzzle_id: decode::puzzle_id(row, "puzzle_id")?,
            play_date: decode::parsed(row, "play_date")?,
            name: decode::text(row, "name")?,
            item: decode::required(decode::optional_item(row)?, "state")?,
            content_version: ContentVersion::new(decode::integer(row, "page_version")?),
        })
    })
}

/// Every change of a page, oldest first.
pub fn receipts(puzzle: PuzzleId) -> Query<Receipt> {
    Query::new(&RECEIPTS, vec![puzzle.get().into()], decode::receipt)
}
