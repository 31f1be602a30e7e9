//! What every manifest inherits from the root.

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::report::{Rule, Source, Violation, line_of};

static INHERITS: Rule = Rule {
    name: "inherited-settings",
    why: "version, edition, licence and lints are those of the whole workspace",
};

static VERSIONS: Rule = Rule {
    name: "one-version-each",
    why: "every version stands once, in [workspace.dependencies] of the root manifest; \
          a member writes `name.workspace = true`",
};

static OFFERED: Rule = Rule {
    name: "ready-for-others",
    why: "a crate of the kit is made to be published: it says what it is and where to begin, and a crate that \
          may not be published is left out by the tools that compare its versions",
};

/// Keys that a member's `[package]` takes from the root.
const PACKAGE_KEYS: &[&str] = &["version", "edition", "rust-version", "license"];

/// Keys that a crate needs to be found and understood, and to hold what belongs to it and no more.
const OFFERED_KEYS: &[&str] = &["description", "readme", "keywords", "categories", "include"];

pub(super) fn check(source: &Source) -> Vec<Violation> {
    let manifest = match DeTable::parse(&source.text) {
        Ok(manifest) => manifest.into_inner(),
        Err(error) => return vec![INHERITS.at(&source.path, 1, format!("not TOML: {}", error.message()))],
    };
    if source.path == "Cargo.toml" {
        return check_root(source, &manifest);
    }
    let mut violations = Vec::new();
    let package = table(&manifest, "package");
    for key in PACKAGE_KEYS {
        let value = package.and_then(|package| package.get(*key));
        if !value.is_some_and(is_inherited) {
            let line = value.map_or(1, |value| line_of(&source.text, value.span().start));
            violations.push(INHERITS.at(&source.path, line, format!("write `{key}.workspace = true`")));
        }
    }
    let keeps_to_itself = package.and_then(|package| package.get("publish"));
    if is_offered(&source.path) {
        for key in
            OFFERED_KEYS.iter().filter(|key| !package.is_some_and(|package| package.contains_key(**key)))
        {
            violations.push(OFFERED.at(&source.path, 1, format!("there is no `{key}`")));
        }
        if let Some(value) = keeps_to_itself {
            let line = line_of(&source.text, value.span().start);
            violations.push(OFFERED.at(&source.path, line, "leave `publish` out"));
        }
    } else if !keeps_to_itself.is_some_and(is_inherited) {
        let line = keeps_to_itself.map_or(1, |value| line_of(&source.text, value.span().start));
        violations.push(INHERITS.at(&source.path, line, "write `publish.workspace = true`"));
    }
    if !manifest.get("lints").is_some_and(is_inherited) {
        violations.push(INHERITS.at(&source.path, 1, "write `workspace = true` under [lints]"));
    }
    for (name, value) in dependencies(&manifest) {
        if !is_inherited(value) {
            let line = line_of(&source.text, value.span().start);
            violations.push(VERSIONS.at(&source.path, line, format!("write `{name}.workspace = true`")));
        }
    }
    violations
}

/// Whether a crate is one of the kit's.
fn is_offered(path: &str) -> bool {
    matches!(path.split('/').collect::<Vec<_>>()[..], ["kit", _, "Cargo.toml"])
}

/// The root has no package of its own, and pins every dependency by version or folder.
fn check_root(source: &Source, manifest: &DeTable<'_>) -> Vec<Violation> {
    let mut violations = Vec::new();
    if manifest.contains_key("package") {
        violations.push(INHERITS.at(
            &source.path,
            1,
            "the root manifest is virtual: move [package] to a crate",
        ));
    }
    let shared = table(manifest, "workspace").and_then(|workspace| table(workspace, "dependencies"));
    for (name, value) in shared.into_iter().flatten() {
        let is_pinned = match value.get_ref() {
            DeValue::String(_) => true,
            DeValue::Table(table) => table.contains_key("version") || table.contains_key("path"),
            _ => false,
        };
        if !is_pinned {
            let line = line_of(&source.text, value.span().start);
            let what = format!("{} has neither a version nor a folder", name.get_ref());
            violations.push(VERSIONS.at(&source.path, line, what));
        }
    }
    violations
}

