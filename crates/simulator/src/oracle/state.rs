//! What the database holds, read past the application: by queries that share nothing with
//! those that are judged.

use fencepost_domain::{lease::MAX_LEASE_MS, ledger::LONGEST_WAIT_MS};
use rusqlite::{Connection, Row};

/// Everything that the promises are about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) revision: i64,
    pub(crate) bank_revision: i64,
    pub(crate) paused: bool,
    /// What jobs do about items that are late: whether they leave them alone, and how old ones.
    pub(crate) skips_late: bool,
    pub(crate) skip_older_than: Option<i64>,
    /// In the order in which they were done.
    pub(crate) actions: Vec<Trace>,
    pub(crate) puzzles: Vec<Puzzle>,
    pub(crate) items: Vec<Item>,
    pub(crate) pages: Vec<Page>,
    pub(crate) receipts: Vec<Receipt>,
    pub(crate) leases: Vec<Lease>,
    pub(crate) quotas: Vec<Quota>,
    pub(crate) photos: Vec<Photo>,
    pub(crate) instants: Vec<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trace {
    pub(crate) token: String,
    pub(crate) action: String,
    pub(crate) landing: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Puzzle {
    pub(crate) id: i64,
    pub(crate) opens_at: i64,
    pub(crate) playable_until: i64,
    pub(crate) name: String,
    pub(crate) image_url: Option<String>,
    pub(crate) bank_version: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) id: i64,
    pub(crate) state: String,
    pub(crate) due_at: i64,
    pub(crate) attempts: i64,
    pub(crate) next_attempt_at: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) id: i64,
    pub(crate) version: i64,
    pub(crate) token: String,
    pub(crate) bank_version: i64,
    pub(crate) name: String,
    pub(crate) image_key: Option<String>,
    pub(crate) indexable: bool,
    pub(crate) published_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) withdrawn: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Receipt {
    pub(crate) token: String,
    pub(crate) id: i64,
    pub(crate) kind: String,
    pub(crate) owner: String,
    pub(crate) fence: i64,
    pub(crate) version: i64,
    pub(crate) revision: i64,
    pub(crate) committed_at: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lease {
    pub(crate) key: String,
    pub(crate) owner: String,
    pub(crate) fence: i64,
    pub(crate) expires_at: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quota {
    pub(crate) day: i64,
    pub(crate) published: i64,
    pub(crate) quota: i64,
    /// What a person has set.
    pub(crate) set: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Photo {
    pub(crate) id: i64,
    pub(crate) image_url: String,
    pub(crate) object_key: Option<String>,
}

impl Lease {
    /// Whether it can be relied on.
    pub(crate) fn is_live(&self, clock: i64) -> bool {
        lies_ahead(self.expires_at, clock, MAX_LEASE_MS)
    }
}

impl Item {
    /// Whether it waits for its next attempt.
    pub(crate) fn rests(&self, clock: i64) -> bool {
        lies_ahead(self.next_attempt_at, clock, LONGEST_WAIT_MS)
    }

    /// The key of its lease.
    pub(crate) fn lease_key(&self) -> String {
        publication_key(self.id)
    }
}

/// Whether an instant lies ahead, and not so far that only a clock that jumped can have set it.
fn lies_ahead(instant: i64, clock: i64, longest: i64) -> bool {
    instant > clock && instant <= clock + longest
}

/// The key of the lease of a puzzle's publication.
pub(crate) fn publication_key(id: i64) -> String {
    format!("publication:{id}")
}

impl Quota {
    /// How many pages the day has left, under a setting.
    pub(crate) fn left(&self, setting: i64) -> i64 {
        self.set.unwrap_or_else(|| self.quota.max(setting)) - self.published
    }
}

impl State {
    /// Reads everything.
    pub(crate) fn read(database: &Connection) -> rusqlite::Result<Self> {
        let site = "SELECT publication_revision, bank_revision, paused, publish_late = 0, skip_older_than
                    FROM site_state";
        let (revision, bank_revision, paused, skips_late, skip_older_than) =
            database
                .prepare_cached(site)?
                .query_row([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)))?;
        Ok(Self {
            revision,
            bank_revision,
            paused,
            skips_late,
            skip_older_than,
            actions: all(
                database,
                "SELECT token, action, landing FROM operator_actions ORDER BY rowid",
                |row| Ok(Trace { token: row.get(0)?, action: row.get(1)?, landing: row.get(2)? }),
            )?,
            puzzles: all(
                database,
                "SELECT puzzle_id, opens_at, playable_until, name, image_url, bank_version
                 FROM puzzles ORDER BY puzzle_id",
                |row| {
                    Ok(Puzzle {
                        id: row.get(0)?,
                        opens_at: row.get(1)?,
                        playable_until: row.get(2)?,
                        name: row.get(3)?,
                        image_url: row.get(4)?,
                        bank_version: row.get(5)?,
                    })
                },
            )?,
            items: all(
                database,
                "SELECT puzzle_id, state, due_at, attempts, next_attempt_at FROM publication_items ORDER BY puzzle_id",
                |row| {
                    Ok(Item {
                        id: row.get(0)?,
                        state: row.get(1)?,
                        due_at: row.get(2)?,
                        attempts: row.get(3)?,
                        next_attempt_at: row.get(4)?,
                    })
                },
            )?,
            pages: all(
                database,
                "SELECT puzzle_id, content_version, commit_token, bank_version, name, image_key, indexable,
                   published_at, updated_at, withdrawn_at IS NOT NULL
                 FROM answer_posts ORDER BY puzzle_id",
                |row| {
                    Ok(Page {
                        id: row.get(0)?,
                        version: row.get(1)?,
                        token: row.get(2)?,
                        bank_version: row.get(3)?,
                        name: row.get(4)?,
                        image_key: row.get(5)?,
                        indexable: row.get(6)?,
                        published_at: row.get(7)?,
                        updated_at: row.get(8)?,
                        withdrawn: row.get(9)?,
                    })
                },
            )?,
            receipts: all(
                database,
                "SELECT commit_token, puzzle_id, kind, owner_id, fence, content_version, revision, committed_at
                 FROM commit_receipts ORDER BY revision",
                |row| {
                    Ok(Receipt {
                        token: row.get(0)?,
                        id: row.get(1)?,
                        kind: row.get(2)?,
                        owner: row.get(3)?,
                        fence: row.get(4)?,
                        version: row.get(5)?,
                        revision: row.get(6)?,
                        committed_at: row.get(7)?,
                    })
                },
            )?,
            leases: all(
                database,
                "SELECT key, owner_id, fence, expires_at FROM job_leases ORDER BY key",
                |row| {
                    Ok(Lease {
                        key: row.get(0)?,
                        owner: row.get(1)?,
                        fence: row.get(2)?,
                        expires_at: row.get(3)?,
                    })
                },
            )?,
            quotas: all(database, "SELECT utc_day, published, quota, set_quota FROM daily_quotas ORDER BY utc_day", |row| {
                Ok(Quota { day: row.get(0)?, published: row.get(1)?, quota: row.get(2)?, set: row.get(3)? })
            })?,
            photos: all(
                database,
                "SELECT puzzle_id, image_url, object_key FROM source_images ORDER BY puzzle_id",
                |row| Ok(Photo { id: row.get(0)?, image_url: row.get(1)?, object_key: row.get(2)? }),
            )?,
            instants: all(database, "SELECT instant FROM visibility_instants ORDER BY instant", |row| row.get(0))?,
        })
    }

    pub(crate) fn puzzle(&self, id: i64) -> Option<&Puzzle> {
        self.puzzles.iter().find(|row| row.id == id)
    }

    pub(crate) fn item(&self, id: i64) -> Option<&Item> {
        self.items.iter().find(|row| row.id == id)
    }

    pub(crate) fn page(&self, id: i64) -> Option<&Page> {
        self.pages.iter().find(|row| row.id == id)
    }

    pub(crate) fn photo(&self, id: i64) -> Option<&Photo> {
        self.photos.iter().find(|row| row.id == id)
    }

    pub(crate) fn lease(&self, key: &str) -> Option<&Lease> {
        self.leases.iter().find(|row| row.key == key)
    }

    /// The key of the photo that the bank's row of a puzzle has, if it is stored.
    pub(crate) fn ready_photo(&self, puzzle: &Puzzle) -> Option<&str> {
        let photo = self.photo(puzzle.id)?;
        (puzzle.image_url.as_deref() == Some(photo.image_url.as_str())).then_some(())?;
        photo.object_key.as_deref()
    }
}

fn all<T>(
    database: &Connection,
    sql: &str,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    database.prepare_cached(sql)?.query_map([], read)?.collect()
}
