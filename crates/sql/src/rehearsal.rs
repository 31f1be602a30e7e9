//! A publication that is tried and undone.
//!
//! D1 has no ROLLBACK to be sent: a batch is kept, or it fails and nothing of it is. So a
//! rehearsal is a batch that fails. It has the very statements of a claim and of a commit,
//! and in the place of the read-back one that raises. An error is only a text, so what the
//! read-back would have told is written into it.
//!
//! There is one way to raise from a SELECT on both databases: `json_extract` refuses a path
//! that does not begin with `$`, and quotes it. Every path below begins with a letter, and
//! none is NULL, whatever the tables hold: what could be NULL stands inside a `coalesce` that
//! ends with a text. So there is no state in which this statement comes to an end.
//!
//! The message is `rehearsed:LANDED:VERSION:REVISION:GUARD.`, with a digit for each predicate
//! of the guard. It has no character that anybody would escape, and ends with a mark of its
//! own, since databases put words before and after it.

use fencepost_batch::{Raising, texts::landed};
use fencepost_domain::{
    commit::{CommitKind, CommitReadback},
    guard::Predicate,
    id::ContentVersion,
    rehearsal::Rehearsal,
    revision::Revision,
    time::DAY_MS,
};

use crate::{
    DecodeError, FailingBatch, Statement, Value,
    clock::CLOCK,
    commit::{self, Page},
    guard, publication_ledger, sql_texts,
};

/// How a rehearsal's message begins, wherever the store puts it.
const MARK: &str = "rehearsed:";
/// How it ends.
const END: char = '.';

