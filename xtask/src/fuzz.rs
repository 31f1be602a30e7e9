//! `cargo xtask fuzz`: is the API what its description says?
//!
//! A fuzzer that knows nothing but the description asks a running site for everything in it,
//! as an operator and as somebody without a token, soundly and not: no fault, no status, type,
//! header or member that is not described. And whoever has no token is told the same of
//! every address of an operator, in as much time. Sites are development builds, in which a
//! number that overflows is a fault as well.

use std::{path::Path, process::Command};

use crate::{
    artifacts,
    browser::Target,
    setup::{NODE_FOLDER, NodePackages, Tools, python_programs},
    steps::run_to_success,
    worker,
};

/// Examples of each operation in the full form, besides those that are made in any case.
const EXAMPLES: u32 = 100;
/// Examples of each operation in the short form.
const FEW_EXAMPLES: u32 = 20;

/// What is sent.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// How many examples there are of each operation.
    examples: u32,
    /// This site alone.
    target: Option<Target>,
}

impl Options {
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> anyhow::Result<Self> {
        Ok(Self {
            examples: args.opt_value_from_str("--examples")?.unwrap_or(EXAMPLES),
            target: Target::from_args(args)?,
        })
    }
}

/// Both sites, or one of them, in full.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    // Before anything that takes minutes: what is missing here may need a person.
    python_programs()?;
    let is_wanted = |target| options.target.is_none_or(|wanted| wanted == target);
    if is_wanted(Target::Worker) {
        worker::development(&Tools::ready()?)?;
    }
    if is_wanted(Target::Server) {
        NodePackages::ready()?;
        return drive(options, &artifacts::server("cargo build --package fencepost-app-server")?, "full");
    }
    // There is no server, and none is asked for.
    drive(options, Path::new(""), "full")
}

/// This server, with fewer examples. How long a closed door takes is shown and not judged: a
/// machine that does other things besides would be found guilty.
pub(crate) fn run_short(server: &Path) -> anyhow::Result<()> {
    NodePackages::ready()?;
    drive(&Options { examples: FEW_EXAMPLES, target: Some(Target::Server) }, server, "short")
}

fn drive(options: &Options, server: &Path, form: &str) -> anyhow::Result<()> {
    let target = match options.target {
        None => "all",
        Some(Target::Server) => "server",
        Some(Target::Worker) => "worker",
    };
    let mut node = Command::new("node");
    node.arg(format!("{NODE_FOLDER}/fuzz.mjs")).arg(worker::BUILD).arg(server).arg(python_programs()?);
    node.args([target, &options.examples.to_string(), form]);
    run_to_success(&mut node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_examples_and_the_site_can_be_chosen() {
        let read = |words: &[&str]| {
            let words = words.iter().map(Into::into).collect();
            Options::from_args(&mut pico_args::Arguments::from_vec(words)).ok()
        };
        assert_eq!(read(&[]), Some(Options { examples: EXAMPLES, target: None }));
        let words = ["--examples", "20", "--target", "server"];
        assert_eq!(read(&words), Some(Options { examples: 20, target: Some(Target::Server) }));
        assert_eq!(read(&["--target", "phone"]), None);
        assert_eq!(read(&["--examples", "many"]), None);
    }
}
