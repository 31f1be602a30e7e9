//! `cargo xtask audit`: does the server, or the Worker, tell anything before its time?
//!
//! `fencepost audit` looks both over from outside, around an instant at which something
//! becomes public. The full form takes the Worker as it would be deployed, and shows each
//! site both kinds of instants; the short one, in `cargo xtask test`, one kind each.

use std::{path::Path, process::Command};

use crate::{
    artifacts,
    setup::{NODE_FOLDER, Tools},
    steps::run_to_success,
    worker,
};

/// Both sites, at both kinds of instants.
pub(crate) fn run() -> anyhow::Result<()> {
    worker::release(&Tools::ready()?)?;
    look_over(&artifacts::server("cargo build --package fencepost-app-server")?, "full")
}

/// Both sites, at one kind each.
pub(crate) fn run_short(server: &Path) -> anyhow::Result<()> {
    worker::development(&Tools::ready()?)?;
    look_over(server, "short")
}

fn look_over(server: &Path, form: &str) -> anyhow::Result<()> {
    let driver = format!("{NODE_FOLDER}/audit.mjs");
    run_to_success(Command::new("node").arg(driver).arg(worker::BUILD).arg(server).arg(form))
}
