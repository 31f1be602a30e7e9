//! What is known of the site's puzzles, from its admin API or from the file of its import.

use std::collections::BTreeMap;

use fencepost_domain::{
    id::PuzzleId,
    ledger::ItemState,
    puzzle::{Complaint, ImportFile, Puzzle, Schedule, validate_import},
    time::UnixMillis,
};
use serde_json::Value;

use crate::ask::{Ask, AskError, Question};

/// How many items are read one by one, of those that are told and of those that are not. More
/// would take minutes. But a walk must not get to an answer that is not among them: its price,
/// which is not known to be public then, may be that of an item to come.
const MOST_DETAILS: usize = 400;

/// A puzzle, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownPuzzle {
    /// Its number.
    pub id: PuzzleId,
    /// When it becomes known.
    pub opens_at: UnixMillis,
    /// When play ends.
    pub playable_until: UnixMillis,
    /// When its answer's embargo ends.
    pub due_at: UnixMillis,
    /// What is to be guessed.
    pub name: String,
    /// The price, if it is known here.
    pub price_cents: Option<i64>,
    /// About the item, in Markdown.
    pub description: String,
    /// Where its photo comes from.
    pub image_url: Option<String>,
    /// Where the site keeps its photo, once it does.
    pub photo_key: Option<String>,
    /// Whether it was withdrawn before it was ever public: such a one is never told of.
    pub is_withdrawn_unseen: bool,
}

/// What may be known of a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// Nothing, not even that it exists.
    Hidden,
    /// Everything but its answer.
    Open,
    /// Everything.
    Told,
}

impl KnownPuzzle {
    /// What may be known of it at `now`, as far as the embargo goes.
    pub(crate) fn standing(&self, now: UnixMillis) -> Standing {
        if self.is_withdrawn_unseen || self.opens_at > now {
            Standing::Hidden
        } else if self.due_at > now {
            Standing::Open
        } else {
            Standing::Told
        }
    }

    /// The instants at which it changes without a write.
    pub(crate) const fn instants(&self) -> [UnixMillis; 3] {
        fencepost_domain::calendar::instants(self.opens_at, self.playable_until, self.due_at)
    }
}

/// All puzzles that are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bank(BTreeMap<PuzzleId, KnownPuzzle>);

/// Why there is no bank.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BankError {
    /// The file of the import would be refused.
    #[error("the bank is no import: {}", .0.iter().map(|complaint| format!("{}: {}", complaint.field, complaint.message)).collect::<Vec<_>>().join("; "))]
    Invalid(Vec<Complaint>),
    /// The site gave no answer.
    #[error(transparent)]
    Unanswered(#[from] AskError),
    /// The admin API answered otherwise than it should.
    #[error(
        "GET {path} was answered with {status}, not with what the bank holds; check the admin token and the address"
    )]
    Refused {
        /// What was asked for.
        path: String,
        /// The status of the answer.
        status: u16,
    },
}

impl Bank {
    /// The bank as a site with this grace window stores an import.
    ///
    /// # Errors
    /// Every complaint about the file.
    pub fn of_import(file: ImportFile, grace_ms: i64) -> Result<Self, BankError> {
        let rows = validate_import(file).map_err(BankError::Invalid)?;
        let puzzles = rows.into_iter().map(|row| {
            let Schedule { opens_at, playable_until, due_at } = Schedule::of(row.play_date, grace_ms);
            let puzzle = KnownPuzzle {
                id: row.puzzle_id,
                opens_at,
                playable_until,
                due_at,
                name: row.name,
                price_cents: Some(row.price_cents),
                description: row.description,
                image_url: row.image_url,
                photo_key: None,
                is_withdrawn_unseen: false,
            };
            (puzzle.id, puzzle)
        });
        Ok(Self(puzzles.collect()))
    }

    /// Adds what the admin API tells; its word counts more than that of a file.
    ///
    /// # Errors
    /// The site gave no answer, or not that of an admin API.
    pub async fn learn(&mut self, site: &dyn Ask, now: UnixMillis) -> Result<(), BankError> {
        let mut ids = Vec::new();
        let mut path = "/admin/api/items".to_owned();
        loop {
            let page = read(site, &path).await?;
            let items = page["items"].as_array().cloned().unwrap_or_default();
            for item in &items {
                let due_at = item["due_at"].as_i64().map(UnixMillis::new);
                if let (Some(id), Some(due_at)) = (id_of(item), due_at) {
                    ids.push((id, due_at));
                }
            }
            match page["next_before"].as_str() {
                Some(date) if !items.is_empty() => path = format!("/admin/api/items?before={date}"),
                _ => break,
            }
        }
        ids.sort_by_key(|(_, due_at)| due_at.since(now).abs());
        let (told, secret): (Vec<_>, Vec<_>) = ids.into_iter().partition(|(_, due_at)| *due_at <= now);
        for (id, _) in told.into_iter().take(MOST_DETAILS).chain(secret.into_iter().take(MOST_DETAILS)) {
            let item = read(site, &format!("/admin/api/items/{id}")).await?;
            if let Some(puzzle) = described(&item) {
                self.0.insert(id, puzzle);
            }
        }
        Ok(())
    }

