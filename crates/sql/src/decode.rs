//! From columns to the domain's types. A value that cannot be names its column.

pub(crate) use fencepost_batch::decode::{
    Decoded, LEASE_COLUMNS, flag, instant, integer, json, optional_instant, optional_json, optional_lease,
    optional_parsed, parsed, required, text,
};
use fencepost_domain::{
    catch_up::CatchUp,
    commit::Receipt,
    id::{BankVersion, CommitToken, ContentVersion, Fence, OwnerId, PuzzleId},
    image::{ImageKey, SourceImage},
    ledger::Item,
    page::{AnswerContent, AnswerPage},
    puzzle::Puzzle,
    quota::DailyQuota,
    revision::Revision,
};
use serde::de::DeserializeOwned;

use crate::{DecodeError, Row};

/// A list that comes as one text, line by line: one that cannot be read is told of in
/// `unreadable` and left out.
pub(crate) fn json_lines<T: DeserializeOwned>(
    row: &dyn Row,
    column: &'static str,
    unreadable: &mut Vec<String>,
) -> Decoded<Vec<T>> {
    let lines: Vec<serde_json::Value> = json(row, column)?;
    Ok(lines.iter().filter_map(|line| readable(line, column, unreadable)).collect())
}

/// A line that may be missing, and is also if it cannot be read.
pub(crate) fn json_line<T: DeserializeOwned>(
    row: &dyn Row,
    column: &'static str,
    unreadable: &mut Vec<String>,
) -> Decoded<Option<T>> {
    let line: Option<serde_json::Value> = optional_json(row, column)?;
    Ok(line.and_then(|line| readable(&line, column, unreadable)))
}

fn readable<T: DeserializeOwned>(
    line: &serde_json::Value,
    column: &'static str,
    unreadable: &mut Vec<String>,
) -> Option<T> {
    T::deserialize(line)
        .map_err(|error| {
            let line = serde_json::to_string(line).unwrap_or_default();
            unreadable.push(DecodeError::new(column, format!("{error} in {line}")).to_string());
        })
        .ok()
}

pub(crate) fn puzzle_id(row: &dyn Row, column: &'static str) -> Decoded<PuzzleId> {
    PuzzleId::try_from(integer(row, column)?).map_err(|error| DecodeError::new(column, error.to_string()))
}

/// `state`, `due_at`, `attempts`, `next_attempt_at`, `blocked_reason`.
pub(crate) fn optional_item(row: &dyn Row) -> Decoded<Option<Item>> {
    let Some(state) = optional_parsed(row, "state")? else { return Ok(None) };
    Ok(Some(Item {
        state,
        due_at: instant(row, "due_at")?,
        attempts: integer(row, "attempts")?,
        next_attempt_at: instant(row, "next_attempt_at")?,
        blocked_reason: row.text("blocked_reason")?,
    }))
}

/// The columns that [`optional_item`] reads.
pub(crate) const ITEM_COLUMNS: &str = "i.state, i.due_at, i.attempts, i.next_attempt_at, i.blocked_reason";

/// The puzzle's columns, prefixed where they would be ambiguous.
pub(crate) fn optional_puzzle(row: &dyn Row) -> Decoded<Option<Puzzle>> {
    if row.integer("opens_at")?.is_none() {
        return Ok(None);
    }
    Ok(Some(Puzzle {
        puzzle_id: puzzle_id(row, "puzzle_id")?,
        play_date: parsed(row, "play_date")?,
        opens_at: instant(row, "opens_at")?,
        playable_until: instant(row, "playable_until")?,
        name: text(row, "name")?,
        price_cents: integer(row, "price_cents")?,
        description: text(row, "description")?,
        image_url: row.text("image_url")?,
        bank_version: BankVersion::new(integer(row, "bank_version")?),
    }))
}

