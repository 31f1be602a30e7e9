//! The ledger of photos.

use fencepost_domain::{
    id::{OwnerId, PuzzleId},
    image::SourceImage,
    lease::{Lease, LeaseKey},
    ledger::LONGEST_WAIT_MS,
    preflight::{ImagePreflight, ImageRecord},
    puzzle::LONGEST_PLAY_MS,
};

use crate::{
    Batch, Query, Statement, Value,
    clock::{CLOCK, NOW},
    decode::{self, IMAGE_COLUMNS, LEASE_COLUMNS},
    lease_store::{claim_params, claim_sql, release_statement},
    sql_texts,
};

/// Whether a fetch of the address `?6` for the puzzle `p` counts, made by `?4` under the
/// fence `?5` of the lease `l`: run out or not, as long as nobody has taken it over, and
/// for the address that the puzzle has.
const RECORDABLE: &str = "p.image_url = ?6
  AND l.owner_id = ?4
  AND l.fence = ?5";

sql_texts! {
    /// Puzzles open, or about to open, whose photo is wanted and may be tried.
    UNPREPARED = "source_images/unprepared", format!("\
SELECT p.puzzle_id
FROM puzzles AS p
JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
LEFT JOIN source_images AS m ON m.puzzle_id = p.puzzle_id AND m.image_url = p.image_url
WHERE p.opens_at <= {NOW} + CAST(?2 AS INTEGER)
  AND p.opens_at > {NOW} - {LONGEST_PLAY_MS}
  AND p.playable_until > {NOW}
  AND p.image_url IS NOT NULL
  AND i.state <> 'withdrawn'
  AND (m.puzzle_id IS NULL OR (m.state = 'failed' AND (m.next_attempt_at <= {NOW} OR m.next_attempt_at > {NOW} + {LONGEST_WAIT_MS})))
ORDER BY p.opens_at
LIMIT CAST(?3 AS INTEGER)");
    /// The claim of a photo that is wanted and not stored; `?5` is the puzzle.
    CLAIM_IMAGE = "source_images/claim_image", claim_sql("\
WHERE EXISTS (SELECT 1 FROM puzzles AS p
              LEFT JOIN source_images AS m
                ON m.puzzle_id = p.puzzle_id AND m.image_url = p.image_url AND m.state = 'ready'
              WHERE p.puzzle_id = ?5
                AND p.image_url IS NOT NULL
                AND m.puzzle_id IS NULL)");
    /// What is seen before a photo is fetched.
    IMAGE_PREFLIGHT = "source_images/image_preflight", format!("\
SELECT clock.now, {LEASE_COLUMNS}, p.image_url, {IMAGE_COLUMNS}
FROM {CLOCK}
LEFT JOIN puzzles AS p ON p.puzzle_id = ?2
LEFT JOIN source_images AS m ON m.puzzle_id = ?2
LEFT JOIN job_leases AS l ON l.key = ?3");
    /// Raises the bank's revision if [`RECORD_IMAGE`], which follows it, will change the photo
    /// that the puzzle shows.
    RAISE_FOR_PHOTO = "source_images/raise_for_photo", format!("\
UPDATE site_state
SET bank_revision = bank_revision + 1
WHERE id = 1
  AND EXISTS (SELECT 1
              FROM puzzles AS p
              JOIN job_leases AS l ON l.key = ?3
              LEFT JOIN source_images AS m ON m.puzzle_id = ?2 AND m.image_url = p.image_url
              WHERE p.puzzle_id = ?2
                AND {RECORDABLE}
                AND m.object_key IS NOT ?1)", RECORDABLE = RECORDABLE.replace('\n', "\n              "));
    /// A fetch is recorded.
    RECORD_IMAGE = "source_images/record_image", format!("\
INSERT INTO source_images (puzzle_id, image_url, state, object_key, content_type, bytes, error,
  next_attempt_at, updated_at)
SELECT p.puzzle_id, p.image_url, ?7, ?8, ?9, CAST(?10 AS INTEGER), ?11,
  coalesce(clock.now + CAST(?12 AS INTEGER), 0), clock.now
FROM {CLOCK}
JOIN puzzles AS p ON p.puzzle_id = ?2
JOIN job_leases AS l ON l.key = ?3
WHERE {RECORDABLE}
ON CONFLICT (puzzle_id) DO UPDATE
SET image_url = excluded.image_url,
    state = excluded.state,
    object_key = excluded.object_key,
    content_type = excluded.content_type,
    bytes = excluded.bytes,
    error = excluded.error,
    next_attempt_at = excluded.next_attempt_at,
    updated_at = excluded.updated_at");
    /// What is known of a photo.
    READ_IMAGE = "source_images/read_image", format!("\
SELECT {IMAGE_COLUMNS}
FROM source_images AS m
WHERE m.puzzle_id = ?1");
}

/// Puzzles whose photo is to be made ready.
pub fn unprepared(lead_ms: i64, limit: u32) -> Query<PuzzleId> {
    Query::new(&UNPREPARED, vec![Value::Clock, lead_ms.into(), i64::from(limit).into()], |row| {
        decode::puzzle_id(row, "puzzle_id")
    })
}

/// Claims a photo's lease, and reads.
pub fn begin(puzzle: PuzzleId, owner: &OwnerId, ttl_ms: i64) -> Batch<ImagePreflight> {
    let key = LeaseKey::Image(puzzle);
    let mut claim = claim_params(&key, owner, ttl_ms);
    claim.push(puzzle.get().into());
    let read = vec![Value::Clock, puzzle.get().into(), key.to_string().into()];
    Batch {
        writes: vec![Statement::new(&CLAIM_IMAGE, claim)],
        readback: Query::new(&IMAGE_PREFLIGHT, read, |row| {
            Ok(ImagePreflight {
                now: decode::instant(row, "now")?,
                lease: decode::optional_lease(row)?,
                image_url: row.text("image_url")?,
                image: decode::optional_image(row)?,
            })
        }),
    }
}

/// Records a fetch, and releases the lease.
pub fn record(lease: &Lease, record: &ImageRecord) -> Batch<Option<SourceImage>> {
    let puzzle = lease.key.puzzle_id();
    let (ImageRecord::Ready { image_url, .. } | ImageRecord::Failed { image_url, .. }) = record;
    // What both statements of the guard take; the first parameter differs.
    let guarded = |first: Value| {
        vec![
            first,
            puzzle.get().into(),
            lease.key.to_string().into(),
            lease.owner.as_str().into(),
            lease.fence.get().into(),
            image_url.as_str().into(),
        ]
    };
    let shown = match record {
        ImageRecord::Ready { object_key, .. } => object_key.as_str().into(),
        ImageRecord::Failed { .. } => Value::Null,
    };
    let mut params = guarded(Value::Clock);
    params.extend(match record {
        ImageRecord::Ready { object_key, bytes, .. } => [
            "ready".into(),
            object_key.as_str().into(),
            object_key.format().content_type().into(),
            (*bytes).into(),
            Value::Null,
            Value::Null,
        ],
        ImageRecord::Failed { error, retry_after_ms, .. } => [
            "failed".into(),
            Value::Null,
            Value::Null,
            Value::Null,
            error.as_str().into(),
            (*retry_after_ms).into(),
        ],
    });
    Batch {
        writes: vec![
            Statement::new(&RAISE_FOR_PHOTO, guarded(shown)),
            Statement::new(&RECORD_IMAGE, params),
            release_statement(lease),
        ],
        readback: Query::new(&READ_IMAGE, vec![puzzle.get().into()], decode::optional_image),
    }
}
