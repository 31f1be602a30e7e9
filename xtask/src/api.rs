//! `cargo xtask api`: what the crates of the kit offer to others, as a list that is reviewed.
//!
//! A name that becomes public by mistake stays for good once somebody uses it. So each crate of
//! the kit keeps the list of all that is public in it, and a change of the list is looked at like
//! a change of code. `cargo semver-checks` says whether a change breaks somebody; this says that
//! there is one.
//!
//! The list is made of what rustdoc tells programs. The pinned compiler keeps that behind a switch
//! for nightly ones, so it is told to be one, in a folder of its own: build scripts look at the
//! switch, and all that they belong to would be built anew in the usual one.

use std::{fs, path::Path};

use anyhow::{Context, bail, ensure};
use cargo_metadata::{Metadata, MetadataCommand, Package};
use public_api::Builder;

use crate::steps::{CommandLine, output_of};

/// The list of a crate, in its folder.
const LIST: &str = "public-api.txt";

/// Where the descriptions of the crates are built.
const FOLDER: &str = "target/api";

/// Features for the tests of this workspace: what they have, nobody else is promised.
const UNPROMISED: &[&str] = &["default", "mock"];

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// Makes the lists those of the code, instead of comparing them.
    bless: bool,
}

impl Options {
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> Self {
        Self { bless: args.contains("--bless") }
    }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let metadata = MetadataCommand::new().no_deps().exec().context("cargo cannot read the workspace")?;
    let mut changed = Vec::new();
    for package in offered(&metadata) {
        let list = list_of(package)?;
        let folder = package.manifest_path.parent().context("a manifest stands in a folder")?;
        let path = folder.join(LIST);
        if options.bless {
            fs::write(&path, &list).with_context(|| format!("cannot write {path}"))?;
            println!("{path}: {} lines", list.lines().count());
            continue;
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        let differences = compare(&kept, &list);
        if !differences.is_empty() {
            changed.push(format!("{path}:\n{}", differences.join("\n")));
        }
    }
    if changed.is_empty() {
        return Ok(());
    }
    bail!(
        "what others can use has changed; if it is meant to, `cargo xtask api --bless`\n{}",
        changed.join("\n")
    )
}

/// The crates of the kit that are made for others.
fn offered(metadata: &Metadata) -> impl Iterator<Item = &Package> {
    let kit = metadata.workspace_root.join("kit");
    metadata.packages.iter().filter(move |package| {
        let folder = package.manifest_path.parent().and_then(|folder| folder.parent());
        // A list of registries, and an empty one, is what `publish = false` comes to.
        folder == Some(&kit) && package.publish.is_none()
    })
}

/// All that is public in a crate, one item a line.
fn list_of(package: &Package) -> anyhow::Result<String> {
    let name = &package.name;
    let features: Vec<_> = package.features.keys().map(String::as_str).collect();
    let features =
        features.into_iter().filter(|feature| !UNPROMISED.contains(feature)).collect::<Vec<_>>().join(",");
    let line = CommandLine::new(&format!(
        "cargo rustdoc --quiet --package {name} --lib --features={features} --target-dir {FOLDER} \
         -- -Z unstable-options --output-format json --cap-lints allow"
    ));
    output_of(&mut line.variable("RUSTC_BOOTSTRAP", "1").to_command())?;
    let json = Path::new(FOLDER).join("doc").join(format!("{}.json", name.replace('-', "_")));
    let api = Builder::from_rustdoc_json(&json)
        .sorted(true)
        .omit_blanket_impls(true)
        .omit_auto_trait_impls(true)
        .build()
        .with_context(|| {
            format!("{} is in a form that this crate `public-api` cannot read", json.display())
        })?;
    let items = api.items().map(ToString::to_string).filter(|item| !goes_without_saying(item));
    let list: String = items.map(|item| format!("{item}\n")).collect();
    ensure!(!list.is_empty(), "nothing is public in {name}");
    Ok(list)
}

/// Whether an item follows from the line before it: what `impl Clone for …` has, is known.
fn goes_without_saying(item: &str) -> bool {
    const METHODS: [&str; 8] =
        ["clone", "cmp", "deserialize", "eq", "fmt", "hash", "partial_cmp", "serialize"];
    let name = item.split('(').next().unwrap_or(item);
    let is_method = |method| name.ends_with(&format!("::{method}")) || name.contains(&format!("::{method}<"));
    let is_known = item.starts_with("pub fn ") && METHODS.into_iter().any(is_method);
    is_known || item.starts_with("impl core::marker::StructuralPartialEq ")
}

/// The lines that have gone, and those that have come.
fn compare(kept: &str, now: &str) -> Vec<String> {
    let without = |list: &str, other: &str, sign: char| -> Vec<String> {
        let other: Vec<_> = other.lines().collect();
        list.lines().filter(|line| !other.contains(line)).map(|line| format!("{sign} {line}")).collect()
    };
    [without(kept, now, '-'), without(now, kept, '+')].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_implementation_of_a_trait_has_is_not_listed() {
        for item in [
            "pub fn a::B::clone(&self) -> a::B",
            "pub fn a::B<K>::fmt(&self, &mut core::fmt::Formatter<'_>) -> core::fmt::Result",
            "pub fn a::B::hash<__H: core::hash::Hasher>(&self, &mut __H)",
            "impl core::marker::StructuralPartialEq for a::B",
        ] {
            assert!(goes_without_saying(item), "{item}");
        }
        for item in ["impl core::clone::Clone for a::B", "pub fn a::B::equal(&self)", "pub const a::B: a::eq"]
        {
            assert!(!goes_without_saying(item), "{item}");
        }
    }

    #[test]
    fn what_has_gone_and_what_has_come_is_told() {
        assert_eq!(compare("pub fn a::b()\npub fn a::c()\n", "pub fn a::b()\npub fn a::c()\n"), [""; 0]);
        assert_eq!(
            compare("pub fn a::b()\npub fn a::c()\n", "pub fn a::b(u8)\npub fn a::c()\n"),
            ["- pub fn a::b()", "+ pub fn a::b(u8)"]
        );
        assert_eq!(compare("", "pub fn a::b()\n"), ["+ pub fn a::b()"]);
    }
}
