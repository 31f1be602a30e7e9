//! The command line and the environment.

use std::{
    ffi::OsString,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
};

use clap::{
    ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand,
    builder::{BoolishValueParser, NonEmptyStringValueParser},
    error::ErrorKind,
    parser::ValueSource,
    value_parser,
};
use fencepost_adapter_http::{environment, instance, origin};
use fencepost_adapter_sqlite::StoreClock;
use fencepost_domain::{
    action::{Actor, ActorName, Reason},
    id::PuzzleId,
    lease::MAX_LEASE_MS,
    puzzle::MAX_GRACE_MS,
    quota::MAX_DAILY_QUOTA,
    retention::{DEFAULT_KEEP_DAYS, MAX_KEEP_DAYS},
};

use crate::failure::Failure;

mod environment;
use environment::{without_empty_variables, without_variables};

mod audit;
pub(crate) use audit::AuditOptions;

mod doctor;
pub(crate) use doctor::DoctorOptions;

mod values;
use values::database;
pub(crate) use values::{DurabilityName, ExportFormatName, ExportName, JobName, LogFormat};

/// How far the clock can be shifted, in milliseconds.
const CLOCK_OFFSET_MS: i64 = StoreClock::LONGEST_SHIFT_MS;
/// Where the demo lives unless a database is named.
const DEMO_FOLDER: &str = ".fencepost-demo";

