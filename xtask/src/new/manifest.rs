//! The manifest of a site, from the template's.
//!
//! A member of the workspace inherits versions, which stand in the root manifest once. So the
//! template has none that could be forgotten, and what a site needs is looked up when it is made.

use std::path::Path;

use anyhow::{Context, anyhow, bail};
use toml::de::{DeTable, DeValue};

/// What ends the manifest of a site.
const ALONE: &str = "
# A workspace of its own, wherever it stands.
[workspace]
";

/// The template's manifest without anything that is inherited. `root` is the manifest that it
/// inherits from, and `checkout` the folder of that.
pub(super) fn of_site(template: &str, root: &str, checkout: &Path) -> anyhow::Result<String> {
    let root = parsed(root)?;
    let workspace = root.get("workspace").context("the root manifest has no [workspace]")?.get_ref();
    let checkout = checkout.to_str().with_context(|| format!("{} is not UTF-8", checkout.display()))?;
    let (mut section, mut site) = (String::new(), Vec::new());
    for line in template.lines() {
        if line.starts_with('[') {
            line.clone_into(&mut section);
        }
        match section.trim_matches(['[', ']']) {
            // Which lints a site has is its own affair.
            "lints" => {}
            "package" if line.contains(".workspace = true") => site.extend(package_line(line, workspace)?),
            table
                if table.ends_with("dependencies") && line.contains('=') && !line.starts_with(['[', '#']) =>
            {
                site.push(dependency_line(line, workspace, checkout)?);
            }
            _ => site.push(line.to_owned()),
        }
    }
    Ok(site.join("\n") + "\n" + ALONE)
}

/// The names of all dependencies.
pub(super) fn dependencies(manifest: &str) -> anyhow::Result<Vec<String>> {
    let manifest = parsed(manifest)?;
    let targets = manifest.get("target").and_then(|targets| targets.get_ref().as_table());
    let targets = targets.into_iter().flatten().filter_map(|(_, target)| target.get_ref().as_table());
    let tables = std::iter::once(&manifest).chain(targets);
    let of = |table: &DeTable<'_>| {
        let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
        let all = kinds.iter().filter_map(|kind| table.get(*kind)?.get_ref().as_table());
        all.flat_map(|all| all.iter().map(|(name, _)| name.get_ref().to_string())).collect::<Vec<_>>()
    };
    Ok(tables.flat_map(of).collect())
}

fn parsed(text: &str) -> anyhow::Result<DeTable<'_>> {
    Ok(DeTable::parse(text).map_err(|error| anyhow!("a manifest is not TOML: {error}"))?.into_inner())
}

/// A line of `[package]` that is inherited. A site has a version of its own, and no licence
/// until somebody gives it one.
fn package_line(line: &str, workspace: &DeValue<'_>) -> anyhow::Result<Option<String>> {
    let key = line.split('.').next().unwrap_or_default();
    let value = workspace.get("package").and_then(|package| package.get_ref().get(key));
    let value = value.with_context(|| format!("[workspace.package] has no {key}"))?.get_ref();
    Ok(match (key, value) {
        ("license", _) => None,
        ("version", _) => Some("version = \"0.1.0\"".to_owned()),
        (_, DeValue::String(text)) => Some(format!("{key} = {text:?}")),
        (_, DeValue::Boolean(flag)) => Some(format!("{key} = {flag}")),
        _ => bail!("{key} of [workspace.package] is neither a text nor a flag"),
    })
}

