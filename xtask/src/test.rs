//! `cargo xtask test`: everything, from a fresh clone.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context, ensure};
use cargo_metadata::{Message, Metadata, MetadataCommand};

use crate::{
    contract, integration,
    setup::{self, WASM},
    steps::{CommandLine, Steps},
    tidy,
};

/// The crates that run in a Worker, with the features that do.
const IN_WORKERS: &[(&str, &[&str])] = &[
    ("fencepost-domain", &[]),
    ("fencepost-ports", &["memory", "contract"]),
    ("fencepost-sql", &[]),
    ("fencepost-plan-store", &[]),
    ("fencepost-application", &[]),
    ("fencepost-adapter-d1", &[]),
    ("fencepost-adapter-http", &[]),
    ("fencepost-contract-worker", &[]),
    ("fencepost-app-worker", &[]),
];

/// The crates whose tests would notice a dependence on local time.
const ZONED: &[&str] =
    &["fencepost-domain", "fencepost-ports", "fencepost-adapter-sqlite", "fencepost-app-server"];

/// The two ends of the world: 14 hours before and 12 hours behind UTC.
const ZONES: &[&str] = &["Pacific/Kiritimati", "Etc/GMT+12"];

const TEST: &str = "cargo test --workspace --all-features";

pub(crate) fn run() -> anyhow::Result<()> {
    let metadata = MetadataCommand::new().no_deps().exec().context("cargo cannot read the workspace")?;
    let mut steps = Steps::start();
    steps.step("set-up", "cargo xtask setup", setup::run)?;
    steps.command("format", CommandLine::new("cargo fmt --all --check"))?;
    steps.command(
        "clippy",
        CommandLine::new("cargo clippy --workspace --all-targets --all-features -- -D warnings"),
    )?;
    steps.command("clippy for the Worker's target", clippy_wasm(|name| features(&metadata, name)))?;
    steps.command("tests", CommandLine::new(&format!("{TEST} --no-fail-fast")))?;
    for zone in ZONES {
        let rerun = format!("TZ={zone} {TEST}");
        steps.step(&format!("tests in {zone}"), rerun, || test_in_zone(zone))?;
    }
    steps.step("contract on D1 in workerd", "cargo xtask contract", || {
        contract::run(&contract::Options::default())
    })?;
    steps.step(
        "two Workers on one database in workerd",
        "cargo xtask integration",
        integration::run_short,
    )?;
    steps.command(
        "documentation",
        CommandLine::new("cargo doc --workspace --all-features --no-deps --document-private-items")
            .variable("RUSTDOCFLAGS", "-D warnings"),
    )?;
    steps.step("tidy", "cargo xtask tidy", tidy::run)?;
    steps.finish();
    Ok(())
}

/// The features of a package of the workspace, if there is such a package.
fn features(metadata: &Metadata, name: &str) -> Option<Vec<String>> {
    let package = metadata.packages.iter().find(|package| package.name.as_str() == name)?;
    Some(package.features.keys().cloned().collect())
}

/// The command for those of the Worker's crates that there are.
fn clippy_wasm(features_of: impl Fn(&str) -> Option<Vec<String>>) -> CommandLine {
    let mut line = format!("cargo clippy --target {WASM}");
    let mut wanted = Vec::new();
    for (name, shared) in IN_WORKERS {
        let Some(features) = features_of(name) else { continue };
        line += &format!(" -p {name}");
        let there = features.iter().filter(|feature| shared.contains(&feature.as_str()));
        wanted.extend(there.map(|feature| format!("{name}/{feature}")));
    }
    if !wanted.is_empty() {
        line += &format!(" --features {}", wanted.join(","));
    }
    CommandLine::new(&(line + " -- -D warnings"))
}