sql_texts! {
    /// So many pages more on this UTC day, as their commits would have counted them.
    COUNT_EARLIER = "rehearsal/count_earlier", format!("\
INSERT INTO daily_quotas (utc_day, published, quota)
SELECT clock.now / {DAY_MS}, CAST(?2 AS INTEGER), CAST(?3 AS INTEGER)
FROM {CLOCK}
WHERE true
ON CONFLICT (utc_day) DO UPDATE
SET published = published + excluded.published,
    quota = max(quota, CASE WHEN set_quota IS NULL THEN excluded.quota ELSE published + excluded.published END)");
    /// Raises, and says what happened.
    RAISE: Raising<Page> = "rehearsal/raise", commit::raising(&message());
}

/// The message as an expression that is never NULL.
fn message() -> String {
    let digits = CommitKind::Publish.guard().iter();
    let digits = digits.map(|predicate| format!("({}) IS TRUE", guard::predicate_sql(*predicate)));
    let digits = digits.map(|digit| format!("({digit})")).collect::<Vec<_>>().join(" || ");
    let landed = landed::<Page>();
    format!(
        "coalesce('{MARK}' || {landed} \
         || ':' || coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = ?2), 0) \
         || ':' || (SELECT s.publication_revision FROM site_state AS s WHERE s.id = 1) \
         || ':' || {digits} || '{END}', '{MARK}nothing{END}')"
    )
}

/// The claim, the mark, what others of the day have used up, the commit, and the end of all
/// of it.
pub fn rehearsal(rehearsal: &Rehearsal) -> FailingBatch<CommitReadback> {
    let commit = rehearsal.commit();
    let mut writes = publication_ledger::begin(&rehearsal.begin).writes;
    if rehearsal.earlier > 0 {
        let params = vec![Value::Clock, rehearsal.earlier.into(), rehearsal.daily_quota.into()];
        writes.push(Statement::new(&COUNT_EARLIER, params));
    }
    commit::chain(&commit).rehearse(writes, &RAISE, understand)
}

/// What a message says; `None` for one of another error.
fn understand(message: &str) -> Option<Result<CommitReadback, DecodeError>> {
    // Some ways to D1 tell an error twice, as a message and as its cause.
    let mut told = message.split(MARK).skip(1).map(|rest| rest.split_once(END).map(|(payload, _)| payload));
    let first = told.next()?;
    let unreadable = || DecodeError::new("raised", format!("{message:?} is no rehearsal's"));
    let payload = first.filter(|_| told.all(|again| again == first));
    Some(payload.and_then(read).ok_or_else(unreadable))
}

fn read(payload: &str) -> Option<CommitReadback> {
    let mut parts = payload.split(':');
    let mut part = || parts.next();
    let (landed, version, revision, digits) = (part()?, part()?, part()?, part()?);
    let predicates = CommitKind::Publish.guard();
    if part().is_some() || digits.len() != predicates.len() {
        return None;
    }
    let told = predicates.iter().zip(digits.chars());
    let guard: Option<Vec<(Predicate, bool)>> =
        told.map(|(predicate, digit)| Some((*predicate, flag(digit)?))).collect();
    let mut landed = landed.chars();
    let (Some(digit), None) = (landed.next(), landed.next()) else { return None };
    Some(CommitReadback {
        landed: flag(digit)?,
        content_version: ContentVersion::new(count(version)?),
        revision: Revision::new(count(revision)?),
        committed_at: None,
        guard: guard?,
    })
}

fn flag(digit: char) -> Option<bool> {
    match digit {
        '0' => Some(false),
        '1' => Some(true),
        _ => None,
    }
}

fn count(digits: &str) -> Option<i64> {
    let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn landed() -> CommitReadback {
        CommitReadback {
            landed: true,
            content_version: ContentVersion::new(1),
            revision: Revision::new(27),
            committed_at: None,
            guard: (0..).zip(CommitKind::Publish.guard()).map(|(at, it)| (*it, at % 2 == 0)).collect(),
        }
    }

    const PAYLOAD: &str = "rehearsed:1:1:27:10101010101.";

    #[test]
    fn the_message_is_found_in_whatever_stands_around_it() {
        for message in [
            PAYLOAD.to_owned(),
            format!("bad JSON path: '{PAYLOAD}'"),
            format!("D1_ERROR: bad JSON path: '{PAYLOAD}': SQLITE_ERROR"),
            format!("D1_ERROR: {PAYLOAD}: Error: {PAYLOAD} at offset 0."),
        ] {
            assert_eq!(understand(&message), Some(Ok(landed())), "{message}");
        }
    }

    #[test]
    fn another_error_is_no_message() {
        for message in ["", "no such table: t", "assertion failed: token and receipt are not together"] {
            assert_eq!(understand(message), None, "{message}");
        }
    }

    #[test]
    fn a_message_that_is_not_whole_or_not_alone_is_not_believed() {
        for message in [
            "rehearsed:nothing.",
            "rehearsed:1:1:27:10101010101",
            "rehearsed:1:1:27:1010101010.",
            "rehearsed:1:1:27:101010101010.",
            "rehearsed:1:1:27:10101010102.",
            "rehearsed:2:1:27:101010101010.",
            "rehearsed:11:1:27:101010101010.",
            "rehearsed::1:27:101010101010.",
            "rehearsed:1::27:101010101010.",
            "rehearsed:1:+1:27:101010101010.",
            "rehearsed:1:-1:27:101010101010.",
            "rehearsed:1:1:99999999999999999999:101010101010.",
            "rehearsed:1:1:27:10101010101:1.",
            "rehearsed:1:1:27.",
            "rehearsed:.",
            "rehearsed:1:1:27:10101010101. rehearsed:0:1:27:10101010101.",
            "rehearsed:1:1:27:10101010101. rehearsed:1:1:27",
        ] {
            let understood = understand(message).expect("it has the mark");
            assert_eq!(understood.map_err(|error| error.column()), Err("raised"), "{message}");
        }
    }

    #[test]
    fn no_path_is_one_of_a_document_and_none_is_missing() {
        let sql = RAISE.as_ref().sql();
        assert!(!sql.contains('$'), "whatever json_extract accepts begins with it");
        assert!(
            sql.contains("ELSE coalesce('rehearsed:") && sql.contains("|| '.', 'rehearsed:nothing.') END)")
        );
    }
}
