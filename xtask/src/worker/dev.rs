//! `cargo xtask worker dev`: the Worker on this machine, with the demo's bank.
//!
//! What `cargo run` is to the server. The tables are made by wrangler, as on Cloudflare,
//! in the place where `wrangler d1 execute DB --local --persist-to` finds them.

use std::{fs, net::TcpListener, path::Path, process::Command};

use anyhow::{Context, anyhow};

use crate::{
    migrate,
    setup::{NODE_FOLDER, Tools},
    steps::{output_of, replace_with, run_to_success},
};

use super::{BUILD, WRANGLER_TOML, build};

/// Where database and photos are kept.
const STATE: &str = ".fencepost-worker-dev";
/// Where they are kept while the site is only looked at.
const CHECKED_STATE: &str = "target/worker-dev-check";
/// Beside the server's.
const PORT: u16 = 8788;

/// How to run it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// 0 takes a free one.
    port: u16,
    /// Looks at the site in a folder of its own, and ends it.
    is_check: bool,
}

impl Options {
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> anyhow::Result<Self> {
        let is_check = args.contains("--check");
        let port = args
            .opt_value_from_str("--port")
            .map_err(|error| anyhow!("--port takes a number from 0 to 65535: {error}"))?;
        Ok(Self { port: port.unwrap_or(PORT), is_check })
    }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if options.is_check {
        return check();
    }
    // The address first: who cannot have it need not wait for the build.
    let port = free_port(options.port)?;
    ready(Path::new(STATE))?;
    let script = format!("{NODE_FOLDER}/dev.mjs");
    replace_with(Command::new("node").arg(script).args(site(STATE, port)))
}

/// Starts the site in a fresh folder, looks at it, and ends it.
pub(crate) fn check() -> anyhow::Result<()> {
    let script = format!("{NODE_FOLDER}/dev_check.mjs");
    run_to_success(Command::new("node").arg(script).args(fresh(CHECKED_STATE)?))
}

/// Makes ready a site in a fresh folder, and returns the arguments with which `dev.mjs` starts it.
pub(crate) fn fresh(state: &str) -> anyhow::Result<[String; 4]> {
    let folder = Path::new(state);
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {state}"))?;
    }
    ready(folder)?;
    Ok(site(state, free_port(0)?))
}

/// Builds the Worker, and what it is stocked with, and makes the tables.
fn ready(state: &Path) -> anyhow::Result<()> {
    let tools = Tools::ready()?;
    build::development(&tools)?;
    run_to_success(Command::new("cargo").args(["build", "--package", "fencepost-demo"]))?;
    output_of(&mut migrate::on_d1_local(&tools.node, Some(state)))?;
    Ok(())
}

/// What `dev.mjs` needs to know.
fn site(state: &str, port: u16) -> [String; 4] {
    [WRANGLER_TOML.to_owned(), BUILD.to_owned(), state.to_owned(), port.to_string()]
}

/// The port, or a free one in the place of 0.
fn free_port(port: u16) -> anyhow::Result<u16> {
    let listener = TcpListener::bind(("127.0.0.1", port)).map_err(|error| {
        anyhow!(
            "cannot listen on 127.0.0.1:{port}: {error}; stop what listens there, \
             or choose another port with --port (0 takes a free one)"
        )
    })?;
    Ok(listener.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_can_be_chosen() {
        let read = |words: &[&str]| {
            let words = words.iter().map(Into::into).collect();
            Options::from_args(&mut pico_args::Arguments::from_vec(words)).ok()
        };
        assert_eq!(read(&[]), Some(Options { port: 8788, is_check: false }));
        assert_eq!(read(&["--port", "9000"]), Some(Options { port: 9000, is_check: false }));
        assert_eq!(read(&["--check"]), Some(Options { port: 8788, is_check: true }));
        assert_eq!(read(&["--port", "70000"]), None);
        assert_eq!(read(&["--port", "http"]), None);
    }

    #[test]
    fn a_port_that_is_taken_is_told_before_anything_is_built() {
        let taken = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = free_port(port).unwrap_err().to_string();
        assert!(error.contains(&port.to_string()) && error.contains("--port"), "{error}");
        assert!(free_port(0).unwrap() > 0);
    }
}