/// A dependency that is inherited, as one that is not.
fn dependency_line(line: &str, workspace: &DeValue<'_>, checkout: &str) -> anyhow::Result<String> {
    let table = parsed(line)?;
    let (name, own) = table.iter().next().with_context(|| format!("{line:?} is no dependency"))?;
    let (name, own) = (name.get_ref(), own.get_ref());
    let shared = workspace.get("dependencies").and_then(|shared| shared.get_ref().get(name.as_ref()));
    let shared = shared.with_context(|| format!("[workspace.dependencies] has no {name}"))?.get_ref();
    let mut parts = Vec::new();
    match shared {
        DeValue::String(version) => parts.push(format!("version = {version:?}")),
        DeValue::Table(shared) => {
            for (key, value) in shared {
                match (key.get_ref().as_ref(), value.get_ref()) {
                    ("version", DeValue::String(version)) => parts.push(format!("version = {version:?}")),
                    ("path", DeValue::String(path)) => {
                        parts.push(format!("path = \"{}\"", escaped(checkout, path)))
                    }
                    ("default-features", DeValue::Boolean(flag)) => {
                        parts.push(format!("default-features = {flag}"))
                    }
                    ("features", _) => {}
                    (key, _) => {
                        bail!("{name} has {key:?}, and nobody has said what becomes of that in a site")
                    }
                }
            }
        }
        _ => bail!("{name} is neither a version nor a table in [workspace.dependencies]"),
    }
    // The version first, or the folder.
    parts.sort_by_key(|part| part.starts_with("default-features"));
    let mut features: Vec<&str> = features(shared).chain(features(own)).collect();
    features.sort_unstable();
    features.dedup();
    if !features.is_empty() {
        parts.push(format!("features = {features:?}"));
    }
    Ok(match &parts[..] {
        [version] if version.starts_with("version") => {
            format!("{name}{}", version.trim_start_matches("version"))
        }
        parts => format!("{name} = {{ {} }}", parts.join(", ")),
    })
}

/// A folder of the checkout, as TOML writes a text.
fn escaped(checkout: &str, path: &str) -> String {
    format!("{checkout}/{path}").replace('\\', "\\\\").replace('"', "\\\"")
}

fn features<'a>(dependency: &'a DeValue<'_>) -> impl Iterator<Item = &'a str> {
    let features = dependency.as_table().and_then(|table| table.get("features"));
    let features = features.and_then(|features| features.get_ref().as_array());
    features.into_iter().flatten().filter_map(|feature| feature.get_ref().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = r#"
[workspace.package]
version = "3.0.0"
edition = "2024"
license = "MIT"
publish = false

[workspace.dependencies]
fencepost-core = { path = "kit/core" }
anyhow = "1.0.1"
axum = { version = "0.8.9", default-features = false }
tokio = { version = "1.5", features = ["rt"] }
odd = { git = "https://git.example" }
"#;

    const TEMPLATE: &str = r#"[package]
name = "fencepost-site"
version.workspace = true
edition.workspace = true
license.workspace = true
publish.workspace = true

[lints]
workspace = true

[lib]
doctest = false

[dependencies]
# Of the kit.
fencepost-core = { workspace = true, features = ["random"] }
anyhow.workspace = true

[target.'cfg(unix)'.dependencies]
axum = { workspace = true, features = ["http1"] }
tokio = { workspace = true, features = ["net", "rt"] }
"#;

    const SITE: &str = r#"[package]
name = "fencepost-site"
version = "0.1.0"
edition = "2024"
publish = false

[lib]
doctest = false

[dependencies]
# Of the kit.
fencepost-core = { path = "/w/kit/core", features = ["random"] }
anyhow = "1.0.1"

[target.'cfg(unix)'.dependencies]
axum = { version = "0.8.9", default-features = false, features = ["http1"] }
tokio = { version = "1.5", features = ["net", "rt"] }

# A workspace of its own, wherever it stands.
[workspace]
"#;

    #[test]
    fn a_site_inherits_nothing() {
        let site = of_site(TEMPLATE, ROOT, Path::new("/w")).unwrap();
        assert_eq!(site, SITE);
        assert!(parsed(&site).is_ok());
    }

    #[test]
    fn what_cannot_be_looked_up_is_no_site() {
        let check = |line: &str, what: &str| {
            let error = of_site(&format!("{TEMPLATE}{line}\n"), ROOT, Path::new("/w")).unwrap_err();
            assert!(format!("{error:#}").contains(what), "{error:#}");
        };
        check("serde.workspace = true", "has no serde");
        check("odd.workspace = true", "\"git\"");
    }

    #[test]
    fn a_folder_may_have_any_name() {
        let site = of_site(TEMPLATE, ROOT, Path::new("/w \"x\"\\y")).unwrap();
        assert!(site.contains(r#"path = "/w \"x\"\\y/kit/core""#), "{site}");
        assert!(parsed(&site).is_ok());
    }

    #[test]
    fn dependencies_of_every_kind_and_target_are_known() {
        let names = dependencies(TEMPLATE).unwrap();
        assert_eq!(names, ["anyhow", "fencepost-core", "axum", "tokio"]);
    }
}
