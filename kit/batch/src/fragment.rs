//! What may stand in the parts that a text is put together from.
//!
//! A condition that is added to a text holds only if nothing in the text gets around it. A
//! part that closed a parenthesis which it did not open, or began a second SELECT, would: rows
//! would be written that no condition was asked about. So each part is one expression, list or
//! condition of the outermost level, and what it wants to look up stands in parentheses.
//!
//! A value that is computed *over rows* would get around it as well: `SELECT count(*) … WHERE false`
//! has one row, and not none. So an aggregate stands in a SELECT of its own, in parentheses.

use crate::scan::{foreign, outside_of_literals};

/// Words that would begin something else on the outermost level.
const CLAUSES: [&str; 7] = ["EXCEPT", "FROM", "INTERSECT", "RETURNING", "SELECT", "UNION", "WHERE"];

/// Functions that make one row of many, and of none.
const AGGREGATES: [&str; 14] = [
    "AVG",
    "COUNT",
    "GROUP_CONCAT",
    "JSONB_GROUP_ARRAY",
    "JSONB_GROUP_OBJECT",
    "JSON_GROUP_ARRAY",
    "JSON_GROUP_OBJECT",
    "MEDIAN",
    "PERCENTILE",
    "PERCENTILE_CONT",
    "PERCENTILE_DISC",
    "STRING_AGG",
    "SUM",
    "TOTAL",
];

/// Those that are aggregates if they have one argument, and look at one row if they have several.
const AGGREGATES_OF_ONE: [&str; 2] = ["MAX", "MIN"];

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

/// The list of changes, if it is one, and none of them is of a column that is `kept`.
///
/// # Panics
/// If it is not: see [`part`].
pub(crate) fn changes<'a>(sql: &'a str, kept: &[&str]) -> &'a str {
    let sql = part("list of changes", sql);
    let (mut depth, mut is_column) = (0_usize, true);
    for code in outside_of_literals(sql) {
        for token in code.split_inclusive(|mark: char| !is_of_word(mark)) {
            let name = token.trim_end_matches(|mark: char| !is_of_word(mark));
            if is_column {
                refuse_kept(name, kept, sql);
            }
            match token.chars().next_back() {
                Some('(') => depth += 1,
                Some(')') => depth = depth.saturating_sub(1),
                Some('=') if depth == 0 => is_column = false,
                Some(',') if depth == 0 => is_column = true,
                _ => {}
            }
        }
    }
    sql
}

/// The list of columns, if it is one, and none of them is `kept`.
///
/// # Panics
/// If it is not: see [`part`].
pub(crate) fn columns<'a>(sql: &'a str, kept: &[&str]) -> &'a str {
    let sql = part("list of columns", sql);
    sql.split(|mark: char| !is_of_word(mark)).for_each(|name| refuse_kept(name, kept, sql));
    sql
}

fn refuse_kept(name: &str, kept: &[&str], sql: &str) {
    let is_kept = kept.iter().any(|column| column.eq_ignore_ascii_case(name));
    assert!(!is_kept, "{name} is changed by the batch itself, once for each attempt that lands: {sql:?}");
}

/// The list of values, if it is one, with one value of each for each row.
///
/// # Panics
/// If it is not: see [`part`].
pub(crate) fn values(sql: &str) -> &str {
    let sql = part("list of values", sql);
    let mut open: Vec<Parenthesis<'_>> = Vec::new();
    for code in outside_of_literals(sql) {
        // The word that a parenthesis would belong to.
        let mut word = "";
        for token in code.split_inclusive(|mark: char| !is_of_word(mark)) {
            let (name, mark) = match token.char_indices().next_back() {
                Some((at, mark)) if !is_of_word(mark) => (&token[..at], Some(mark)),
                _ => (token, None),
            };
            if !name.is_empty() {
                word = name;
                if let Some(inner) = open.last_mut() {
                    inner.is_query |= name.eq_ignore_ascii_case("SELECT");
                }
            }
            match mark {
                Some('(') => {
                    let function = std::mem::take(&mut word);
                    open.push(Parenthesis { function, arguments: 1, is_query: false });
                }
                Some(')') => {
                    let closed = open.pop();
                    let aggregate = closed.filter(Parenthesis::is_aggregate);
                    if let (Some(closed), false) = (aggregate, open.iter().any(|outer| outer.is_query)) {
                        panic!(
                            "{} makes a row of none: put it into a SELECT of its own: {sql:?}",
                            closed.function
                        );
                    }
                    word = "";
                }
                Some(',') => {
                    if let Some(inner) = open.last_mut() {
                        inner.arguments += 1;
                    }
                    word = "";
                }
                Some(mark) if mark.is_whitespace() => {}
                Some(_) => word = "",
                None => {}
            }
        }
    }
    sql
}

