//! What may stand in the parts that a text is put together from.
//!
//! A condition that is added to a text holds only if nothing in the text gets around it. A
//! part that closed a parenthesis which it did not open, or began a second SELECT, would: rows
//! would be written that no condition was asked about. So each part is one expression, list or
//! condition of the outermost level, and what it wants to look up stands in parentheses.
//!
//! A value that is computed *over rows* would get around it as well: `SELECT count(*) … WHERE false`
//! has one row, and not none. So an aggregate stands in a SELECT of its own, in parentheses. Even
//! there SQLite computes it over the rows *outside*, if it looks at nothing but their columns. So
//! whoever puts the text together is told that there is one ([`is_over_rows`]), and adds what leaves
//! nothing of a row that is made of none.

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
#[track_caller]
pub(crate) fn part<'a>(what: &str, sql: &'a str) -> &'a str {
    if let Some(mark) = foreign(sql) {
        panic!("the {what} {sql:?} has a {mark:?}, and is to be part of one statement");
    }
    let mut depth = 0_usize;
    for (word, mark) in tokens(sql) {
        assert!(
            depth > 0 || !is_one_of(word, &CLAUSES),
            "the {what} has {word} outside of parentheses: {sql:?}"
        );
        depth = match mark {
            Some('(') => depth + 1,
            Some(')') => {
                assert!(depth > 0, "the {what} closes a parenthesis too many: {sql:?}");
                depth - 1
            }
            _ => depth,
        };
    }
    assert!(depth == 0, "the {what} {sql:?} leaves {depth} parentheses open");
    sql
}

/// The list of changes, if it is one, and none of them is of a column that is `kept`.
///
/// # Panics
/// If it is not: see [`part`].
#[track_caller]
pub(crate) fn changes<'a>(sql: &'a str, kept: &[&str]) -> &'a str {
    let sql = part("list of changes", sql);
    refuse_changes(sql, kept, true);
    sql
}

/// What happens about a row that is there already, if it is that, and none of the changes is of a
/// column that is `kept`.
///
/// # Panics
/// If it is not: see [`part`].
#[track_caller]
pub(crate) fn conflict<'a>(sql: &'a str, kept: &[&str]) -> &'a str {
    let sql = part("conflict", sql);
    refuse_changes(sql, kept, false);
    sql
}

/// Refuses changes of `kept` columns. They begin at once if `is_column`, and wherever there is a SET.
#[track_caller]
fn refuse_changes(sql: &str, kept: &[&str], mut is_column: bool) {
    let mut depth = 0_usize;
    for (word, mark) in tokens(sql) {
        if is_column {
            refuse_kept(word, kept, sql);
        }
        is_column |= depth == 0 && word.eq_ignore_ascii_case("SET");
        match mark {
            Some('(') => depth += 1,
            Some(')') => depth = depth.saturating_sub(1),
            Some('=') if depth == 0 => is_column = false,
            Some(',') if depth == 0 => is_column = true,
            _ => {}
        }
    }
}

/// Each word outside of literals, and the mark behind it; the word is empty between two marks.
fn tokens(sql: &str) -> impl Iterator<Item = (&str, Option<char>)> {
    outside_of_literals(sql).flat_map(|code| code.split_inclusive(|mark: char| !is_of_word(mark))).map(
        |token| {
            let word = token.trim_end_matches(|mark: char| !is_of_word(mark));
            (word, token[word.len()..].chars().next())
        },
    )
}

/// The list of columns, if it is one, and none of them is `kept`.
///
/// # Panics
/// If it is not: see [`part`].
#[track_caller]
pub(crate) fn columns<'a>(sql: &'a str, kept: &[&str]) -> &'a str {
    let sql = part("list of columns", sql);
    sql.split(|mark: char| !is_of_word(mark)).for_each(|name| refuse_kept(name, kept, sql));
    sql
}

#[track_caller]
fn refuse_kept(name: &str, kept: &[&str], sql: &str) {
    let is_kept = is_one_of(name, kept);
    assert!(!is_kept, "{name} is changed by the batch itself, once for each attempt that lands: {sql:?}");
}

/// Whether it is one of these words, in capitals or not.
fn is_one_of(word: &str, words: &[&str]) -> bool {
    words.iter().any(|one| one.eq_ignore_ascii_case(word))
}

/// The list of values, if it is one, with one value of each for each row.
///
/// # Panics
/// If it is not: see [`part`].
#[track_caller]
pub(crate) fn values(sql: &str) -> &str {
    let sql = part("list of values", sql);
    if let Some((function, _)) = aggregates(sql).into_iter().find(|(_, is_in_query)| !is_in_query) {
        panic!("{function} makes a row of none: put it into a SELECT of its own: {sql:?}");
    }
    sql
}

/// Whether one of the values may be computed over the rows of the statement that they are put into.
pub(crate) fn is_over_rows(values: &str) -> bool {
    !aggregates(values).is_empty()
}

/// The aggregates that are called, and whether in a SELECT within.
fn aggregates(sql: &str) -> Vec<(&str, bool)> {
    let mut found = Vec::new();
    let mut open: Vec<Parenthesis<'_>> = Vec::new();
    // The word that a parenthesis would belong to.
    let mut word = "";
    for (next, mark) in tokens(sql) {
        if !next.is_empty() {
            word = next;
            if let Some(inner) = open.last_mut() {
                inner.is_query |= next.eq_ignore_ascii_case("SELECT");
            }
        }
        match mark {
            Some('(') => open.push(Parenthesis { function: word, arguments: 1, is_query: false }),
            Some(')') => {
                if let Some(aggregate) = open.pop().filter(Parenthesis::is_aggregate) {
                    found.push((aggregate.function, open.iter().any(|outer| outer.is_query)));
                }
            }
            Some(',') => {
                if let Some(inner) = open.last_mut() {
                    inner.arguments += 1;
                }
            }
            _ => {}
        }
        if mark.is_some_and(|mark| !mark.is_whitespace()) {
            word = "";
        }
    }
    found
}

