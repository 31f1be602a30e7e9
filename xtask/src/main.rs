//! All automation of the workspace. One command per file; CI calls nothing else.

mod steps;

mod artifacts;

mod setup;

mod test;

mod proofs;

mod simulate;

mod mutants;

mod model;

mod contract;

mod worker;

mod integration;

mod examples;

mod audit;

mod strangers;

mod fuzz;

mod bench;

mod migrate;

mod validity;

mod browser;

mod api;

mod new;

mod tidy;

use std::{env, path::Path, process::ExitCode};

use anyhow::{Context, bail, ensure};

const HELP: &str = "\
All automation of the workspace.

USAGE: cargo xtask <COMMAND>

COMMANDS:
  test           Checks everything: format, lints, tests, documentation, architecture
  proofs         Holds the promises against real processes, many times over, in a release build
  simulate       Plays the real code under seeded faults, and holds every step against the promises
                   --seeds N       How many seeds, from 0 on (1000)
                   --seed S        This seed alone; with --history, everything that happens in it
                   --days D        How many midnights pass, 1 to 5 (2)
                   --faults P      all, none, or those of one thing, such as database
                   --mutant CLAUSE Without this rule, to see what comes of it
  mutants        Breaks the rules of the protocol, one at a time, until the simulator finds it out
                   --seeds N       How many seeds it may take for each (20000)
                   --only TEXT     Those with this text in their name
                   --json          Tells it as JSON
                   --domain        Changes the rules in Rust instead, to see whether a test of crates/domain notices
  model          Goes through every state of the protocol's model
  contract       Runs the contract of the stores on D1 in workerd
                   --histories N   How many random histories follow the cases (20)
                   --steps N       How many steps each of them has (60)
  integration    Plays what can go wrong around the Worker in workerd, in full
                   --rounds N      How often two Workers overlap on a fresh database (25)
                   --only NAME     This scenario alone, such as lostAnswers
  examples NAME  Runs the examples, or one of them, on SQLite and in workerd, with faults
                   --fault F       This fault alone in workerd, such as killed
  audit          Looks the server and the Worker over for what they tell before its time
  strangers      Sends random requests to every route of the server and the Worker: no fault, no change
                   --seed N        What the dice begin with (1)
                   --requests N    How many there are to each route (10000)
                   --only ROUTE    To this route alone, such as guess
                   --target T      server or worker; both unless one is named
  fuzz           Drives the server and the Worker by the description of their API, as a program that knows no more
                   --examples N    How many requests are made up for each operation (100)
                   --target T      server or worker; both unless one is named
  bench          Measures what requests, publications, leases and results cost, beside the limit
                   --short         A quick look, no figure of which is to be relied upon
                   --only PART     serving, publishing, leases, results, growth or worker
                   --keep          Makes the figures those of docs/performance
  worker build   Builds the Worker as it is deployed, and weighs it
  worker dev     Runs the Worker on this machine, with the demo's bank, until Ctrl-C
                   --port N        Where it listens on 127.0.0.1; 0 takes a free one (8788)
                   --check         Looks at it in a fresh folder, and ends it
  worker deploy  Deploys the Worker to Cloudflare
                   --env NAME      Which environment of wrangler.toml: staging or production
                   --dry-run       Uploads nothing and needs no account; all environments unless one is named
  migrate        Tells how the tables are made
                   --d1-local      Makes those of D1 on this machine
                   --persist-to D  In this folder, instead of that of `wrangler dev`
                   --check         Makes them by wrangler and by the server, and compares
  validity       Holds the pages, the feed and the sitemap of the demo against validators
  browser        Looks at every page in Chromium: accessibility, keyboard, narrow windows, no scripts
                   --only NAME     This scenario alone, such as keyboard
                   --target T      server or worker; both unless one is named
  api            Compares what the kit offers to others with the lists in its folders
                   --bless         Makes the lists those of the code
  new PATH       Makes a site of your own in a new folder, without the game; its last part is the name
  new --check    Makes one far from here, runs its tests, and looks at it in workerd
  tidy           Checks what the compiler cannot: dependencies, SQL, clocks, migrations, documents
  setup          Installs what the other commands need, as they do themselves";

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
    // Arguments may name folders as they are seen from here.
    let command = Command::from_args(pico_args::Arguments::from_env())?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no parent folder")?;
    env::set_current_dir(root).with_context(|| format!("cannot enter {}", root.display()))?;
    command.run()
}

#[derive(Debug, PartialEq, Eq)]
enum Command {
    Help,
    Test,
    Proofs,
    Simulate(simulate::Options),
    Mutants(mutants::Command),
    Model,
    Contract(contract::Options),
    Worker(worker::Command),
    Integration(integration::Options),
    Examples(examples::Options),
    Audit,
    Strangers(strangers::Options),
    Fuzz(fuzz::Options),
    Bench(bench::Options),
    Migrate(migrate::Command),
    Validity,
    Browser(browser::Options),
    Api(api::Options),
    New(new::Command),
    Tidy,
    Setup,
}

