//! The lines of a history that matter to the violation at its end.
//!
//! Faults, commits, what people asked for and what they were told stay. So do other writes,
//! unless they were made in the course of another puzzle than the one that the violation is
//! about. Of queries, only those stay on which the answer rests that was found out: all
//! others changed nothing.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use fencepost_sql::catalog;

use crate::history::Line;

/// The lines that matter, or all where there is no violation.
pub(crate) fn excerpt(lines: &[Line]) -> Vec<Line> {
    let Some(end) = lines.iter().position(is_violation) else { return lines.to_vec() };
    let culprit = lines[end].actor.as_str();
    let judged = begin_of_judged(&lines[..end], culprit);
    let is_elsewhere = of_other_puzzles(lines, puzzle(&lines[end].what));
    let matters = |(at, line): &(usize, &Line)| match kind(line) {
        Kind::Diary => false,
        Kind::Read => line.actor == culprit && *at >= judged,
        Kind::Page => line.actor != culprit || *at >= judged,
        Kind::Work => !is_elsewhere[*at],
        Kind::Deed => true,
    };
    let mut kept: Vec<_> = lines.iter().enumerate().filter(matters).map(|(_, line)| line.clone()).collect();
    tell_repeats_once(&mut kept);
    introduce_once(&mut kept);
    kept
}

/// What a line tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A query.
    Read,
    /// The diary of the runs, which decides nothing.
    Diary,
    /// An answer to a reader.
    Page,
    /// A write on the way to a commit, and what became of a puzzle.
    Work,
    /// All else.
    Deed,
}

/// The names of the texts, and which of them write.
static TEXTS: LazyLock<BTreeMap<&str, bool>> = LazyLock::new(|| {
    let is_write = |line: &str| ["INSERT", "UPDATE", "DELETE"].iter().any(|verb| line.starts_with(verb));
    catalog::texts().into_iter().map(|text| (text.name(), text.sql().lines().any(is_write))).collect()
});

fn kind(line: &Line) -> Kind {
    match first_word(line) {
        "GET" => Kind::Page,
        "stored" | "puzzle" => Kind::Work,
        word if word.starts_with("job_runs/") => Kind::Diary,
        word => match TEXTS.get(word) {
            Some(false) => Kind::Read,
            Some(true) if !word.starts_with("commit/") => Kind::Work,
            _ => Kind::Deed,
        },
    }
}

fn first_word(line: &Line) -> &str {
    line.what.split_whitespace().next().unwrap_or_default()
}

fn is_violation(line: &Line) -> bool {
    first_word(line) == "VIOLATION"
}

/// Whether a request or a run ends here.
fn is_end(line: &Line) -> bool {
    matches!(first_word(line), "GET" | "POST") || line.what.starts_with("run ")
}

/// Where that began which `culprit` was found out by: after the request or the run before it.
fn begin_of_judged(lines: &[Line], culprit: &str) -> usize {
    let mut its = lines.iter().enumerate().rev().filter(|(_, line)| line.actor == culprit);
    // The answer that was judged may be the last line itself.
    let _ = its.next();
    its.find(|(_, line)| is_end(line)).map_or(0, |(at, _)| at + 1)
}

/// Which lines are about another puzzle than `subject`. A line that names none is about the
/// one that its actor has in hand.
fn of_other_puzzles(lines: &[Line], subject: Option<u64>) -> Vec<bool> {
    let mut in_hand: BTreeMap<&str, u64> = BTreeMap::new();
    let about = |line: &Line, in_hand: &mut BTreeMap<_, _>| match puzzle(&line.what) {
        Some(named) => Some(named),
        // Several runs that a cron began at once have one name.
        None if line.actor.ends_with(AGAIN) => None,
        None => in_hand.get(line.actor.as_str()).copied(),
    };
    let mut is_other = Vec::with_capacity(lines.len());
    for line in lines {
        let about = about(line, &mut in_hand);
        is_other.push(subject.is_some() && about.is_some_and(|about| Some(about) != subject));
        match puzzle(&line.what) {
            Some(named) if kind(line) == Kind::Work => drop(in_hand.insert(&line.actor, named)),
            _ if is_end(line) => drop(in_hand.remove(line.actor.as_str())),
            _ => {}
        }
    }
    is_other
}

/// The puzzle that a text names, in one way or another.
fn puzzle(text: &str) -> Option<u64> {
    ["puzzle_id=", "puzzle ", "/answers/", "https://photos.example/", "items/"].iter().find_map(|before| {
        let (_, rest) = text.split_once(before)?;
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        rest[..digits].parse().ok()
    })
}

/// Whoever does the same several times in a row, with the same outcome, is told of once.
fn tell_repeats_once(lines: &mut Vec<Line>) {
    let mut told: Vec<(Line, usize)> = Vec::new();
    for line in lines.drain(..) {
        match told.last_mut() {
            Some((before, times)) if before.actor == line.actor && before.what == line.what => *times += 1,
            _ => told.push((line, 1)),
        }
    }
    lines.extend(told.into_iter().map(|(line, times)| match times {
        1 => line,
        _ => Line { what: format!("{} ({times} times)", line.what), ..line },
    }));
}

