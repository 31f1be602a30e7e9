//! What a site may be called: as a package, as a program, and as a Worker.

use anyhow::ensure;

use super::TEMPLATE_NAME;

/// What an address of a Worker may have.
const LONGEST: usize = 54;

/// Names that are spoken for: words of the language, crates that come with it, and folders in
/// which cargo builds.
const TAKEN: &[&str] = &[
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "build",
    "const",
    "continue",
    "core",
    "crate",
    "deps",
    "do",
    "dyn",
    "else",
    "enum",
    "examples",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "incremental",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "proc-macro",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
];

/// Refuses what is no name, and what is the name of one of the site's own `dependencies`.
pub(super) fn check(name: &str, dependencies: &[String]) -> anyhow::Result<()> {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let ends_well = name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase())
        && name.bytes().next_back().is_some_and(is_plain);
    ensure!(
        ends_well && name.bytes().all(|byte| is_plain(byte) || byte == b'-') && name.len() <= LONGEST,
        "{name:?} cannot be the name of a site: take lower-case letters, digits and hyphens, \
         with a letter first and no hyphen last, and at most {LONGEST} of them, such as my-notices"
    );
    let same = |other: &str| other.replace('_', "-") == name;
    ensure!(!TAKEN.contains(&name), "{name:?} means something to Rust or to cargo; take another name");
    ensure!(
        !dependencies.iter().any(|dependency| same(dependency)),
        "{name:?} is a crate that the site depends on; take another name"
    );
    Ok(())
}

/// A text of the template, as one of the site's.
pub(super) fn renamed(text: &str, name: &str) -> String {
    text.replace(TEMPLATE_NAME, name).replace(&TEMPLATE_NAME.replace('-', "_"), &name.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_good_for_a_package_a_program_and_a_worker() {
        let check = |name: &str| check(name, &["axum".to_owned(), "quick_cache".to_owned()]);
        for name in ["notices", "my-notices", "n2", "tests", &"n".repeat(54)] {
            assert!(check(name).is_ok(), "{name}");
        }
        for name in ["", "2n", "-n", "n-", "My", "a_b", "a b", "a.b", "\u{fc}ber", &"n".repeat(55)] {
            let error = check(name).unwrap_err().to_string();
            assert!(error.contains(&format!("{name:?}")) && error.contains("my-notices"), "{error}");
        }
        for name in ["test", "core", "build", "fn", "proc-macro", "axum", "quick-cache"] {
            let error = check(name).unwrap_err().to_string();
            assert!(error.contains("take another name"), "{name}: {error}");
        }
    }

    #[test]
    fn a_text_names_the_site_as_package_and_as_crate() {
        assert_eq!(renamed("fencepost-site: use fencepost_site::a;", "my-x"), "my-x: use my_x::a;");
        assert_eq!(renamed("fencepost-sqlite", "my-x"), "fencepost-sqlite");
    }
}