impl Command {
    fn from_args(mut args: pico_args::Arguments) -> anyhow::Result<Self> {
        if args.contains(["-h", "--help"]) {
            return Ok(Self::Help);
        }
        let command = match args.subcommand()?.as_deref() {
            None | Some("help") => Self::Help,
            Some("test") => Self::Test,
            Some("proofs") => Self::Proofs,
            Some("simulate") => Self::Simulate(simulate::Options::from_args(&mut args)),
            Some("mutants") => Self::Mutants(mutants::Command::from_args(&mut args)),
            Some("model") => Self::Model,
            Some("contract") => Self::Contract(contract::Options::from_args(&mut args)?),
            Some("bench") => Self::Bench(bench::Options::from_args(&mut args)?),
            Some("worker") => Self::Worker(worker::Command::from_args(&mut args)?),
            Some("integration") => Self::Integration(integration::Options::from_args(&mut args)?),
            Some("examples") => Self::Examples(examples::Options::from_args(&mut args)?),
            Some("audit") => Self::Audit,
            Some("strangers") => Self::Strangers(strangers::Options::from_args(&mut args)?),
            Some("fuzz") => Self::Fuzz(fuzz::Options::from_args(&mut args)?),
            Some("migrate") => Self::Migrate(migrate::Command::from_args(&mut args)?),
            Some("validity") => Self::Validity,
            Some("browser") => Self::Browser(browser::Options::from_args(&mut args)?),
            Some("api") => Self::Api(api::Options::from_args(&mut args)),
            Some("new") => Self::New(new::Command::from_args(&mut args)?),
            Some("tidy") => Self::Tidy,
            Some("setup") => Self::Setup,
            Some(unknown) => bail!("there is no command {unknown:?}\n\n{HELP}"),
        };
        let rest = args.finish();
        ensure!(rest.is_empty(), "unexpected {rest:?}\n\n{HELP}");
        Ok(command)
    }

    fn run(&self) -> anyhow::Result<()> {
        match self {
            Self::Help => {
                println!("{HELP}");
                Ok(())
            }
            Self::Test => test::run(),
            Self::Proofs => proofs::run(),
            Self::Simulate(options) => simulate::run(options),
            Self::Mutants(command) => command.run(),
            Self::Model => model::run(),
            Self::Contract(options) => contract::run(options),
            Self::Worker(command) => command.run(),
            Self::Integration(options) => integration::run(options),
            Self::Examples(options) => examples::run(options),
            Self::Audit => audit::run(),
            Self::Strangers(options) => strangers::run(options),
            Self::Fuzz(options) => fuzz::run(options),
            Self::Bench(options) => bench::run(options),
            Self::Migrate(command) => command.run(),
            Self::Validity => validity::run(),
            Self::Browser(options) => browser::run(options),
            Self::Api(options) => api::run(options),
            Self::New(command) => command.run(),
            Self::Tidy => tidy::run(),
            Self::Setup => setup::run(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> anyhow::Result<Command> {
        let words = line.split_whitespace().map(Into::into).collect();
        Command::from_args(pico_args::Arguments::from_vec(words))
    }

    #[test]
    fn commands_take_their_own_options_only() {
        assert_eq!(read("").unwrap(), Command::Help);
        assert_eq!(read("test --help").unwrap(), Command::Help);
        assert_eq!(read("worker --help").unwrap(), Command::Help);
        assert_eq!(read("tidy").unwrap(), Command::Tidy);
        assert!(matches!(read("integration --only killed").unwrap(), Command::Integration(_)));
        assert!(matches!(read("examples newsletter").unwrap(), Command::Examples(_)));
        assert_eq!(read("worker build").unwrap(), Command::Worker(worker::Command::Build));
        assert_eq!(read("new --check").unwrap(), Command::New(new::Command::Check));
        assert_eq!(read("audit").unwrap(), Command::Audit);
        assert!(matches!(read("api --bless").unwrap(), Command::Api(_)));
        assert!(matches!(read("strangers --seed 7").unwrap(), Command::Strangers(_)));
        assert!(matches!(read("fuzz --examples 7").unwrap(), Command::Fuzz(_)));
        assert!(matches!(read("browser --only keyboard").unwrap(), Command::Browser(_)));
        assert_eq!(read("mutants --domain").unwrap(), Command::Mutants(mutants::Command::Domain));
        assert!(matches!(
            read("mutants --only lease").unwrap(),
            Command::Mutants(mutants::Command::Protocol(_))
        ));
        assert!(matches!(read("simulate --seed 7 --history").unwrap(), Command::Simulate(_)));
        assert_eq!(read("model").unwrap(), Command::Model);
        for line in [
            "tidy --rounds 3",
            "mutants --domain all",
            "model --seeds 3",
            "worker build --dry-run",
            "worker dev --env staging",
            "browser --seed 3",
            "migrate now",
            "new --check notices",
        ] {
            let error = read(line).unwrap_err().to_string();
            assert!(error.starts_with("unexpected") && error.contains("USAGE"), "{line}: {error}");
        }
    }

    #[test]
    fn what_there_is_not_is_answered_with_what_there_is() {
        for line in ["worker", "worker run", "worker --env staging"] {
            let error = read(line).unwrap_err().to_string();
            assert!(error.contains("worker build, deploy or dev"), "{line}: {error}");
        }
        let error = read("deploy").unwrap_err().to_string();
        assert!(error.contains("\"deploy\"") && error.contains("worker deploy"), "{error}");
    }
}
