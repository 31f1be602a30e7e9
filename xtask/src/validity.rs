//! `cargo xtask validity`: are pages, feed and sitemap what they claim to be?
//!
//! The tests of the pages hold their words; whether a document is valid is better said by
//! programs that were made to say it. They look at a server that runs, with its demo.

use std::{path::Path, process};

use crate::{
    artifacts,
    setup::{NODE_FOLDER, NodePackages},
    steps::run_to_success,
};

pub(crate) fn run() -> anyhow::Result<()> {
    check(&artifacts::server("cargo build --package fencepost-app-server")?)
}

/// Starts this server, and looks at what it serves.
pub(crate) fn check(server: &Path) -> anyhow::Result<()> {
    NodePackages::ready()?;
    let driver = format!("{NODE_FOLDER}/validity.mjs");
    run_to_success(process::Command::new("node").arg(driver).arg(server))
}