/// Publishes scheduled content exactly once.
///
/// Without a command it serves the demo: a sample bank around today's date, in a folder
/// of its own (.fencepost-demo), without any network.
///
/// Every option can be given as an environment variable as well; the command line wins,
/// and an empty variable counts as none.
#[derive(Debug, Parser)]
#[command(
    name = "fencepost",
    version,
    after_help = "Exit codes: 0 done; 1 a fault, or something was found, refused or left undone; 2 wrong usage."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) common: CommonOptions,
    #[command(flatten)]
    pub(crate) serve: ServeOptions,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serves the site, and publishes what is due
    Serve(ServeOptions),
    /// Imports puzzles: all rows, or none
    Import {
        /// A JSON file as the admin API takes it, or JSON Lines as `export bank` writes them; - for standard input
        file: PathBuf,
        #[command(flatten)]
        by: ActorOptions,
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Writes out everything of a kind: the bank as `import` takes it, or what has become of it
    Export {
        /// What
        what: ExportName,
        /// How: an object a line, or a table for spreadsheets
        #[arg(long, value_name = "FORMAT", default_value = "jsonl")]
        format: ExportFormatName,
        /// Where to [default: standard output]. The file is there when all of it is
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Runs a job once, in this process; exits with 1 if an item ends as blocked or unknown
    Run {
        /// Which job
        job: JobName,
        /// Only tell what it would do, and change nothing
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        by: ActorOptions,
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Tells what keeps an item from being published, and all else that is known of it
    Explain {
        /// The puzzle
        id: PuzzleId,
        /// Print the report as JSON, as the admin API does
        #[arg(long)]
        json: bool,
    },
    /// Lets an item that is not out be tried again by the next run; exits with 1 if it cannot be
    Retry {
        /// The puzzle
        id: PuzzleId,
        #[command(flatten)]
        by: ActorOptions,
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Takes a page back, or an item that is not out yet; exits with 1 if that did not take place
    Withdraw {
        /// The puzzle
        id: PuzzleId,
        #[command(flatten)]
        by: ActorOptions,
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Checks that nothing is half published; exits with 1 if something is
    Verify {
        /// A copy to look at, instead of the database in use: a database, or an export as `wrangler d1 export`
        /// writes it. It is left as it is. Its photos are looked up if --blobs says where they are
        file: Option<PathBuf>,
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
    /// Looks a running site over for what it tells before its time; exits with 1 if it tells anything
    Audit(AuditOptions),
    /// Looks the deployment over, and tells what to do about what it finds; exits with 1 if something failed
    Doctor(DoctorOptions),
    /// Tells how the site is doing, and what to look at
    Status {
        /// Exit with 1 if somebody has to do something, for a monitor
        #[arg(long)]
        check: bool,
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Who acts, and why: it stands in the log of actions.
#[derive(Debug, Args)]
pub(crate) struct ActorOptions {
    /// Who acts [default: the login name, or cli]
    #[arg(long = "as", env = "FENCEPOST_OPERATOR", value_name = "NAME")]
    pub(crate) name: Option<ActorName>,
    /// Why
    #[arg(long, env = "FENCEPOST_REASON", value_name = "TEXT")]
    pub(crate) reason: Option<Reason>,
}

impl ActorOptions {
    /// Whoever acts.
    pub(crate) fn actor(self) -> Actor {
        let login = || std::env::var("USER").ok().and_then(|name| ActorName::read(&name));
        let name = self.name.or_else(login).or_else(|| ActorName::read("cli"));
        Actor { name: name.expect("cli is a name"), reason: self.reason }
    }
}

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct CommonOptions {
    /// The SQLite database [default: fencepost.db; with --demo .fencepost-demo/fencepost.db]
    #[arg(long, env = "FENCEPOST_DATABASE", global = true, value_name = "FILE", value_parser = database)]
    pub(crate) database: Option<PathBuf>,
    /// The folder that keeps photos [default: ./blobs; with --demo .fencepost-demo/blobs]
    #[arg(long, env = "FENCEPOST_BLOBS", global = true, value_name = "FOLDER")]
    pub(crate) blobs: Option<PathBuf>,
    /// Seconds after midnight UTC in which a finished day's game may still be played, for puzzles yet to be imported
    #[arg(long, env = "FENCEPOST_GRACE_SECONDS", global = true, value_name = "N", default_value_t = 600,
          allow_negative_numbers = true, value_parser = value_parser!(i64).range(0..=MAX_GRACE_MS / 1_000))]
    pub(crate) grace_seconds: i64,
    /// Seconds after which an item in the hands of a dead process is taken over
    #[arg(long, env = "FENCEPOST_LEASE_SECONDS", global = true, value_name = "N", default_value_t = 180,
          allow_negative_numbers = true, value_parser = value_parser!(i64).range(1..=MAX_LEASE_MS / 1_000))]
    pub(crate) lease_seconds: i64,
    /// How many pages may be published on one UTC day; a higher value counts from the next start on
    #[arg(long, env = "FENCEPOST_DAILY_QUOTA", global = true, value_name = "N", default_value_t = 100,
          allow_negative_numbers = true, value_parser = value_parser!(i64).range(0..=MAX_DAILY_QUOTA))]
    pub(crate) daily_quota: i64,
    /// How many days runs of jobs, tokens of imports and delivered events are kept in the database; 0 keeps them for ever
    #[arg(long, env = "FENCEPOST_KEEP_RUNS_DAYS", global = true, value_name = "N", default_value_t = DEFAULT_KEEP_DAYS,
          allow_negative_numbers = true, value_parser = value_parser!(i64).range(0..=MAX_KEEP_DAYS))]
    pub(crate) keep_runs_days: i64,
    /// What this deployment is: production, staging, development, or a word of yours
    #[arg(long, env = "FENCEPOST_ENVIRONMENT", global = true, value_name = "WORD", default_value = "development",
          value_parser = environment)]
    pub(crate) environment: String,
    /// What this process is called among those that share the database [default: process-PID]
    #[arg(long, env = "FENCEPOST_INSTANCE", global = true, value_name = "WORD", value_parser = instance)]
    pub(crate) instance: Option<String>,
    /// Fetch photos from private and loopback addresses too
    #[arg(long, env = "FENCEPOST_ALLOW_PRIVATE_IMAGES", global = true,
          value_parser = BoolishValueParser::new())]
    pub(crate) allow_private_images: bool,
    /// Whether a commit waits for the disk (full) or may be lost with the power (normal)
    #[arg(long, env = "FENCEPOST_DURABILITY", global = true, value_name = "HOW", default_value = "full")]
    pub(crate) durability: DurabilityName,
    /// Milliseconds by which the database's clock is shifted, for tests; refused in production
    #[arg(
        long,
        env = "FENCEPOST_TEST_CLOCK_OFFSET_MS",
        global = true,
        value_name = "MS",
        allow_negative_numbers = true,
        value_parser = value_parser!(i64).range(-CLOCK_OFFSET_MS..=CLOCK_OFFSET_MS),
        hide_short_help = true
    )]
    pub(crate) test_clock_offset_ms: Option<i64>,
    /// What to log, such as info or fencepost=debug; RUST_LOG counts as well
    #[arg(long, env = "FENCEPOST_LOG", global = true, value_name = "FILTER", hide_short_help = true)]
    pub(crate) log: Option<String>,
    /// How to log
    #[arg(
        long,
        env = "FENCEPOST_LOG_FORMAT",
        global = true,
        value_name = "FORMAT",
        default_value = "text",
        hide_short_help = true
    )]
    pub(crate) log_format: LogFormat,
}