/// What is joined, on a line of its own, or nothing. None of it may be called by a name that is
/// `taken`: of two tables of one name, SQLite looks at the right one if they are joined that way.
///
/// # Panics
/// If it is not: see [`part`].
#[track_caller]
pub(crate) fn joins(sql: &str, taken: &[&str]) -> String {
    let mut before = None;
    for (word, mark) in tokens(sql) {
        let is_qualified = before == Some('.') || mark == Some('.');
        assert!(is_qualified || !is_one_of(word, taken), "something else is called {word} already: {sql:?}");
        before = mark;
    }
    optional_line("join", "", sql)
}

/// The list of columns that a read-back tells, if it is one, and none of their names is `taken`.
///
/// # Panics
/// If it is not: see [`part`].
#[track_caller]
pub(crate) fn told<'a>(sql: &'a str, taken: &[&str]) -> &'a str {
    let sql = part("columns", sql);
    let mut depth = 0_usize;
    for (nth, piece) in sql.split('\'').enumerate() {
        // A literal may be a name as well.
        if nth % 2 == 1 && depth == 0 {
            refuse_taken(piece, taken, sql);
        } else if nth % 2 == 0 {
            for (word, mark) in tokens(piece) {
                if depth == 0 {
                    refuse_taken(word, taken, sql);
                }
                match mark {
                    Some('(') => depth += 1,
                    Some(')') => depth -= 1,
                    _ => {}
                }
            }
        }
    }
    sql
}

#[track_caller]
fn refuse_taken(name: &str, taken: &[&str], sql: &str) {
    assert!(!is_one_of(name, taken), "two columns would be called {name}: {sql:?}");
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
        is_one_of(self.function, &AGGREGATES)
            || (self.arguments == 1 && is_one_of(self.function, &AGGREGATES_OF_ONE))
    }
}

fn is_of_word(mark: char) -> bool {
    mark.is_ascii_alphanumeric() || mark == '_'
}

/// The name, if it is one that needs no quotes: of a table, a column or a condition.
///
/// # Panics
/// If it is not.
#[track_caller]
pub(crate) fn name<'a>(what: &str, name: &'a str) -> &'a str {
    let is_name = name.chars().all(is_of_word) && name.starts_with(|first: char| !first.is_ascii_digit());
    assert!(is_name, "the {what} {name:?} is to be of letters, digits and underscores");
    name
}

/// The part on a line of its own, or nothing.
#[track_caller]
pub(crate) fn optional_line(what: &str, before: &str, sql: &str) -> String {
    if sql.is_empty() { String::new() } else { format!("\n{before}{}", part(what, sql)) }
}

#[cfg(test)]
mod tests {
    use super::{changes, columns, conflict, is_over_rows, joins, name, part, told, values};

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
    fn an_aggregate_is_found_at_any_depth() {
        for sql in ["(SELECT count(*) FROM t)", "coalesce((SELECT (SELECT Max (a.x))), 0)", "count('(')"] {
            assert!(is_over_rows(sql), "{sql}");
        }
        for sql in ["", "a.count, max(a.x, 1)", "(SELECT max(a.x, a.y) FROM t)", "'count(*)'", "counted(a.x)"]
        {
            assert!(!is_over_rows(sql), "{sql}");
        }
    }

    #[test]
    fn what_is_joined_has_a_name_of_its_own() {
        let is_taken = |sql: &str| std::panic::catch_unwind(|| joins(sql, &["marked"])).is_ok();
        for sql in ["", "JOIN t ON t.id = marked.id", "JOIN t ON t.marked = 'marked'", "JOIN marked_too AS m"]
        {
            assert!(is_taken(sql), "{sql}");
        }
        for sql in ["JOIN t AS marked", "JOIN Marked USING (id)", "JOIN (SELECT 1) marked"] {
            assert!(!is_taken(sql), "{sql}");
        }
    }

    #[test]
    fn what_is_told_has_a_name_of_its_own() {
        let is_taken = |sql: &str| std::panic::catch_unwind(|| told(sql, &["landed"])).is_ok();
        for sql in ["1 AS a", "(SELECT landed FROM t WHERE b = 'landed') AS a, 'x' AS landed_at"] {
            assert!(is_taken(sql), "{sql}");
        }
        for sql in ["1 AS landed", "(SELECT 1) AS a, 2 Landed", "1 AS 'landed'"] {
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
        let is_taken = |sql: &str| std::panic::catch_unwind(|| conflict(sql, &["version", "id"])).is_ok();
        for sql in ["", "(id) DO NOTHING", "(id, version) DO UPDATE SET a = version, b = id"] {
            assert!(is_taken(sql), "{sql}");
        }
        for sql in [
            "(id) DO UPDATE SET version = 0",
            "(a) DO UPDATE SET a = 1 ON CONFLICT (b) DO UPDATE SET c = 2, ID = 3",
            "(id) DO UPDATE SET (a, version) = (1, 2)",
        ] {
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
            "a = 1 \0",
        ] {
            assert!(!is_taken(sql), "{sql}");
        }
    }
}