/// The columns that [`optional_puzzle`] reads.
pub(crate) const PUZZLE_COLUMNS: &str = "p.puzzle_id, p.play_date, p.opens_at, p.playable_until, p.name, \
     p.price_cents, p.description, p.image_url, p.bank_version";

/// The photo's columns, prefixed with `photo_`.
pub(crate) fn optional_image(row: &dyn Row) -> Decoded<Option<SourceImage>> {
    let Some(image_url) = row.text("photo_url")? else { return Ok(None) };
    Ok(Some(SourceImage {
        image_url,
        state: parsed(row, "photo_state")?,
        object_key: optional_parsed::<ImageKey>(row, "photo_key")?,
        bytes: row.integer("photo_bytes")?,
        error: row.text("photo_error")?,
    }))
}

/// The columns that [`optional_image`] reads.
pub(crate) const IMAGE_COLUMNS: &str = "m.image_url AS photo_url, m.state AS photo_state, \
     m.object_key AS photo_key, m.bytes AS photo_bytes, m.error AS photo_error";

/// The page's columns, prefixed with `page_`.
pub(crate) fn optional_page(row: &dyn Row) -> Decoded<Option<AnswerPage>> {
    let Some(version) = row.integer("page_version")? else { return Ok(None) };
    Ok(Some(AnswerPage {
        content: AnswerContent {
            play_date: parsed(row, "page_play_date")?,
            name: text(row, "page_name")?,
            price_cents: integer(row, "page_price_cents")?,
            body_html: text(row, "page_body_html")?,
            image_key: optional_parsed(row, "page_image_key")?,
        },
        indexable: flag(row, "page_indexable")?,
        content_version: ContentVersion::new(version),
        bank_version: BankVersion::new(integer(row, "page_bank_version")?),
        published_at: instant(row, "page_published_at")?,
        updated_at: instant(row, "page_updated_at")?,
        withdrawn_at: optional_instant(row, "page_withdrawn_at")?,
    }))
}

/// The columns that [`optional_page`] reads.
pub(crate) const PAGE_COLUMNS: &str = "a.content_version AS page_version, a.play_date AS page_play_date, \
     a.name AS page_name, a.price_cents AS page_price_cents, a.body_html AS page_body_html, \
     a.image_key AS page_image_key, a.indexable AS page_indexable, a.bank_version AS page_bank_version, \
     a.published_at AS page_published_at, a.updated_at AS page_updated_at, a.withdrawn_at AS page_withdrawn_at";

pub(crate) fn optional_quota(row: &dyn Row) -> Decoded<Option<DailyQuota>> {
    let Some(published) = row.integer("quota_published")? else { return Ok(None) };
    Ok(Some(DailyQuota {
        published,
        quota: integer(row, "quota_limit")?,
        set_quota: row.integer("quota_set")?,
    }))
}

/// The columns that [`optional_quota`] reads.
pub(crate) const QUOTA_COLUMNS: &str =
    "q.published AS quota_published, q.quota AS quota_limit, q.set_quota AS quota_set";

pub(crate) fn catch_up(row: &dyn Row) -> Decoded<CatchUp> {
    Ok(CatchUp { publish_late: flag(row, "publish_late")?, skip_older_than: row.integer("skip_older_than")? })
}

/// The columns that [`catch_up`] reads.
pub(crate) const CATCH_UP_COLUMNS: &str = "s.publish_late, s.skip_older_than";

pub(crate) fn receipt(row: &dyn Row) -> Decoded<Receipt> {
    Ok(Receipt {
        commit_token: CommitToken::new(text(row, "commit_token")?),
        puzzle_id: puzzle_id(row, "puzzle_id")?,
        kind: parsed(row, "kind")?,
        owner_id: OwnerId::new(text(row, "owner_id")?),
        fence: Fence::new(integer(row, "fence")?),
        content_version: ContentVersion::new(integer(row, "content_version")?),
        revision: Revision::new(integer(row, "revision")?),
        committed_at: instant(row, "committed_at")?,
    })
}
