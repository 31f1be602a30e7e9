//! What may stand in the parts that a text is put together from.
//!
//! A condition that is added to a text holds only if nothing in the text gets around it. A
//! part that closed a parenthesis which it did not open, or began a second SELECT, would: rows
//! would be written that no condition was asked about. So each part is one expression, list or
//! condition of the outermost level, and what it wants to look up stands in parentheses.

use crate::scan::{foreign, outside_of_literals};

/// Words that would begin something else on the outermost level.
const CLAUSES: [&str; 7] = ["EXCEPT", "FROM", "INTERSECT", "RETURNING", "SELECT", "UNION", "WHERE"];

/// The part, if it is one.
///
/// # Panics
/// If it is not. It is a mistake of whoever wrote it, and shows wherever the text is first used.
pub(crate) fn part<'a>(what: &str, sql: &'a str) -> &'a str {
    if let Some(mark) = foreign(sql) {
        panic!("the {what} {sql:?} has a {mark:?}, and is to be part of one statement");
    }
    let depth = outside_of_literals(sql).fold(0, |depth, piece| levels(what, piece, depth));
    assert!(depth == 0, "the {what} {sql:?} leaves {depth} parentheses open");
    sql
}

/// The part on a line of its own, or nothing.
pub(crate) fn optional_line(what: &str, before: &str, sql: &str) -> String {
    if sql.is_empty() { String::new() } else { format!("\n{before}{}", part(what, sql)) }
}

/// How many parentheses are open after `sql`, if as many as `depth` are before it.
fn levels(what: &str, sql: &str, mut depth: usize) -> usize {
    let mut from = 0;
    for (at, mark) in sql.match_indices(['(', ')']) {
        refuse_clauses(what, &sql[from..at], depth);
        depth = match mark {
            "(" => depth + 1,
            _ => depth
                .checked_sub(1)
                .unwrap_or_else(|| panic!("the {what} closes a parenthesis too many: {sql:?}")),
        };
        from = at + 1;
    }
    refuse_clauses(what, &sql[from..], depth);
    depth
}

fn refuse_clauses(what: &str, sql: &str, depth: usize) {
    let mut words = sql.split(|mark: char| !mark.is_ascii_alphanumeric() && mark != '_');
    let clause = words.find(|word| CLAUSES.iter().any(|clause| word.eq_ignore_ascii_case(clause)));
    if let (Some(clause), 0) = (clause, depth) {
        panic!("the {what} has {clause} outside of parentheses: {sql:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::part;

    fn is_taken(sql: &str) -> bool {
        std::panic::catch_unwind(|| part("part", sql)).is_ok()
    }

    #[test]
    fn a_part_is_one_expression_or_list() {
        for sql in [
            "",
            "state = 'sent', sent_at = clock.now",
            "(SELECT i.state FROM issues AS i WHERE i.id = ?2) = 'due'",
            "note = 'from; where -- select ('",
            "a OR b",
            "from_address = ?3",
        ] {
            assert!(is_taken(sql), "{sql}");
        }
    }

    #[test]
    fn a_part_does_not_get_around_what_is_added_to_it() {
        for sql in [
            "true) OR (true",
            "(true",
            "1; DELETE FROM t",
            "1 -- ",
            "1 /* ",
            "1 FROM other UNION ALL SELECT 2",
            "x = 1 WHERE true",
            "a = 1 returning b",
            "x\nfrom t",
        ] {
            assert!(!is_taken(sql), "{sql}");
        }
    }
}
