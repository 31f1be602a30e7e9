//! All automation of the workspace. One command per file; CI calls nothing else.

mod steps;

mod test;

mod proofs;

mod tidy;

use std::{env, path::Path, process::ExitCode};

use anyhow::{Context, bail, ensure};

const HELP: &str = "\
All automation of the workspace.

USAGE: cargo xtask <COMMAND>

COMMANDS:
  test    Checks everything: format, lints, tests, documentation, architecture
  proofs  Holds the promises against real processes, many times over, in a release build
  tidy    Checks what the compiler cannot: dependencies, SQL, clocks, migrations, documents";

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
    let rest = args.finish();
    ensure!(rest.is_empty(), "unexpected {rest:?}\n\n{HELP}");
    match command.as_deref() {
        Some("test") if !help => test::run(),
        Some("proofs") if !help => proofs::run(),
        Some("tidy") if !help => tidy::run(),
        None | Some("test" | "proofs" | "tidy" | "help") => {
            println!("{HELP}");
            Ok(())
        }
        Some(unknown) => bail!("there is no command {unknown:?}\n\n{HELP}"),
    }
}
