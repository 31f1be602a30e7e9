//! What a rule reads, and what it says.

use std::fmt;

/// A text file of the project.
pub(super) struct Source {
    /// From the root of the project, with `/`.
    pub(super) path: String,
    pub(super) text: String,
}

/// A rule, and the reason for it.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    pub(super) why: &'static str,
}

impl Rule {
    pub(super) fn at(&'static self, path: &str, line: usize, what: impl Into<String>) -> Violation {
        Violation { path: path.to_owned(), line, rule: self, what: what.into() }
    }
}

/// A place where a rule is broken.
#[derive(Debug)]
pub(super) struct Violation {
    pub(super) path: String,
    /// From 1.
    pub(super) line: usize,
    rule: &'static Rule,
    what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, rule, what } = self;
        write!(f, "{path}:{line}: {}: {what}\n    why: {}", rule.name, rule.why)
    }
}

/// The line on which the byte at `offset` stands, from 1.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    text.as_bytes()[..offset].iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Whether a file belongs to tests alone.
pub(super) fn is_test_path(path: &str) -> bool {
    path.split('/').any(|part| matches!(part, "tests" | "tests.rs" | "benches"))
}

/// Asserts where, and against which rules, there are violations.
#[cfg(test)]
#[track_caller]
pub(super) fn assert_found(violations: &[Violation], expected: &[(usize, &str)]) {
    let found: Vec<_> = violations.iter().map(|violation| (violation.line, violation.rule.name)).collect();
    assert_eq!(found, expected, "{violations:#?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_tells_the_place_the_rule_and_the_reason() {
        static RULE: Rule = Rule { name: "no-frost", why: "the pipes burst" };
        let text = RULE.at("a/b.rs", 7, "minus three degrees").to_string();
        assert_eq!(text, "a/b.rs:7: no-frost: minus three degrees\n    why: the pipes burst");
    }

    #[test]
    fn test_code_is_known_by_its_place() {
        for path in ["crates/sql/tests/it/main.rs", "crates/a/src/b/tests.rs", "crates/a/benches/c.rs"] {
            assert!(is_test_path(path), "{path}");
        }
        assert!(!is_test_path("crates/ports/src/contract/attests.rs"));
    }
}
