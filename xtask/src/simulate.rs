//! `cargo xtask simulate`: the real code, under everything that can go wrong.
//!
//! The simulator is a program of its own, and knows its options; whatever follows the
//! command is handed on to it. It is built for release, since it is to play as much as it
//! can.

use std::ffi::OsString;

use crate::steps::{CommandLine, run_to_success};

const SIMULATOR: &str = "cargo run --release -q -p fencepost-simulator --";

/// What follows the command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options(Vec<OsString>);

impl Options {
    /// All that is left, since the simulator reads it.
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> Self {
        let nothing = pico_args::Arguments::from_vec(Vec::new());
        Self(std::mem::replace(args, nothing).finish())
    }
}

/// Plays schedules.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    start("simulate", options)
}

/// Hunts broken rules.
pub(crate) fn hunt(options: &Options) -> anyhow::Result<()> {
    start("mutants", options)
}

fn start(command: &str, options: &Options) -> anyhow::Result<()> {
    run_to_success(CommandLine::new(SIMULATOR).to_command().arg(command).args(&options.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simulator_is_told_everything() {
        let words = ["--seed", "7", "--faults", "photo store", "--history"];
        let mut args = pico_args::Arguments::from_vec(words.map(OsString::from).to_vec());
        assert_eq!(Options::from_args(&mut args), Options(words.map(OsString::from).to_vec()));
        assert!(args.finish().is_empty());
    }
}