/// A parenthesis that is open.
struct Parenthesis<'a> {
    /// What stands before it.
    function: &'a str,
    arguments: usize,
    is_query: bool,
}

impl Parenthesis<'_> {
    fn is_aggregate(&self) -> bool {
        let is_one_of = |names: &[&str]| names.iter().any(|name| self.function.eq_ignore_ascii_case(name));
        is_one_of(&AGGREGATES) || (self.arguments == 1 && is_one_of(&AGGREGATES_OF_ONE))
    }
}

fn is_of_word(mark: char) -> bool {
    mark.is_ascii_alphanumeric() || mark == '_'
}

/// The name, if it is one that needs no quotes: of a table, a column or a condition.
///
/// # Panics
/// If it is not.
pub(crate) fn name<'a>(what: &str, name: &'a str) -> &'a str {
    let is_name = name.chars().all(is_of_word) && name.starts_with(|first: char| !first.is_ascii_digit());
    assert!(is_name, "the {what} {name:?} is to be of letters, digits and underscores");
    name
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
    let mut words = sql.split(|mark: char| !is_of_word(mark));
    let clause = words.find(|word| CLAUSES.iter().any(|clause| word.eq_ignore_ascii_case(clause)));
    if let (Some(clause), 0) = (clause, depth) {
        panic!("the {what} has {clause} outside of parentheses: {sql:?}");
    }
}

#[cfg(test)]
mod tests {
    use super::{changes, columns, name, part, values};

    fn is_taken(sql: &str) -> bool {
        std::panic::catch_unwind(|| part("part", sql)).is_ok()
    }

    #[test]
    fn a_value_is_of_one_row_each() {
        let is_taken = |sql: &str| std::panic::catch_unwind(|| values(sql)).is_ok();
        for sql in [
            "",
            "?1, max(a.cap, 1), min (a.x, a.y)",
            "(SELECT count(*) FROM orders)",
            "coalesce((SELECT max(r.version) FROM receipts AS r), 0)",
            "'count(', total_cents, a.count",
            "counted(a.x), a.total",
        ] {
            assert!(is_taken(sql), "{sql}");
        }
        for sql in [
            "count(*)",
            "1, Sum (a.x)",
            "coalesce(max(a.x), 0)",
            "(SELECT 1), min(a.version)",
            "json_group_array(json_object('a', a.x, 'b', 1))",
            "total(a.x) + (SELECT count(*) FROM t)",
            "max((SELECT a.x, a.y FROM t))",
        ] {
            assert!(!is_taken(sql), "{sql}");
        }
    }

    #[test]
    fn a_name_needs_no_quotes() {
        let is_taken = |text: &str| std::panic::catch_unwind(|| name("table", text)).is_ok();
        for text in ["orders", "order_2", "_x"] {
            assert!(is_taken(text), "{text}");
        }
        for text in ["", "2_orders", "orders AS o", "orders SET a = 1, b", "a.b", "a, b", "t (a)"] {
            assert!(!is_taken(text), "{text}");
        }
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
    fn what_the_batch_changes_by_itself_is_changed_by_nothing_else() {
        let is_taken = |sql: &str| std::panic::catch_unwind(|| changes(sql, &["version", "id"])).is_ok();
        for sql in
            ["a = version + 1", "a = (SELECT id FROM t WHERE b = 1), c = 'version = 2'", "versions = 1"]
        {
            assert!(is_taken(sql), "{sql}");
        }
        for sql in
            ["version = version - 1", "a = 1, Version = 2", "(a, id) = (1, 2)", "a = f(b = 1, 2), id=3"]
        {
            assert!(!is_taken(sql), "{sql}");
        }
        let is_taken = |sql: &str| std::panic::catch_unwind(|| columns(sql, &["version", "id"])).is_ok();
        assert!(is_taken("a, versions"));
        assert!(!is_taken("a, ID") && !is_taken("version"));
    }

    #[test]
    fn a_part_does_not_get_around_what_is_added_to_it() {
        for sql in [
            "true) OR (true",
            "(true",
            "1; DELETE FROM t",
            "1 -- ",
            "1 /* ",
            "[(]) OR (true [)]",
            "a = :name",
            "a = @name",
            "a = $name",
            "\"a\" = 1",
            "`a` = 1",
            "1 FROM other UNION ALL SELECT 2",
            "x = 1 WHERE true",
            "a = 1 returning b",
            "x\nfrom t",
        ] {
            assert!(!is_taken(sql), "{sql}");
        }
    }
}
