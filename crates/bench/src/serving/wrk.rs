//! Load, by `wrk`.

use std::{fmt::Write as _, fs, path::Path, process::Command};

use anyhow::{Context, ensure};
use serde::Deserialize;

use super::site::Demand;
use crate::process::{Server, output_of};

/// Asks for the paths in turn, and tells at the end how it went.
const SCRIPT: &str = include_str!("load.lua");

/// How a load went.
#[derive(Debug, Deserialize)]
pub(super) struct Load {
    pub(super) per_second: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
    /// Answers of the statuses from 400 on.
    refused: u64,
    /// Requests without an answer.
    broken: u64,
    answered: u64,
}

/// Asks a server for some seconds.
pub(super) fn run(
    server: &Server,
    demand: &Demand,
    connections: u32,
    seconds: u32,
    folder: &Path,
) -> anyhow::Result<Load> {
    let script = folder.join("load.lua");
    fs::write(&script, SCRIPT)?;
    let mut wrk = Command::new("wrk");
    wrk.arg("--threads").arg(connections.min(2).to_string());
    wrk.arg("--connections").arg(connections.to_string());
    wrk.arg("--duration").arg(format!("{seconds}s"));
    wrk.arg("--script").arg(&script);
    for (name, value) in &demand.headers {
        wrk.arg("--header").arg(format!("{name}: {value}"));
    }
    wrk.arg(server.url("/")).arg("--").args(&demand.paths);
    let said = output_of(&mut wrk)?;
    let line = said.lines().rev().find(|line| line.starts_with('{'));
    let load: Load = serde_json::from_str(line.with_context(|| format!("wrk said:\n{said}"))?)?;
    ensure!(load.answered > 0 && load.broken == 0, "{load:?}");
    let refused = if demand.status >= 400 { load.answered } else { 0 };
    ensure!(load.refused == refused, "{demand:?} was answered otherwise: {load:?}");
    Ok(load)
}

/// So many connections, in words.
pub(super) fn connections(count: u32) -> String {
    let mut words = count.to_string();
    let _ = write!(words, " connection{}", if count == 1 { "" } else { "s" });
    words
}
