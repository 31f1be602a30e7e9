//! `cargo xtask strangers`: random requests to every route, none of which may be a fault.
//!
//! Tokens that were made up, cut, changed, made for something else or are past their time,
//! bodies and headers of every kind, and paths that are nearly right. Nothing but what is
//! sound may be granted, and nothing may have changed afterwards. Both sites are development
//! builds, in which a number that overflows is a fault as well. A request is made from its
//! seed, its route and its number alone, so one that was found can be sent again.

use std::{path::Path, process::Command};

use crate::{
    artifacts,
    browser::Target,
    setup::{NODE_FOLDER, NodePackages, Tools},
    steps::run_to_success,
    worker,
};

/// Requests to each route in the full form.
const REQUESTS: u32 = 10_000;
/// Requests to each route in the short form.
const FEW_REQUESTS: u32 = 1_000;

/// What is sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// What the dice begin with.
    seed: u32,
    /// How many requests there are to each route.
    requests: u32,
    /// This route alone.
    only: Option<String>,
    /// This site alone.
    target: Option<Target>,
}

impl Options {
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> anyhow::Result<Self> {
        Ok(Self {
            seed: args.opt_value_from_str("--seed")?.unwrap_or(1),
            requests: args.opt_value_from_str("--requests")?.unwrap_or(REQUESTS),
            only: args.opt_value_from_str("--only")?,
            target: Target::from_args(args)?,
        })
    }
}

/// Both sites, or one of them, in full.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let is_wanted = |target| options.target.is_none_or(|wanted| wanted == target);
    if is_wanted(Target::Worker) {
        worker::development(&Tools::ready()?)?;
    }
    if is_wanted(Target::Server) {
        NodePackages::ready()?;
        return send(options, &artifacts::server("cargo build --package fencepost-app-server")?);
    }
    // There is no server, and none is asked for.
    send(options, Path::new(""))
}

/// This server, with fewer requests.
pub(crate) fn run_short(server: &Path) -> anyhow::Result<()> {
    NodePackages::ready()?;
    send(&Options { seed: 1, requests: FEW_REQUESTS, only: None, target: Some(Target::Server) }, server)
}

fn send(options: &Options, server: &Path) -> anyhow::Result<()> {
    let Options { seed, requests, only, target } = options;
    let target = match target {
        None => "all",
        Some(Target::Server) => "server",
        Some(Target::Worker) => "worker",
    };
    let mut node = Command::new("node");
    node.arg(format!("{NODE_FOLDER}/strangers.mjs")).arg(worker::BUILD).arg(server);
    node.args([&requests.to_string(), &seed.to_string(), target, only.as_deref().unwrap_or("all")]);
    run_to_success(&mut node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dice_the_number_the_route_and_the_site_can_be_chosen() {
        let read = |words: &[&str]| {
            let words = words.iter().map(Into::into).collect();
            Options::from_args(&mut pico_args::Arguments::from_vec(words)).ok()
        };
        let all = Options { seed: 1, requests: REQUESTS, only: None, target: None };
        assert_eq!(read(&[]), Some(all));
        let words = ["--seed", "7", "--requests", "20", "--only", "guess", "--target", "worker"];
        let only = Some("guess".to_owned());
        assert_eq!(read(&words), Some(Options { seed: 7, requests: 20, only, target: Some(Target::Worker) }));
        assert_eq!(read(&["--target", "phone"]), None);
        assert_eq!(read(&["--requests", "many"]), None);
    }
}