/// Options of `serve`.
#[derive(Clone, Debug, Args)]
pub(crate) struct ServeOptions {
    /// Where to listen; port 0 takes a free one and tells which
    #[arg(long, env = "FENCEPOST_LISTEN", value_name = "ADDRESS",
          default_value_t = SocketAddr::from((Ipv4Addr::LOCALHOST, 8787)))]
    pub(crate) listen: SocketAddr,
    /// The site's public address, for links that leave it [default: the address listened on; in production none]
    #[arg(long, env = "FENCEPOST_ORIGIN", value_name = "URL", value_parser = origin)]
    pub(crate) origin: Option<String>,
    /// The bearer token of the admin API, which is off without one; better given by the environment
    #[arg(long, env = "FENCEPOST_ADMIN_TOKEN", value_name = "TOKEN", hide_env_values = true,
          value_parser = NonEmptyStringValueParser::new())]
    pub(crate) admin_token: Option<String>,
    /// Signs games and links to previews, of which there are none without it: at least 32 characters, the same for
    /// all processes of a site; better given by the environment
    #[arg(long, env = "FENCEPOST_SECRET", value_name = "SECRET", hide_env_values = true,
          value_parser = NonEmptyStringValueParser::new())]
    pub(crate) secret: Option<String>,
    /// Where events are sent: who is told what was published, updated, withdrawn and reinstated, and which alerts
    /// begin and end; better given by the environment, if it holds a secret
    #[arg(long, env = "FENCEPOST_WEBHOOK_URL", value_name = "URL", hide_env_values = true,
          value_parser = NonEmptyStringValueParser::new())]
    pub(crate) webhook_url: Option<String>,
    /// Signs events, and nothing else: at least 32 characters, which the receiver has as well; better given by the
    /// environment
    #[arg(long, env = "FENCEPOST_WEBHOOK_SECRET", value_name = "SECRET", hide_env_values = true,
          value_parser = NonEmptyStringValueParser::new())]
    pub(crate) webhook_secret: Option<String>,
    /// Which events are sent: some of published,updated,withdrawn,reinstated,alert_raised,alert_cleared
    /// [default: all of them]
    #[arg(long, env = "FENCEPOST_WEBHOOK_EVENTS", value_name = "KINDS",
          value_parser = NonEmptyStringValueParser::new())]
    pub(crate) webhook_events: Option<String>,
    /// Send events to private and loopback addresses too
    #[arg(long, env = "FENCEPOST_ALLOW_PRIVATE_WEBHOOK", value_parser = BoolishValueParser::new())]
    pub(crate) allow_private_webhook: bool,
    /// How many guesses and results one address may send in a minute, to each process; 0 lets everybody send any number
    #[arg(long, env = "FENCEPOST_PLAYER_RATE", value_name = "N", default_value_t = 120,
          value_parser = value_parser!(u32).range(0..=60_000))]
    pub(crate) player_rate: u32,
    /// A proxy stands in front: players are told apart by the last address in X-Forwarded-For, which it has added
    #[arg(long, env = "FENCEPOST_BEHIND_PROXY", value_parser = BoolishValueParser::new())]
    pub(crate) behind_proxy: bool,
    /// How much memory rendered pages may take, compressed ones included; 0 keeps none
    #[arg(long, env = "FENCEPOST_CACHE_MEGABYTES", value_name = "N", default_value_t = 16,
          value_parser = value_parser!(u32))]
    pub(crate) cache_megabytes: u32,
    /// Run no job by itself, not even at start; the admin API still runs them
    #[arg(long, env = "FENCEPOST_NO_CRON", value_parser = BoolishValueParser::new())]
    pub(crate) no_cron: bool,
    /// Stock the bank with samples around today's date, photos included
    #[arg(long, env = "FENCEPOST_DEMO", value_parser = BoolishValueParser::new())]
    pub(crate) demo: bool,
}

