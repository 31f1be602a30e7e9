//! `cargo xtask examples`: what is built on the kit alone, natively and in workerd.
//!
//! Each example is one package. Its tests run it on SQLite, and what is in
//! `xtask/workerd/examples` runs the Worker that it is as well, on D1: two of them at once,
//! asleep and taken over, with answers that get lost, and killed.

use std::process::Command;

use anyhow::ensure;

use crate::{
    setup::{NODE_FOLDER, Tools},
    steps::{CommandLine, run_to_success},
};

/// The folders below `examples`.
const EXAMPLES: &[&str] = &["monthly", "newsletter"];

/// What is run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// This example alone.
    only: Option<String>,
    /// This fault alone, in workerd.
    fault: Option<String>,
}

impl Options {
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> anyhow::Result<Self> {
        let fault = args.opt_value_from_str("--fault")?;
        let only: Option<String> = args.opt_free_from_str()?;
        if let Some(name) = &only {
            ensure!(
                EXAMPLES.contains(&name.as_str()),
                "there is no example {name:?}; there are {EXAMPLES:?}"
            );
        }
        Ok(Self { only, fault })
    }
}

/// On SQLite and in workerd.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    for name in chosen(options) {
        CommandLine::new(&format!("cargo test -p fencepost-example-{name}")).run()?;
    }
    in_workerd(options)
}

/// In workerd only, where the tests on SQLite have run with all others.
pub(crate) fn run_in_workerd() -> anyhow::Result<()> {
    in_workerd(&Options { only: None, fault: None })
}

fn in_workerd(options: &Options) -> anyhow::Result<()> {
    let tools = Tools::ready()?;
    for name in chosen(options) {
        run_to_success(tools.worker_build(&format!("examples/{name}")).arg("--dev"))?;
        let driver = format!("{NODE_FOLDER}/examples.mjs");
        run_to_success(Command::new("node").args([&driver, name]).args(&options.fault))?;
    }
    Ok(())
}

fn chosen(options: &Options) -> impl Iterator<Item = &'static str> {
    EXAMPLES.iter().copied().filter(|name| options.only.as_ref().is_none_or(|only| only == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_example_or_one_fault_can_be_chosen() {
        let read = |words: &[&str]| {
            let words = words.iter().map(Into::into).collect();
            let options = Options::from_args(&mut pico_args::Arguments::from_vec(words)).ok()?;
            Some((chosen(&options).count(), options.fault))
        };
        assert_eq!(read(&[]), Some((EXAMPLES.len(), None)));
        assert_eq!(read(&["monthly", "newsletter"]), Some((1, None)));
        assert_eq!(read(&["newsletter", "--fault", "killed"]), Some((1, Some("killed".to_owned()))));
        assert_eq!(read(&["webhooks"]), None);
    }
}