/// Runs the tests of [`ZONED`] once more. The binaries are started directly: asking
/// cargo for some of the packages would choose other features and build all anew.
fn test_in_zone(zone: &str) -> anyhow::Result<()> {
    let binaries = test_binaries()?;
    ensure!(!binaries.is_empty(), "there is no test of {ZONED:?}");
    for TestBinary { executable, folder } in binaries {
        let status = Command::new(&executable)
            .arg("--quiet")
            .current_dir(&folder)
            .env("CARGO_MANIFEST_DIR", &folder)
            .env("TZ", zone)
            .status()
            .with_context(|| format!("cannot start {}", executable.display()))?;
        ensure!(status.success(), "{} ended with {status}", executable.display());
    }
    Ok(())
}

struct TestBinary {
    executable: PathBuf,
    folder: PathBuf,
}

fn test_binaries() -> anyhow::Result<Vec<TestBinary>> {
    let mut build = CommandLine::new(&format!("{TEST} --no-run --quiet --message-format=json"))
        .to_command()
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start cargo")?;
    let messages = build.stdout.take().context("cargo has no output")?;
    let binaries = zoned_binaries(BufReader::new(messages));
    let status = build.wait()?;
    ensure!(status.success(), "cargo ended with {status}");
    binaries
}

/// The test binaries of [`ZONED`] among what cargo says that it built.
fn zoned_binaries(messages: impl BufRead) -> anyhow::Result<Vec<TestBinary>> {
    let mut binaries = Vec::new();
    for message in Message::parse_stream(messages) {
        let Message::CompilerArtifact(artifact) = message? else { continue };
        let Some(executable) = artifact.executable.filter(|_| artifact.profile.test) else { continue };
        let folder = artifact.manifest_path.parent().context("a manifest stands in a folder")?;
        if ZONED.iter().any(|name| name.strip_prefix("fencepost-") == folder.file_name()) {
            binaries.push(TestBinary { executable: executable.into(), folder: folder.into() });
        }
    }
    Ok(binaries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_crates_that_there_are_get_checked_for_wasm() {
        let line = clippy_wasm(|name| match name {
            "fencepost-domain" => Some(Vec::new()),
            "fencepost-ports" => Some(vec!["memory".to_owned(), "mock".to_owned()]),
            _ => None,
        });
        assert_eq!(
            line.to_string(),
            "cargo clippy --target wasm32-unknown-unknown -p fencepost-domain -p fencepost-ports \
             --features fencepost-ports/memory -- -D warnings"
        );
    }

    #[test]
    fn the_binaries_of_zoned_tests_are_found_in_what_cargo_says() {
        let artifact = |folder: &str, executable: &str, is_test: bool| {
            format!(
                "{{\"reason\":\"compiler-artifact\",\"package_id\":\"path+file:///w/{folder}#0.1.0\",\
                 \"manifest_path\":\"/w/{folder}/Cargo.toml\",\
                 \"target\":{{\"kind\":[\"test\"],\"crate_types\":[\"bin\"],\"name\":\"it\",\
                 \"src_path\":\"/w/{folder}/tests/it/main.rs\",\"edition\":\"2024\",\"doc\":false,\
                 \"doctest\":false,\"test\":true}},\
                 \"profile\":{{\"opt_level\":\"0\",\"debuginfo\":\"line-tables-only\",\"debug_assertions\":true,\
                 \"overflow_checks\":true,\"test\":{is_test}}},\
                 \"features\":[],\"filenames\":[],\"executable\":{executable},\"fresh\":true}}\n"
            )
        };
        let messages = [
            artifact("crates/domain", "\"/w/target/domain\"", true),
            artifact("crates/domain", "null", true),
            artifact("crates/app-server", "\"/w/target/fencepost\"", false),
            artifact("crates/sql", "\"/w/target/sql\"", true),
            "{\"reason\":\"build-finished\",\"success\":true}\n".to_owned(),
        ];
        let binaries = zoned_binaries(messages.concat().as_bytes()).unwrap();
        let found: Vec<_> = binaries.into_iter().map(|binary| (binary.executable, binary.folder)).collect();
        assert_eq!(found, [(PathBuf::from("/w/target/domain"), PathBuf::from("/w/crates/domain"))]);
    }
}
