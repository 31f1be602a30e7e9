//! `cargo xtask worker build`: the Worker as it is deployed, and weighed.
//!
//! A development build stands in the same folder, so whoever wants the one or the other
//! asks for it and relies on nothing that was there.

use std::{env, fs, path::Path, process::Command};

use anyhow::Context;

use crate::{
    setup::{NODE_FOLDER, Tools},
    steps::run_to_success,
};

#[path = "../../../crates/adapter-http/bundles.rs"]
mod bundles;

/// What the files are made from that the platform keeps beside the Worker.
const ASSETS: &str = "crates/adapter-http/assets";

const WORKER: &str = "crates/app-worker";

/// Where the Worker is built to.
pub(crate) const BUILD: &str = "crates/app-worker/build";

/// The most that the Worker may weigh, in kilobytes, compressed: a fifth of what a free plan
/// takes. Decisions 0036, 0039, 0043 and 0045 tell what made it grow and shrink.
const MAX_KILOBYTES: &str = "572";

/// Tells a build that wrangler asks for that `worker deploy` has just done it. wrangler
/// builds by the command in its file, once per environment, and all of them get the same
/// Worker.
pub(super) const IS_BUILT: &str = "FENCEPOST_WORKER_IS_BUILT";

pub(super) fn run() -> anyhow::Result<()> {
    if env::var_os(IS_BUILT).is_some() {
        println!("{BUILD} has the Worker already ({IS_BUILT} is set)");
        return Ok(());
    }
    release(&Tools::ready()?)
}

/// Builds the Worker as it is deployed, and fails if it is too heavy.
pub(crate) fn release(tools: &Tools) -> anyhow::Result<()> {
    run_to_success(tools.worker_build(WORKER).args(["--profile", "worker"]))?;
    write_files()?;
    let shrink = format!("{NODE_FOLDER}/shrink.mjs");
    run_to_success(Command::new("node").args([&shrink, BUILD, MAX_KILOBYTES]))
}

/// Builds the Worker quickly, with all assertions.
pub(crate) fn development(tools: &Tools) -> anyhow::Result<()> {
    run_to_success(tools.worker_build(WORKER).arg("--dev"))?;
    write_files()
}

/// Puts the files beside the Worker that the platform keeps for it, and no others.
fn write_files() -> anyhow::Result<()> {
    let folder = Path::new(BUILD).join("files");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (name, content) in bundles::bundles(Path::new(ASSETS)).context("cannot read the files of the site")? {
        fs::write(folder.join(name), content).with_context(|| format!("cannot write {name}"))?;
    }
    Ok(())
}
