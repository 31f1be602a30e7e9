//! `cargo xtask contract`: what every store promises, on D1 inside workerd.
//!
//! The suite is the one that the native tests run. It is compiled into a Worker, which
//! lists its own cases, so that a new one cannot be forgotten here.

use std::process::Command;

use crate::{
    setup::{NODE_FOLDER, Tools},
    steps::run_to_success,
};

const WORKER: &str = "crates/contract-worker";

/// How much is tried beyond the cases.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// How many random histories are played on the model and on D1.
    histories: u32,
    /// How many steps each of them has.
    steps: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { histories: 20, steps: 60 }
    }
}

impl Options {
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> anyhow::Result<Self> {
        let Self { histories, steps } = Self::default();
        Ok(Self {
            histories: args.opt_value_from_str("--histories")?.unwrap_or(histories),
            steps: args.opt_value_from_str("--steps")?.unwrap_or(steps),
        })
    }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let tools = Tools::ready()?;
    run_to_success(tools.worker_build(WORKER).arg("--dev"))?;
    let [histories, steps] = [options.histories, options.steps].map(|number| number.to_string());
    let driver = format!("{NODE_FOLDER}/contract.mjs");
    run_to_success(Command::new("node").args([driver, format!("{WORKER}/build"), histories, steps]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Option<(u32, u32)> {
        let words = words.iter().map(Into::into).collect();
        let options = Options::from_args(&mut pico_args::Arguments::from_vec(words)).ok()?;
        Some((options.histories, options.steps))
    }

    #[test]
    fn the_histories_can_be_more_and_longer() {
        assert_eq!(read(&[]), Some((20, 60)));
        assert_eq!(read(&["--histories", "500"]), Some((500, 60)));
        assert_eq!(read(&["--steps", "9", "--histories", "1"]), Some((1, 9)));
        assert_eq!(read(&["--steps", "many"]), None);
    }
}