impl Cli {
    /// Reads the command line and the environment; ends the process with code 2 and an
    /// explanation when they make no sense, and with 0 after `--help` and `--version`.
    pub(crate) fn read() -> Self {
        Self::read_from(std::env::args_os().collect()).unwrap_or_else(|error| error.exit())
    }

    /// The options of `serve` stand alone for the demo and behind `serve`, and every other
    /// command has nothing to do with them. So their variables are looked at only where
    /// they count: a wrong `FENCEPOST_LISTEN` must not keep anybody from `fencepost verify`.
    fn read_from(arguments: Vec<OsString>) -> Result<Self, clap::Error> {
        let command = without_empty_variables(Self::command());
        let for_commands = without_variables(command.clone(), &serve_option_ids());
        let matches = match for_commands.try_get_matches_from(&arguments) {
            Ok(matches) if matches.subcommand_name().is_some() => matches,
            // Whoever asks for help is to be told the variables.
            _ => command.try_get_matches_from(&arguments)?,
        };
        Self::understand(&matches)
    }

    fn understand(matches: &ArgMatches) -> Result<Self, clap::Error> {
        // The options of `serve` may stand alone, for the demo. Before a command they
        // would be silently without effect.
        if let Some(command) = matches.subcommand_name()
            && let Some(option) = given_on_command_line(matches, &serve_option_ids())
        {
            let option = option.replace('_', "-");
            return Err(Self::command().error(
                ErrorKind::ArgumentConflict,
                format!("--{option} is an option of `serve`: write `fencepost serve --{option} …`, not `fencepost --{option} … {command}`"),
            ));
        }
        Self::from_arg_matches(matches).map_err(|error| error.format(&mut Self::command()))
    }

    /// Refuses combinations that would be dangerous.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let production = self.common.environment == "production";
        if production && self.common.test_clock_offset_ms.is_some() {
            return Err(Failure::usage(
                "the environment is production and its clock must not be shifted; \
                 unset FENCEPOST_TEST_CLOCK_OFFSET_MS, or choose another --environment",
            ));
        }
        if production && self.serves_demo() {
            return Err(Failure::usage(
                "the environment is production, which wants no sample bank; use `fencepost serve` without --demo, \
                 or choose another --environment",
            ));
        }
        Ok(())
    }

    /// Whether people watch it work, so that what happens is worth a line.
    pub(crate) fn is_chatty(&self) -> bool {
        matches!(self.command, None | Some(Command::Serve(_)))
    }

    fn serves_demo(&self) -> bool {
        match &self.command {
            None => true,
            Some(Command::Serve(options)) => options.demo,
            Some(_) => false,
        }
    }
}

impl ServeOptions {
    /// The same options, for the demo.
    pub(crate) fn with_demo(self) -> Self {
        Self { demo: true, ..self }
    }
}