/// Every dependency of every kind and target.
fn dependencies<'a>(manifest: &'a DeTable<'a>) -> Vec<(&'a str, &'a Spanned<DeValue<'a>>)> {
    const KINDS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];
    let targets = table(manifest, "target").into_iter().flatten();
    let targets = targets.filter_map(|(_, target)| target.get_ref().as_table());
    let tables = std::iter::once(manifest).chain(targets);
    tables
        .flat_map(|manifest| KINDS.iter().filter_map(|kind| table(manifest, kind)))
        .flatten()
        .map(|(name, value)| (name.get_ref().as_ref(), value))
        .collect()
}

fn table<'a>(manifest: &'a DeTable<'a>, key: &str) -> Option<&'a DeTable<'a>> {
    manifest.get(key)?.get_ref().as_table()
}

fn is_inherited(value: &Spanned<DeValue<'_>>) -> bool {
    value.get_ref().get("workspace").is_some_and(|flag| flag.get_ref().as_bool() == Some(true))
}

#[cfg(test)]
mod tests {
    use super::{super::report::assert_found, *};

    const GOOD: &str = "\
[package]
name = \"fencepost-domain\"
version.workspace = true
edition.workspace = true
rust-version.workspace = true
license.workspace = true
publish.workspace = true

[lints]
workspace = true

[dependencies]
serde.workspace = true
tokio = { workspace = true, features = [\"rt\"] }
";

    fn check_text(path: &str, text: &str, expected: &[(usize, &str)]) {
        assert_found(&check(&Source { path: path.to_owned(), text: text.to_owned() }), expected);
    }

    #[test]
    fn a_member_inherits() {
        let check =
            |text: &str, expected: &[(usize, &str)]| check_text("crates/a/Cargo.toml", text, expected);
        check(GOOD, &[]);
        check(&GOOD.replace("edition.workspace = true", "edition = \"2021\""), &[(4, "inherited-settings")]);
        check(&GOOD.replace("license.workspace = true\n", ""), &[(1, "inherited-settings")]);
        check(&GOOD.replace("[lints]\nworkspace = true\n", ""), &[(1, "inherited-settings")]);
    }

    #[test]
    fn only_the_kit_is_for_others() {
        let kept = "publish.workspace = true\n";
        check_text("crates/a/Cargo.toml", &GOOD.replace(kept, ""), &[(1, "inherited-settings")]);
        check_text("examples/a/Cargo.toml", GOOD, &[]);
        let found =
            "description = \"a\"\nreadme = \"README.md\"\nkeywords = []\ncategories = []\ninclude = []\n";
        let offered = GOOD.replace(kept, found);
        check_text("kit/a/Cargo.toml", &offered, &[]);
        let kept = offered.replace("include = []", "publish = false\ninclude = []");
        check_text("kit/a/Cargo.toml", &kept, &[(11, "ready-for-others")]);
        let unexplained = offered.replace("readme = \"README.md\"\n", "");
        check_text("kit/a/Cargo.toml", &unexplained, &[(1, "ready-for-others")]);
    }

    #[test]
    fn versions_stand_in_the_root() {
        let check = |line: &str, expected: &[(usize, &str)]| {
            check_text("crates/a/Cargo.toml", &format!("{GOOD}{line}\n"), expected);
        };
        check("anyhow = \"1\"", &[(15, "one-version-each")]);
        check("anyhow = { version = \"1\", optional = true }", &[(15, "one-version-each")]);
        check("fencepost-ports = { path = \"../ports\" }", &[(15, "one-version-each")]);
        check("[dev-dependencies]\nproptest = \"1\"", &[(16, "one-version-each")]);
        check("[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"", &[(16, "one-version-each")]);
    }

    #[test]
    fn the_root_is_virtual_and_pins() {
        let check = |text: &str, expected: &[(usize, &str)]| check_text("Cargo.toml", text, expected);
        check("[workspace.dependencies]\na = \"1\"\nb = { path = \"b\" }", &[]);
        check("[workspace.dependencies]\na = { git = \"x\" }", &[(2, "one-version-each")]);
        check("[package]\nname = \"a\"", &[(1, "inherited-settings")]);
    }
}
