//! What the commands have in common.

mod options;
pub(crate) use options::Cli;

mod output;

mod replay;

mod summary;

mod broken;

mod simulate;

mod mutants;

use std::process::ExitCode;

use options::Command;

/// Why a command could not do what it was asked for.
#[derive(Debug)]
enum Failure {
    /// What was asked for cannot be.
    Usage(String),
    /// The database does not work.
    Database(rusqlite::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

/// A report, and whether things are as they should be.
#[derive(Debug)]
struct Report {
    text: String,
    is_good: bool,
}

/// Does what was asked for.
pub(crate) fn run(cli: Cli) -> ExitCode {
    let report = match cli.command {
        Command::Simulate(options) => simulate::run(&options),
        Command::Mutants(options) => mutants::run(&options),
    };
    match report {
        Ok(report) => {
            output::print(&report.text);
            if report.is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(Failure::Usage(message)) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
        Err(Failure::Database(error)) => {
            eprintln!("error: SQLite cannot be used: {error}");
            ExitCode::FAILURE
        }
    }
}
