//! `cargo xtask integration`: the Worker in workerd, in everything that can go wrong.
//!
//! Two Workers that overlap on one database, answers that get lost, processes that are
//! killed, buckets and hosts that fail, crons that are never fired. Each is a scenario in a
//! file of its own in `xtask/workerd/integration`. The full form runs the Worker as it would
//! be deployed, and plays every case of every scenario; the short one, in `cargo xtask test`,
//! runs a development build and plays a few of them.

use std::process::Command;

use crate::{
    setup::{NODE_FOLDER, Tools},
    steps::run_to_success,
    worker,
};

/// Fresh databases in the full form.
const ROUNDS: u32 = 25;
/// Fresh databases in the short form.
const FEW_ROUNDS: u32 = 2;

/// What is played.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// How often two Workers overlap on a fresh database.
    rounds: u32,
    /// This scenario alone.
    only: Option<String>,
}

impl Options {
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> anyhow::Result<Self> {
        Ok(Self {
            rounds: args.opt_value_from_str("--rounds")?.unwrap_or(ROUNDS),
            only: args.opt_value_from_str("--only")?,
        })
    }
}

/// The Worker as it would be deployed, in full.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    worker::release(&Tools::ready()?)?;
    play(options, "full")
}

/// A development build, for a quick look.
pub(crate) fn run_short() -> anyhow::Result<()> {
    worker::development(&Tools::ready()?)?;
    play(&Options { rounds: FEW_ROUNDS, only: None }, "short")
}

fn play(options: &Options, form: &str) -> anyhow::Result<()> {
    let Options { rounds, only } = options;
    let driver = format!("{NODE_FOLDER}/integration.mjs");
    let mut node = Command::new("node");
    run_to_success(node.args([&driver, worker::BUILD, &rounds.to_string(), form]).args(only))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_and_scenario_can_be_chosen() {
        let read = |words: &[&str]| {
            let words = words.iter().map(Into::into).collect();
            let options = Options::from_args(&mut pico_args::Arguments::from_vec(words)).ok()?;
            Some((options.rounds, options.only))
        };
        assert_eq!(read(&[]), Some((ROUNDS, None)));
        assert_eq!(read(&["--rounds", "3"]), Some((3, None)));
        assert_eq!(read(&["--only", "killed"]), Some((ROUNDS, Some("killed".to_owned()))));
        assert_eq!(read(&["--rounds", "many"]), None);
    }
}