/// Tells in the first line of an actor what it does, and in all others only who it is.
fn introduce_once(lines: &mut [Line]) {
    let mut introduced = BTreeSet::new();
    for line in lines {
        if !introduced.insert(line.actor.clone()) {
            line.actor = short_name(&line.actor);
        }
    }
}

/// How the name of a run ends that a cron began which fired several times.
const AGAIN: &str = " again";

/// `#3 new-1` of `#3 new-1 publish`, and `#3 new-1 again` of `#3 new-1 publish again`.
fn short_name(actor: &str) -> String {
    let again = if actor.ends_with(AGAIN) { AGAIN } else { "" };
    actor.split(' ').take(2).collect::<Vec<_>>().join(" ") + again
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is told of these lines, each an actor and what it did.
    fn check(lines: &[(&str, &str)], expected: &[(&str, &str)]) {
        let line = |(actor, what): &(&str, &str)| Line {
            when: String::new(),
            actor: (*actor).to_owned(),
            what: (*what).to_owned(),
        };
        let kept = excerpt(&lines.iter().map(line).collect::<Vec<_>>());
        let told: Vec<_> = kept.iter().map(|line| (line.actor.as_str(), line.what.as_str())).collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn what_changed_nothing_and_was_not_judged_is_left_out() {
        check(
            &[
                ("#1 editor", "publication_ledger/preflight -> clock=1"),
                ("#1 editor", "job_runs/start_run -> clock=1"),
                ("#1 editor", "commit/publish_page -> token=a"),
                ("#2 reader", "answer_posts/home -> 3 rows"),
                ("#2 reader", "GET /: 200"),
                ("#2 reader", "FAULT cache: put dropped"),
                ("#3 reader", "GET /feed.xml: 200"),
                ("#2 reader", "revision_source/moment -> clock=2"),
                ("#3 reader", "revision_source/moment -> clock=2"),
                ("#2 reader", "GET /answers/1: 200"),
                ("#2 reader", "VIOLATION nothing is old: it was"),
            ],
            &[
                ("#1 editor", "commit/publish_page -> token=a"),
                ("#2 reader", "FAULT cache: put dropped"),
                ("#3 reader", "GET /feed.xml: 200"),
                ("#2 reader", "revision_source/moment -> clock=2"),
                ("#2 reader", "GET /answers/1: 200"),
                ("#2 reader", "VIOLATION nothing is old: it was"),
            ],
        );
    }

    #[test]
    fn work_on_other_puzzles_is_left_out_but_for_what_came_of_it() {
        check(
            &[
                ("#1 old-1 publish", "publication_ledger/claim_item -> puzzle_id=1"),
                ("#1 old-1 publish", "lease_store/renew -> fence=1"),
                ("#1 old-1 publish", "commit/publish_page -> landed=1"),
                ("#1 old-1 publish", "publication_ledger/claim_item -> puzzle_id=12"),
                ("#1 old-1 publish", "lease_store/renew -> fence=1"),
                ("#1 old-1 publish again", "lease_store/renew -> fence=1"),
                ("#1 old-1 publish", "run ends: 1 left"),
                ("#1 old-1 publish", "puzzle 1: published"),
                ("#1 old-1 publish", "puzzle 12: blocked"),
                ("#1 old-1 publish", "VIOLATION all is well: puzzle 12 is not"),
            ],
            &[
                ("#1 old-1 publish", "commit/publish_page -> landed=1"),
                ("#1 old-1", "publication_ledger/claim_item -> puzzle_id=12"),
                ("#1 old-1", "lease_store/renew -> fence=1"),
                ("#1 old-1 publish again", "lease_store/renew -> fence=1"),
                ("#1 old-1", "run ends: 1 left"),
                ("#1 old-1", "puzzle 12: blocked"),
                ("#1 old-1", "VIOLATION all is well: puzzle 12 is not"),
            ],
        );
    }

    #[test]
    fn what_happens_again_and_again_is_counted() {
        check(
            &[
                ("afterwards", "run ends: {}, 6 left"),
                ("afterwards", "publication_ledger/runnable_items -> 6 rows"),
                ("afterwards", "run ends: {}, 6 left"),
                ("afterwards", "run ends: {}, 6 left"),
                ("afterwards", "run ends: {}, 5 left"),
                ("afterwards", "VIOLATION all comes out: it did not"),
            ],
            &[
                ("afterwards", "run ends: {}, 6 left (3 times)"),
                ("afterwards", "run ends: {}, 5 left"),
                ("afterwards", "VIOLATION all comes out: it did not"),
            ],
        );
    }

    #[test]
    fn without_a_violation_everything_is_told() {
        let lines = [("#1 reader", "answer_posts/home -> 3 rows"), ("#1 reader", "GET /: 200")];
        check(&lines, &lines);
    }
}