impl CommonOptions {
    /// What this process is called among those that share the database.
    pub(crate) fn instance(&self) -> String {
        self.instance.clone().unwrap_or_else(|| format!("process-{}", std::process::id()))
    }

    /// The database and the folder of photos.
    ///
    /// A demo never falls back to the folder where the real ones would be looked for.
    pub(crate) fn places(&self, demo: bool) -> Places {
        let demo_folder = |name: &str| demo.then(|| Path::new(DEMO_FOLDER).join(name));
        Places {
            database: self
                .database
                .clone()
                .or_else(|| demo_folder("fencepost.db"))
                .unwrap_or_else(|| PathBuf::from("fencepost.db")),
            blobs: self
                .blobs
                .clone()
                .or_else(|| demo_folder("blobs"))
                .unwrap_or_else(|| PathBuf::from("./blobs")),
        }
    }
}

/// Where things are kept.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    pub(crate) database: PathBuf,
    pub(crate) blobs: PathBuf,
}

fn serve_option_ids() -> Vec<String> {
    let options = ServeOptions::augment_args(clap::Command::new("serve"));
    options.get_arguments().map(|argument| argument.get_id().to_string()).collect()
}

fn given_on_command_line(matches: &ArgMatches, ids: &[String]) -> Option<String> {
    ids.iter().find(|id| matches.value_source(id) == Some(ValueSource::CommandLine)).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(arguments: &str, expected: Result<(), ErrorKind>) {
        let words = std::iter::once("fencepost").chain(arguments.split_whitespace());
        let got = Cli::read_from(words.map(OsString::from).collect());
        assert_eq!(got.map(drop).map_err(|error| error.kind()), expected, "{arguments}");
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn options_are_taken_where_they_have_an_effect() {
        check("", Ok(()));
        check("--listen 127.0.0.1:0 --database x.db", Ok(()));
        check("serve --listen 127.0.0.1:0 --database x.db", Ok(()));
        check("--database x.db serve", Ok(()));
        check("--database x.db verify --json", Ok(()));
        check("verify --database x.db", Ok(()));
        check("verify x.sql --blobs photos --json", Ok(()));
        check("verify x.sql y.sql", Err(ErrorKind::UnknownArgument));
        check("--listen 127.0.0.1:0 serve", Err(ErrorKind::ArgumentConflict));
        check("--no-cron import x.json", Err(ErrorKind::ArgumentConflict));
        check("import x.json --listen 127.0.0.1:0", Err(ErrorKind::UnknownArgument));
        check("audit --base http://127.0.0.1:8787 --bank x.json --now-only --json", Ok(()));
        check("audit --base http://127.0.0.1:8787", Err(ErrorKind::MissingRequiredArgument));
        check("audit --base example.org --bank x.json", Err(ErrorKind::ValueValidation));
        check("audit --bank x.json", Err(ErrorKind::MissingRequiredArgument));
        check("serve --json", Err(ErrorKind::UnknownArgument));
        check("run", Err(ErrorKind::MissingRequiredArgument));
        check("run everything", Err(ErrorKind::InvalidValue));
        check("publish", Err(ErrorKind::InvalidSubcommand));
        check("run publish --dry-run --json", Ok(()));
        check("run publish --dry-run=false", Err(ErrorKind::TooManyValues));
        check("withdraw 0", Err(ErrorKind::ValueValidation));
        check("withdraw 7 --as Ada --reason recall", Ok(()));
        check("withdraw 7 --as", Err(ErrorKind::InvalidValue));
        check("retry 7 --as Ada --json", Ok(()));
        check("status --as Ada", Err(ErrorKind::UnknownArgument));
        check("explain 7 --json", Ok(()));
        check("explain", Err(ErrorKind::MissingRequiredArgument));
        check("export bank", Ok(()));
        check("export ledger --format csv --output x.csv", Ok(()));
        check("export", Err(ErrorKind::MissingRequiredArgument));
        check("export everything", Err(ErrorKind::InvalidValue));
        check("export bank --format json", Err(ErrorKind::InvalidValue));
    }
}
