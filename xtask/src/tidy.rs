//! `cargo xtask tidy`: proves the absences that ARCHITECTURE.md states.
//!
//! Each rule is a pure function over texts or over the graph of dependencies, so that
//! its tests plant a violation and see it reported. What the compiler or clippy can
//! check stands in their settings, not here.

mod report;

mod tokens;

mod graph;

mod manifests;

mod files;

mod sql_text;

mod clocks;

mod attributes;

mod kit_words;

mod migrations;

mod documents;

use std::{collections::BTreeSet, fs, process::Command};

use anyhow::{Context, bail, ensure};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

use report::{Source, Violation};

pub(crate) fn run() -> anyhow::Result<()> {
    let metadata = MetadataCommand::new().no_deps().exec().context("cargo cannot read the workspace")?;
    let paths = paths()?;
    let mut sources = Vec::new();
    for path in &paths {
        let bytes = fs::read(path).with_context(|| format!("cannot read {path}"))?;
        // Whatever is not text is an image, say, and none of the rules' business.
        if let Ok(text) = String::from_utf8(bytes) {
            sources.push(Source { path: path.clone(), text });
        }
    }
    let members = members(&metadata, &sources)?;
    for document in ["README.md", "ARCHITECTURE.md"] {
        ensure!(paths.contains(document), "there is no {document}");
    }

    let mut violations = graph::check(&members);
    violations.extend(migrations::check_names(&paths));
    violations.extend(documents::check_decision_names(&paths));
    for source in &sources {
        violations.extend(check_text(source, &paths, &members));
    }
    conclude(violations, sources.len())
}

fn check_text(source: &Source, paths: &BTreeSet<String>, members: &[graph::Member]) -> Vec<Violation> {
    let path = source.path.as_str();
    let mut violations = files::check(source);
    if path.ends_with("Cargo.toml") {
        violations.extend(manifests::check(source));
    }
    if path.ends_with(".sql") {
        violations.extend(sql_text::check_file(path));
    }
    if migrations::is_migration(path) {
        violations.extend(migrations::check(source));
    }
    if path.ends_with(".md") {
        violations.extend(documents::check_links(source, paths));
    }
    if path == "ARCHITECTURE.md" {
        let folders = members.iter().map(|member| member.folder.as_str());
        violations.extend(documents::check_code_map(source, folders, paths));
    }
    if path.ends_with(".rs") {
        match tokens::read(&source.text) {
            Ok(tokens) => {
                violations.extend(sql_text::check(path, &tokens));
                violations.extend(clocks::check(path, &tokens));
                violations.extend(attributes::check(path, &tokens));
                violations.extend(kit_words::check(source, &tokens));
            }
            Err(problem) => violations.push(tokens::UNREADABLE.at(path, problem.line, problem.message)),
        }
    }
    violations
}

fn conclude(mut violations: Vec<Violation>, files: usize) -> anyhow::Result<()> {
    if violations.is_empty() {
        println!("tidy: {files} files, no violation");
        return Ok(());
    }
    violations.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    for violation in &violations {
        eprintln!("{violation}");
    }
    let count = violations.len();
    bail!("tidy found {count} violation{}", if count == 1 { "" } else { "s" });
}

/// Every file of the project: what git knows, and what it would add.
fn paths() -> anyhow::Result<BTreeSet<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .output()
        .context("cannot start git, which knows the files of the project")?;
    ensure!(output.status.success(), "git ls-files: {}", String::from_utf8_lossy(&output.stderr));
    let listing = String::from_utf8(output.stdout).context("a file name is not UTF-8")?;
    let there = |path: &&str| !path.is_empty() && fs::metadata(path).is_ok_and(|file| file.is_file());
    Ok(listing.split('\0').filter(there).map(str::to_owned).collect())
}

/// The crates of the workspace, as cargo sees them.
fn members(metadata: &Metadata, sources: &[Source]) -> anyhow::Result<Vec<graph::Member>> {
    let mut members = Vec::new();
    for package in &metadata.packages {
        let manifest = package.manifest_path.strip_prefix(&metadata.workspace_root)?.as_str();
        let folder = manifest.trim_end_matches("/Cargo.toml").to_owned();
        let text = sources.iter().find(|source| source.path == manifest);
        let dependencies = package.dependencies.iter().map(|dependency| graph::Dependency {
            name: dependency.name.clone(),
            is_own: dependency.path.is_some(),
            for_tests: dependency.kind == DependencyKind::Development,
            features: dependency.features.clone(),
        });
        members.push(graph::Member {
            name: package.name.to_string(),
            folder,
            dependencies: dependencies.collect(),
            manifest: text.map(|source| source.text.clone()).unwrap_or_default(),
        });
    }
    Ok(members)
}
