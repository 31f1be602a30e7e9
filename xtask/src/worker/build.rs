//! `cargo xtask worker build`: the Worker as it is deployed, and weighed.
//!
//! A development build stands in the same folder, so whoever wants the one or the other
//! asks for it and relies on nothing that was there.

use std::{env, process::Command};

use crate::{
    setup::{NODE_FOLDER, Tools},
    steps::run_to_success,
};

const WORKER: &str = "crates/app-worker";

/// Where the Worker is built to.
pub(crate) const BUILD: &str = "crates/app-worker/build";

/// The most that the Worker may weigh, in kilobytes, compressed: a quarter of what a free plan
/// takes. The pages of the game made it grow by 24, dashboard and dry run by 56, metrics and
/// doctor by 20, the outbox by 27, the trace of operators, alerts as events, exports, the
/// description of the API and the editor by 100; decision 0036 tells what made it shrink.
const MAX_KILOBYTES: &str = "740";

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
    let shrink = format!("{NODE_FOLDER}/shrink.mjs");
    run_to_success(Command::new("node").args([&shrink, BUILD, MAX_KILOBYTES]))
}

/// Builds the Worker quickly, with all assertions.
pub(crate) fn development(tools: &Tools) -> anyhow::Result<()> {
    run_to_success(tools.worker_build(WORKER).arg("--dev"))
}
