//! All automation of the workspace. One command per file; CI calls nothing else.

mod steps;

mod setup;

mod test;

mod proofs;

mod contract;

mod integration;

mod tidy;

use std::{env, path::Path, process::ExitCode};

use anyhow::{Context, bail, ensure};

const HELP: &str = "\
All automation of the workspace.

USAGE: cargo xtask <COMMAND>

COMMANDS:
  test         Checks everything: format, lints, tests, documentation, architecture
  proofs       Holds the promises against real processes, many times over, in a release build
  contract     Runs the contract of the stores on D1 in workerd
                 --histories N  How many random histories follow the cases (20)
                 --steps N      How many steps each of them has (60)
  integration  Lets two Workers overlap on one database in workerd, and weighs the Worker
                 --rounds N     How many fresh databases (25)
  tidy         Checks what the compiler cannot: dependencies, SQL, clocks, migrations, documents
  setup        Installs what the other commands need, as they do themselves";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent folder")?;
    env::set_current_dir(root).with_context(|| format!("cannot enter {}", root.display()))?;

    let mut args = pico_args::Arguments::from_env();
    let help = args.contains(["-h", "--help"]);
    let command = args.subcommand()?;
    let contract = match command.as_deref() {
        Some("contract") => contract::Options::from_args(&mut args)?,
        _ => contract::Options::default(),
    };
    let rounds = match command.as_deref() {
        Some("integration") => integration::rounds_from_args(&mut args)?,
        _ => 0,
    };
    let rest = args.finish();
    ensure!(rest.is_empty(), "unexpected {rest:?}\n\n{HELP}");
    match command.as_deref() {
        Some("test") if !help => test::run(),
        Some("proofs") if !help => proofs::run(),
        Some("contract") if !help => contract::run(&contract),
        Some("integration") if !help => integration::run(rounds),
        Some("tidy") if !help => tidy::run(),
        Some("setup") if !help => setup::run(),
        None | Some("test" | "proofs" | "contract" | "integration" | "tidy" | "setup" | "help") => {
            println!("{HELP}");
            Ok(())
        }
        Some(unknown) => bail!("there is no command {unknown:?}\n\n{HELP}"),
    }
}
