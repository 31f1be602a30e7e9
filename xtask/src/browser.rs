//! `cargo xtask browser`: every page in a real browser.
//!
//! What a page is to a reader is decided by no text of it: whether it can be read in the
//! dark, fits a phone, can be used without a mouse, and stays still. Each of these is a
//! scenario in a file of its own in `xtask/workerd/browser`. Those in its folder `game` play,
//! with and without scripts. Screenshots of every page, and of every step of a game, are left
//! in `target/browser`, for people to look at.
//!
//! Before that, what the script of the game only counts is tried out without a browser.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Command,
    str::FromStr,
};

use anyhow::{Context, anyhow, bail, ensure};

use crate::{
    artifacts,
    setup::{self, NODE_FOLDER, NodePackages},
    steps::{output_of, run_to_success},
    worker,
};

/// Where screenshots are left.
const FOLDER: &str = "target/browser";
/// Where database and photos of the Worker are kept meanwhile.
const WORKER_STATE: &str = "target/browser-worker";

/// The tests of the script of the game.
const SCRIPT_TESTS: &str = "crates/adapter-http/tests/script";

/// What is looked at.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// This scenario alone.
    only: Option<String>,
    /// This site alone.
    target: Option<Target>,
}

/// What serves the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The server.
    Server,
    /// The Worker, in workerd on this machine.
    Worker,
}

impl Target {
    /// The one that is named by `--target`.
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> anyhow::Result<Option<Self>> {
        let name: Option<String> = args.opt_value_from_str("--target")?;
        name.map(|name| name.parse()).transpose()
    }
}

impl FromStr for Target {
    type Err = anyhow::Error;

    fn from_str(name: &str) -> anyhow::Result<Self> {
        match name {
            "server" => Ok(Self::Server),
            "worker" => Ok(Self::Worker),
            unknown => bail!("there is no target {unknown:?}: write server or worker"),
        }
    }
}

impl Options {
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> anyhow::Result<Self> {
        Ok(Self { only: args.opt_value_from_str("--only")?, target: Target::from_args(args)? })
    }

    fn is_wanted(&self, target: Target) -> bool {
        self.target.is_none_or(|wanted| wanted == target)
    }
}

/// Both sites, or one of them, in full.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    // The browser first: who has none need not wait for a build.
    let browser = setup::chromium()?;
    test_script()?;
    if options.is_wanted(Target::Server) {
        let server = artifacts::server("cargo build --package fencepost-app-server")?;
        look(&browser, "full", options, "server", [server])?;
    }
    if options.is_wanted(Target::Worker) {
        look(&browser, "full", options, "worker", worker::fresh_dev(WORKER_STATE)?)?;
    }
    Ok(())
}

/// This server, each page in fewer ways, and the games that take no midnight.
pub(crate) fn run_short(server: &Path) -> anyhow::Result<()> {
    test_script()?;
    let options = Options { only: None, target: Some(Target::Server) };
    look(&setup::chromium()?, "short", &options, "server", [server])
}

/// Runs the tests of the script by Node's own runner, which tells of what fails only.
fn test_script() -> anyhow::Result<()> {
    let tests = script_tests(Path::new(SCRIPT_TESTS))?;
    ensure!(!tests.is_empty(), "there is no test in {SCRIPT_TESTS}");
    NodePackages::ready()?;
    println!("the script of the game: {} files of tests", tests.len());
    output_of(Command::new("node").arg("--test").args(tests))?;
    Ok(())
}

/// The files of tests in a folder. Versions of Node do not agree on what a folder means.
fn script_tests(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut tests = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".test.mjs") {
            tests.push(path);
        }
    }
    tests.sort();
    Ok(tests)
}

/// Starts a site with `args`, and looks at it.
fn look(
    browser: &Path,
    form: &str,
    options: &Options,
    target: &str,
    args: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> anyhow::Result<()> {
    NodePackages::ready()?;
    let driver = format!("{NODE_FOLDER}/browser.mjs");
    let only = options.only.as_deref().unwrap_or("all");
    let mut node = Command::new("node");
    node.arg(driver).arg(browser).args([FOLDER, form, only, target]).args(args);
    run_to_success(&mut node)
        .map_err(|error| anyhow!("{error:#}\nWhat the pages look like is kept in {FOLDER}/{target}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tests_of_the_script_are_all_that_are_named_so() {
        let place = tempfile::tempdir().unwrap();
        for name in ["b.test.mjs", "a.test.mjs", "tools.mjs", "a.test.mjs.bak"] {
            fs::write(place.path().join(name), "").unwrap();
        }
        let expected = ["a.test.mjs", "b.test.mjs"].map(|name| place.path().join(name));
        assert_eq!(script_tests(place.path()).unwrap(), expected);
        assert!(script_tests(&place.path().join("gone")).is_err());
    }

    #[test]
    fn scenario_and_site_can_be_chosen() {
        let read = |words: &[&str]| {
            let words = words.iter().map(Into::into).collect();
            let options = Options::from_args(&mut pico_args::Arguments::from_vec(words)).ok()?;
            let wanted = [Target::Server, Target::Worker].map(|target| options.is_wanted(target));
            Some((options.only, wanted))
        };
        assert_eq!(read(&[]), Some((None, [true, true])));
        assert_eq!(read(&["--only", "keyboard"]), Some((Some("keyboard".to_owned()), [true, true])));
        assert_eq!(read(&["--target", "server"]), Some((None, [true, false])));
        assert_eq!(read(&["--target", "worker"]), Some((None, [false, true])));
        assert_eq!(read(&["--target", "phone"]), None);
    }
}