    /// The puzzles, by number.
    pub fn puzzles(&self) -> impl Iterator<Item = &KnownPuzzle> {
        self.0.values()
    }

    /// Whether the number is a puzzle's.
    pub(crate) fn has(&self, id: i64) -> bool {
        PuzzleId::try_from(id).is_ok_and(|id| self.0.contains_key(&id))
    }

    /// The first instant after `now` at which something changes without a write.
    pub fn next_instant(&self, now: UnixMillis) -> Option<UnixMillis> {
        self.puzzles().flat_map(KnownPuzzle::instants).filter(|instant| *instant > now).min()
    }
}

async fn read(site: &dyn Ask, path: &str) -> Result<Value, BankError> {
    let answer = site.ask(&Question::new("GET", path).by_operator()).await?;
    let refuse = || BankError::Refused { path: path.to_owned(), status: answer.status };
    if answer.status != 200 {
        return Err(refuse());
    }
    serde_json::from_slice(&answer.body).map_err(|_| refuse())
}

fn id_of(item: &Value) -> Option<PuzzleId> {
    item["puzzle_id"].as_i64()?.try_into().ok()
}

/// A puzzle as `/admin/api/items/{id}` tells of it.
fn described(item: &Value) -> Option<KnownPuzzle> {
    let puzzle: Puzzle = serde_json::from_value(item["puzzle"].clone()).ok()?;
    let state: ItemState = serde_json::from_value(item["state"].clone()).ok()?;
    Some(KnownPuzzle {
        id: puzzle.puzzle_id,
        opens_at: puzzle.opens_at,
        playable_until: puzzle.playable_until,
        due_at: UnixMillis::new(item["due_at"].as_i64()?),
        name: puzzle.name,
        price_cents: Some(puzzle.price_cents),
        description: puzzle.description,
        image_url: puzzle.image_url,
        photo_key: item["image"]["object_key"].as_str().map(str::to_owned),
        is_withdrawn_unseen: state == ItemState::Withdrawn && item["page"].is_null(),
    })
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use serde_json::json;

    use super::*;
    use crate::ask::{Answer, Window};
    use fencepost_domain::time::DAY_MS;

    /// The admin API of a site with as many puzzles ahead as behind, number 1000 played today.
    struct Api;

    const NUMBERS: std::ops::RangeInclusive<i64> = 500..=1_500;
    const TODAY: i64 = 1_000;

    fn due_at(id: i64) -> UnixMillis {
        UnixMillis::new((20_000 + id - TODAY + 1) * DAY_MS)
    }

    #[async_trait]
    impl Ask for Api {
        async fn ask(&self, question: &Question) -> Result<Answer, AskError> {
            let id = question.path.strip_prefix("/admin/api/items/").map(|id| id.parse::<i64>().unwrap());
            let item =
                |id| json!({ "puzzle_id": id, "due_at": due_at(id), "state": "scheduled", "page": null });
            let body = match id {
                None => json!({ "items": NUMBERS.map(item).collect::<Vec<_>>(), "next_before": null }),
                Some(id) => {
                    let opens_at = due_at(id).plus(-DAY_MS);
                    let mut item = item(id);
                    item["puzzle"] = json!({
                        "puzzle_id": id, "play_date": opens_at.to_string()[..10], "opens_at": opens_at,
                        "playable_until": due_at(id), "name": "Thing", "price_cents": id, "description": "",
                        "image_url": null, "bank_version": 1,
                    });
                    item
                }
            };
            let now = due_at(TODAY);
            let window = Window { from: now, until: now };
            Ok(Answer { status: 200, headers: Vec::new(), body: body.to_string().into_bytes(), window })
        }

        fn has_token(&self) -> bool {
            true
        }
    }

    #[tokio::test]
    async fn of_a_long_bank_all_is_known_that_a_walk_gets_to() {
        let mut bank = Bank::default();
        bank.learn(&Api, due_at(TODAY).plus(-1)).await.unwrap();
        assert_eq!(
            (bank.has(599), bank.has(600), bank.has(1_399), bank.has(1_400)),
            (false, true, true, false)
        );
    }
}
