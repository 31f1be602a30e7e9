//! A batch as one text.
//!
//! D1 takes the statements of a batch as a list, each with its own parameters `?1…?n`.
//! SQLite runs in a thread of its own, and each statement that is sent there by itself costs
//! the way there and back. So it gets all of them as one text with one list of parameters,
//! those of the first statement first.
//!
//! In that text a parameter is called `$18` and no longer `?1`. To SQLite, `?18` is the
//! eighteenth parameter of its statement, behind seventeen that have no name. A driver has to
//! guess which values those take. `$18` is a name and nothing else, and a statement has only
//! the parameters that it names. A value that it is given and does not use is passed over.

use std::fmt::Write;

use fencepost_batch::scan::{Piece, pieces};

use crate::Statement;

/// Statements as one text. Its parameter `$n` is the n-th of all their parameters.
pub fn script<'a>(statements: impl IntoIterator<Item = &'a Statement>) -> String {
    let mut script = String::new();
    let mut before = 0;
    for statement in statements {
        if !script.is_empty() {
            script.push_str(";\n");
        }
        for piece in pieces(statement.sql()) {
            match piece {
                Piece::Sql(sql) | Piece::Literal(sql) => script.push_str(sql),
                Piece::Parameter(number) => {
                    write!(script, "${}", before + number).expect("a String takes everything");
                }
            }
        }
        before += statement.params().len();
    }
    script
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SqlText, Value, catalog};

    fn statement(sql: &str) -> Statement {
        let text: &'static SqlText = Box::leak(Box::new(SqlText::new("test/text", sql.to_owned())));
        Statement::new(text, (1..).map(Value::Integer).take(text.arity()).collect())
    }

    fn check(statements: &[&str], expected: &str) {
        let statements: Vec<_> = statements.iter().map(|sql| statement(sql)).collect();
        assert_eq!(script(&statements), expected);
    }

    #[test]
    fn parameters_are_numbered_across_statements() {
        check(&[], "");
        check(&["SELECT ?2, ?1, ?2"], "SELECT $2, $1, $2");
        check(&["SELECT 1", "SELECT ?1", "SELECT ?1"], "SELECT 1;\nSELECT $1;\nSELECT $2");
        check(&["SELECT ?12", "SELECT ?1+?10"], "SELECT $12;\nSELECT $13+$22");
    }

    #[test]
    fn a_value_that_is_given_and_not_used_counts() {
        check(&["SELECT ?3", "SELECT ?1"], "SELECT $3;\nSELECT $4");
    }

    #[test]
    fn literals_stay_as_they_are() {
        check(
            &["SELECT '?9', ?1", "SELECT 'it''s ?3; --', ?2 || '?' || ?1 || 'ä?1'"],
            "SELECT '?9', $1;\nSELECT 'it''s ?3; --', $3 || '?' || $2 || 'ä?1'",
        );
    }

    #[test]
    fn what_is_not_one_statement_with_numbered_parameters_is_no_text() {
        let built = |sql: &str| {
            let sql = sql.to_owned();
            std::panic::catch_unwind(|| SqlText::new("test/text", sql)).is_ok()
        };
        assert!(built("SELECT ';--/*\"`$?', ?1 - -1"));
        for sql in [
            "SELECT 1; SELECT 2",
            "SELECT 1 -- ?1",
            "SELECT 1 /* ?1 */",
            "SELECT \"?1\"",
            "SELECT `?1`",
            "SELECT $1",
            "SELECT ?",
            "SELECT 'a",
        ] {
            assert!(!built(sql), "{sql}");
        }
    }

    /// The reviewed texts say all about a script: with its parameters called as they were, it
    /// consists of them.
    #[test]
    fn a_script_differs_from_its_texts_by_the_names_of_its_parameters_alone() {
        let texts = catalog::texts();
        let statements: Vec<_> = texts.iter().map(|text| statement(text.sql())).collect();
        let whole = script(&statements);
        let (mut rest, mut before) = (whole.as_str(), 0);
        for text in texts {
            for piece in pieces(text.sql()) {
                let expected = match piece {
                    Piece::Sql(sql) | Piece::Literal(sql) => sql.to_owned(),
                    Piece::Parameter(number) => format!("${}", before + number),
                };
                rest = rest.strip_prefix(&expected).unwrap_or_else(|| panic!("{}: {rest}", text.name()));
            }
            rest = rest.strip_prefix(";\n").unwrap_or(rest);
            before += text.arity();
        }
        assert_eq!(rest, "");
    }
}
