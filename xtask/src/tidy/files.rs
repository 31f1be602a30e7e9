//! What every text file has in common.

use super::report::{Rule, Source, Violation, is_test_path, line_of};

static ENDINGS: Rule =
    Rule { name: "lf-endings", why: "migrations and snapshots are compared byte by byte, on every system" };

static LENGTH: Rule = Rule {
    name: "short-files",
    why: "a file stays small enough to hold in the head; divide it where its subject divides",
};

const LONGEST: usize = 500;

pub(super) fn check(source: &Source) -> Vec<Violation> {
    let Source { path, text } = source;
    let mut violations = Vec::new();
    if let Some(at) = text.find('\r') {
        violations.push(ENDINGS.at(path, line_of(text, at), "a carriage return"));
    }
    let lines = text.lines().count();
    let counts = path.ends_with(".rs") && path.split('/').any(|part| part == "src") && !is_test_path(path);
    if counts && lines > LONGEST {
        violations.push(LENGTH.at(path, LONGEST + 1, format!("{lines} lines, more than {LONGEST}")));
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::{super::report::assert_found, *};

    fn check_text(path: &str, text: &str, expected: &[(usize, &str)]) {
        assert_found(&check(&Source { path: path.to_owned(), text: text.to_owned() }), expected);
    }

    #[test]
    fn lines_end_in_lf() {
        check_text("README.md", "one\ntwo\n", &[]);
        check_text("README.md", "one\ntwo\r\nthree\r\n", &[(2, "lf-endings")]);
    }

    #[test]
    fn sources_are_short() {
        check_text("crates/a/src/lib.rs", &"\n".repeat(500), &[]);
        check_text("crates/a/src/lib.rs", &"\n".repeat(501), &[(501, "short-files")]);
        check_text("crates/a/tests/it/main.rs", &"\n".repeat(501), &[]);
        check_text("ARCHITECTURE.md", &"\n".repeat(501), &[]);
    }
}
