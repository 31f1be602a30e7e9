//! Migrations that two runners understand: the native one, and wrangler's for D1.

use std::collections::BTreeSet;

use super::report::{Rule, Source, Violation, line_of};

static NAMES: Rule = Rule {
    name: "migration-name",
    why: "migrations run in the order of their names and are recorded by name: NNNN_name.sql, \
          counting up from 0001 without a gap",
};

static SHAPE: Rule = Rule {
    name: "plain-migration",
    why: "wrangler divides a migration at its semicolons and D1 refuses transactions of one's own, \
          so every statement ends in `;` and none contains one",
};

static STRICT: Rule =
    Rule { name: "strict-table", why: "only a STRICT table refuses a text where an integer belongs" };

/// Words that begin or end what the runner does itself, or a body with semicolons.
const FORBIDDEN: &[&str] = &["BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "TRIGGER", "ATTACH", "VACUUM"];

/// Whether this is a migration: of the site, or of a template.
pub(super) fn is_migration(path: &str) -> bool {
    path.ends_with(".sql")
        && (path.starts_with("migrations/")
            || path.starts_with("templates/") && path.contains("/migrations/"))
}

/// Names count up from 0001.
pub(super) fn check_names(paths: &BTreeSet<String>) -> Vec<Violation> {
    let mut violations = Vec::new();
    let files = paths.iter().filter(|path| path.starts_with("migrations/") && path.ends_with(".sql"));
    for (number, path) in (1..).zip(files) {
        let name = path.trim_start_matches("migrations/").trim_end_matches(".sql");
        let rest = name.strip_prefix(&format!("{number:04}_"));
        let is_plain = |rest: &str| {
            !rest.is_empty() && rest.bytes().all(|it| matches!(it, b'a'..=b'z' | b'0'..=b'9' | b'_'))
        };
        if !rest.is_some_and(is_plain) {
            violations.push(NAMES.at(path, 1, format!("expected {number:04}_name.sql, in a-z, 0-9 and _")));
        }
    }
    violations
}

pub(super) fn check(source: &Source) -> Vec<Violation> {
    let Source { path, text } = source;
    let mut violations = Vec::new();
    let mut start = 0;
    let code = blank_comments_and_strings(text);
    for statement in code.split_inclusive(';') {
        let lead = statement.len() - statement.trim_start().len();
        let line = line_of(text, start + lead);
        start += statement.len();
        let words: Vec<String> = statement
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .map(str::to_ascii_uppercase)
            .collect();
        if words.is_empty() {
            continue;
        }
        if !statement.ends_with(';') {
            violations.push(SHAPE.at(path, line, "the last statement does not end in `;`"));
        }
        if let Some(word) = words.iter().find(|word| FORBIDDEN.contains(&word.as_str())) {
            violations.push(SHAPE.at(path, line, format!("a statement with {word}")));
        }
        let makes_table = words.starts_with(&["CREATE".to_owned(), "TABLE".to_owned()]);
        if makes_table && words.last().is_some_and(|word| word != "STRICT") {
            violations.push(STRICT.at(path, line, "a table that is not STRICT"));
        }
    }
    for at in semicolons_in_strings(text, &code) {
        violations.push(SHAPE.at(path, line_of(text, at), "a semicolon within a text"));
    }
    violations
}

/// The text with comments and strings blanked, byte for byte.
fn blank_comments_and_strings(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let span = match first {
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            '\'' | '"' => rest[1..].find(first).map_or(rest.len(), |at| at + 2),
            other => {
                code.push(other);
                rest = &rest[other.len_utf8()..];
                continue;
            }
        };
        let (blanked, after) = rest.split_at(span);
        code.extend(blanked.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        rest = after;
    }
    code
}

/// Semicolons that were blanked, other than those in comments.
fn semicolons_in_strings(text: &str, code: &str) -> Vec<usize> {
    let is_comment = |at: usize| {
        let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        text[line..at].contains("--")
    };
    let blanked = text.match_indices(';').map(|(at, _)| at).filter(|at| code.as_bytes()[*at] != b';');
    blanked.filter(|at| !is_comment(*at)).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::report::assert_found, *};

    fn check_text(text: &str, expected: &[(usize, &str)]) {
        assert_found(
            &check(&Source { path: "migrations/0001_a.sql".to_owned(), text: text.to_owned() }),
            expected,
        );
    }

    fn check_listing(names: &[&str], expected: &[(usize, &str)]) {
        let paths = names.iter().map(|name| format!("migrations/{name}")).collect();
        assert_found(&check_names(&paths), expected);
    }

    #[test]
    fn names_count_up_without_a_gap() {
        check_listing(&["0001_publication.sql", "0002_results.sql", "README.md"], &[]);
        check_listing(&["0001_publication.sql", "0003_results.sql"], &[(1, "migration-name")]);
        check_listing(&["0001_a.sql", "0001_b.sql"], &[(1, "migration-name")]);
        check_listing(&["1_a.sql"], &[(1, "migration-name")]);
        check_listing(&["0001-A.sql"], &[(1, "migration-name")]);
    }

    #[test]
    fn statements_end_in_semicolons() {
        check_text(
            "-- One; two.\nCREATE TABLE a (\n  b TEXT\n) STRICT;\n\nINSERT INTO a VALUES ('é');\n-- End.\n",
            &[],
        );
        check_text("CREATE INDEX a ON b (c);\nCREATE INDEX d ON b (e)\n", &[(2, "plain-migration")]);
        check_text("\nINSERT INTO a VALUES ('x; y');\n", &[(2, "plain-migration")]);
    }

    #[test]
    fn transactions_and_triggers_are_refused() {
        check_text("BEGIN;\n", &[(1, "plain-migration")]);
        check_text(
            "CREATE TRIGGER a AFTER INSERT ON b BEGIN\n  SELECT 1;\nEND;\n",
            &[(1, "plain-migration")],
        );
    }

    #[test]
    fn tables_are_strict() {
        check_text("CREATE TABLE a (b TEXT);\n", &[(1, "strict-table")]);
        check_text("-- STRICT\nCREATE TABLE a (b TEXT) STRICT, WITHOUT ROWID;\n", &[(2, "strict-table")]);
    }
}
