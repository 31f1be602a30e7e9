//! `cargo xtask test`: everything, from a fresh clone.

use std::process::Command;

use anyhow::{Context, ensure};
use cargo_metadata::{Metadata, MetadataCommand};

use crate::{
    api,
    artifacts::{self, Executable},
    audit, bench, browser, contract, examples, fuzz, integration, migrate, new,
    setup::{self, WASM},
    simulate,
    steps::{CommandLine, Steps},
    strangers, tidy, validity, worker,
};

/// The crates that run in a Worker, with the features that do.
const IN_WORKERS: &[(&str, &[&str])] = &[
    ("fencepost-core", &["random"]),
    ("fencepost-batch", &[]),
    ("fencepost-domain", &[]),
    ("fencepost-ports", &["memory", "contract"]),
    ("fencepost-sql", &[]),
    ("fencepost-plan-store", &[]),
    ("fencepost-application", &[]),
    ("fencepost-d1", &[]),
    ("fencepost-adapter-http", &[]),
    ("fencepost-contract-worker", &[]),
    ("fencepost-app-worker", &[]),
    ("fencepost-site", &[]),
    ("fencepost-example-monthly", &[]),
    ("fencepost-example-newsletter", &[]),
];

/// The crates whose tests would notice a dependence on local time.
const ZONED: &[&str] =
    &["fencepost-domain", "fencepost-ports", "fencepost-adapter-sqlite", "fencepost-app-server"];

/// The two ends of the world: 14 hours before and 12 hours behind UTC.
const ZONES: &[&str] = &["Pacific/Kiritimati", "Etc/GMT+12"];

const TEST: &str = "cargo test --workspace --all-features";

/// Builds nothing once [`TEST`] has run, and tells what that built. Asking cargo for some
/// of the packages would choose other features and build all anew.
const TEST_BINARIES: &str = "cargo test --workspace --all-features --no-run --quiet";

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
    steps.step("a thousand seeds of everything that can go wrong", "cargo xtask simulate", || {
        simulate::run(&simulate::Options::default())
    })?;
    steps.step("contract on D1 in workerd", "cargo xtask contract", || {
        contract::run(&contract::Options::default())
    })?;
    steps.step(
        "the Worker in workerd, and what can go wrong around it",
        "cargo xtask integration",
        integration::run_short,
    )?;
    steps.step("the examples in workerd", "cargo xtask examples", examples::run_in_workerd)?;
    steps.step("what the server and the Worker tell before its time", "cargo xtask audit", || {
        audit::run_short(&artifacts::server(TEST_BINARIES)?)
    })?;
    steps.step("random requests to every route", "cargo xtask strangers --target server", || {
        strangers::run_short(&artifacts::server(TEST_BINARIES)?)
    })?;
    steps.step("the API by its description", "cargo xtask fuzz --target server", || {
        fuzz::run_short(&artifacts::server(TEST_BINARIES)?)
    })?;
    steps.step("the Worker on a developer's machine", "cargo xtask worker dev --check", worker::check_dev)?;
    steps.step("a site of one's own, made and tried", "cargo xtask new --check", new::check)?;
    steps.step("migrations by wrangler and by the server", "cargo xtask migrate --check", || {
        migrate::check(&artifacts::server(TEST_BINARIES)?)
    })?;
    steps.step("pages by validators", "cargo xtask validity", || {
        validity::check(&artifacts::server(TEST_BINARIES)?)
    })?;
    steps.step("pages in a browser", "cargo xtask browser", || {
        browser::run_short(&artifacts::server(TEST_BINARIES)?)
    })?;
    steps.step(
        "the Worker as it is deployed",
        "cargo xtask worker deploy --dry-run",
        worker::deploy_dry_run,
    )?;
    steps.step("a quick look at what everything costs", "cargo xtask bench --short", || {
        bench::run_short(TEST_BINARIES)
    })?;
    steps.command(
        "documentation",
        CommandLine::new("cargo doc --workspace --all-features --no-deps --document-private-items")
            .variable("RUSTDOCFLAGS", "-D warnings"),
    )?;
    steps.step("what the kit offers to others", "cargo xtask api", || api::run(&api::Options::default()))?;
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
    // What a crate has besides its library runs elsewhere.
    let mut line = format!("cargo clippy --lib --target {WASM}");
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

/// Runs the tests of [`ZONED`] once more.
fn test_in_zone(zone: &str) -> anyhow::Result<()> {
    let binaries: Vec<_> = artifacts::executables(TEST_BINARIES)?.into_iter().filter(is_zoned).collect();
    ensure!(!binaries.is_empty(), "there is no test of {ZONED:?}");
    for Executable { path, folder, .. } in binaries {
        let status = Command::new(&path)
            .arg("--quiet")
            .current_dir(&folder)
            .env("CARGO_MANIFEST_DIR", &folder)
            .env("TZ", zone)
            .status()
            .with_context(|| format!("cannot start {}", path.display()))?;
        ensure!(status.success(), "{} ended with {status}", path.display());
    }
    Ok(())
}

/// Whether a program is one of the tests of [`ZONED`].
fn is_zoned(program: &Executable) -> bool {
    let is_of =
        |name: &&str| name.strip_prefix("fencepost-").is_some_and(|name| program.folder.ends_with(name));
    program.is_test && ZONED.iter().any(is_of)
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
            "cargo clippy --lib --target wasm32-unknown-unknown -p fencepost-domain -p fencepost-ports \
             --features fencepost-ports/memory -- -D warnings"
        );
    }

    #[test]
    fn the_tests_of_some_crates_run_in_other_zones() {
        let check = |folder: &str, is_test: bool, expected: bool| {
            let program = Executable {
                path: "/w/target/it".into(),
                folder: folder.into(),
                name: "it".to_owned(),
                is_test,
            };
            assert_eq!(is_zoned(&program), expected, "{program:?}");
        };
        check("/w/crates/domain", true, true);
        check("/w/crates/app-server", true, true);
        check("/w/crates/app-server", false, false);
        check("/w/crates/sql", true, false);
        check("/w/crates/subdomain", true, false);
    }
}
