//! Documents that do not point into the void.

use std::collections::BTreeSet;

use super::report::{Rule, Source, Violation};

static LINKS: Rule =
    Rule { name: "live-link", why: "a document that points to a moved file misleads whoever follows it" };

static CODE_MAP: Rule = Rule {
    name: "complete-code-map",
    why: "ARCHITECTURE.md tells of every crate what it is for, and of nothing that is gone",
};

static DECISIONS: Rule = Rule {
    name: "decision-name",
    why: "decisions are cited by number: docs/decisions/NNNN-name.md, counting up from 0001 without a gap",
};

/// Links from a document to files of the project lead somewhere.
pub(super) fn check_links(source: &Source, paths: &BTreeSet<String>) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut in_code = false;
    for (number, line) in (1..).zip(source.text.lines()) {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            continue;
        }
        if in_code {
            continue;
        }
        for target in targets(&without_code(line)) {
            let is_elsewhere = target.contains(':') || target.starts_with('#') || target.is_empty();
            let file = target.split(['#', '?']).next().unwrap_or_default();
            if !is_elsewhere && !exists(&source.path, file, paths) {
                violations.push(LINKS.at(&source.path, number, format!("there is no file {file:?}")));
            }
        }
    }
    violations
}

/// The architecture names every crate, and no file below `crates` that there is not.
pub(super) fn check_code_map<'a>(
    source: &Source,
    folders: impl Iterator<Item = &'a str>,
    paths: &BTreeSet<String>,
) -> Vec<Violation> {
    let is_missing = |folder: &&str| !source.text.contains(&format!("`{folder}`"));
    let mut violations: Vec<Violation> = folders
        .filter(is_missing)
        .map(|folder| CODE_MAP.at(&source.path, 1, format!("`{folder}` is not in the code map")))
        .collect();
    for (number, line) in (1..).zip(source.text.lines()) {
        let named = line.split('`').skip(1).step_by(2).filter(|code| code.starts_with("crates/"));
        let gone = named.filter(|path| !exists("ARCHITECTURE.md", path, paths));
        violations
            .extend(gone.map(|path| CODE_MAP.at(&source.path, number, format!("there is no `{path}`"))));
    }
    violations
}

/// Decisions count up from 0001.
pub(super) fn check_decision_names(paths: &BTreeSet<String>) -> Vec<Violation> {
    const FOLDER: &str = "docs/decisions/";
    let is_record = |path: &&String| {
        path.strip_prefix(FOLDER).is_some_and(|name| name.ends_with(".md") && name != "README.md")
    };
    (1..)
        .zip(paths.iter().filter(is_record))
        .filter(|(number, path)| !path.starts_with(&format!("{FOLDER}{number:04}-")))
        .map(|(number, path)| DECISIONS.at(path, 1, format!("expected {number:04}-name.md")))
        .collect()
}

/// What the links and images of a line point to, in Markdown and in HTML.
fn targets(line: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for (opening, closing) in [("](", ')'), ("src=\"", '"'), ("srcset=\"", '"'), ("href=\"", '"')] {
        for (at, _) in line.match_indices(opening) {
            let rest = &line[at + opening.len()..];
            let target = rest.split(closing).next().unwrap_or_default();
            targets.push(target.split_whitespace().next().unwrap_or_default().to_owned());
        }
    }
    if let Some((_, target)) = line.strip_prefix('[').and_then(|line| line.split_once("]: ")) {
        targets.push(target.split_whitespace().next().unwrap_or_default().to_owned());
    }
    targets
}

/// The line without what stands in backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("``")
}

fn exists(document: &str, target: &str, paths: &BTreeSet<String>) -> bool {
    let mut parts: Vec<&str> = Vec::new();
    if !target.starts_with('/') {
        parts.extend(document.split('/'));
        parts.pop();
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return false;
                }
            }
            name => parts.push(name),
        }
    }
    let path = parts.join("/");
    let folder = format!("{path}/");
    path.is_empty() || paths.contains(&path) || paths.iter().any(|file| file.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use super::{super::report::assert_found, *};

    fn check_text(path: &str, text: &str, expected: &[(usize, &str)]) {
        let paths = ["README.md", "docs/guard.md", "docs/picture.svg", "crates/sql/src/lib.rs"];
        let paths = paths.map(str::to_owned).into();
        assert_found(
            &check_links(&Source { path: path.to_owned(), text: text.to_owned() }, &paths),
            expected,
        );
    }

    #[test]
    fn links_lead_somewhere() {
        check_text("README.md", "See [the guard](docs/guard.md#why) and [the plans](crates/sql).", &[]);
        check_text("README.md", "\nSee [the guard](docs/guards.md).", &[(2, "live-link")]);
        check_text("README.md", "<img src=\"docs/image.svg\">", &[(1, "live-link")]);
        check_text("README.md", "[guard]: docs/gone.md", &[(1, "live-link")]);
        check_text("docs/guard.md", "[up](../README.md) ![it](picture.svg) [root](/README.md)", &[]);
        check_text("docs/guard.md", "[up](README.md)", &[(1, "live-link")]);
        check_text("docs/guard.md", "[out](../../README.md)", &[(1, "live-link")]);
    }

    #[test]
    fn addresses_anchors_and_code_are_left_alone() {
        check_text("README.md", "[a](https://example.org/x) [b](#below) `[c](gone.md)`", &[]);
        check_text("README.md", "```md\n[c](gone.md)\n```\n", &[]);
    }

    #[test]
    fn the_code_map_is_complete() {
        let check = |text: &str, folder: &str, expected: &[(usize, &str)]| {
            let source = Source { path: "ARCHITECTURE.md".to_owned(), text: text.to_owned() };
            let paths = ["crates/domain/src/lib.rs".to_owned()].into();
            assert_found(&check_code_map(&source, [folder].into_iter(), &paths), expected);
        };
        check("### `crates/domain`\nSee `crates/domain/src/lib.rs`.", "crates/domain", &[]);
        check("### `crates/domain`\n", "crates/sql", &[(1, "complete-code-map")]);
        check(
            "### `crates/domain`\nSee `crates/domain/src/gone.rs`.",
            "crates/domain",
            &[(2, "complete-code-map")],
        );
        check("### `crates/domain`\n### `crates/gone`\n", "crates/domain", &[(2, "complete-code-map")]);
    }

    #[test]
    fn decisions_count_up_without_a_gap() {
        let check = |names: &[&str], expected: &[(usize, &str)]| {
            let paths = names.iter().map(|name| format!("docs/decisions/{name}")).collect();
            assert_found(&check_decision_names(&paths), expected);
        };
        check(&["0001-one-guard.md", "0002-clock.md", "README.md"], &[]);
        check(&["0001-one-guard.md", "0003-clock.md"], &[(1, "decision-name")]);
        check(&["0001-one-guard.md", "0001-clock.md"], &[(1, "decision-name")]);
    }
}
