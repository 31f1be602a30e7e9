//! The values of options: words, files and addresses that make sense.

use std::path::PathBuf;

use clap::ValueEnum;
use fencepost_adapter_sqlite::Durability;
use fencepost_application::ExportFormat;
use fencepost_domain::export::Export;
use fencepost_ports::Job;

/// The jobs, as words of the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum JobName {
    /// What fires at the end of the grace window
    Publish,
    /// What fires every hour and catches up
    Compensate,
}

impl From<JobName> for Job {
    fn from(name: JobName) -> Self {
        match name {
            JobName::Publish => Self::Publish,
            JobName::Compensate => Self::Compensate,
        }
    }
}

/// What can be exported, as words of the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportName {
    /// The puzzles; as JSON Lines, they can be imported
    Bank,
    /// The items, and how their pages stand
    Ledger,
    /// The receipts of all changes of pages
    Receipts,
    /// What people did
    Actions,
}

impl From<ExportName> for Export {
    fn from(name: ExportName) -> Self {
        match name {
            ExportName::Bank => Self::Bank,
            ExportName::Ledger => Self::Ledger,
            ExportName::Receipts => Self::Receipts,
            ExportName::Actions => Self::Actions,
        }
    }
}

/// How to write an export, as a word of the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ExportFormatName {
    /// JSON Lines: an object a line
    Jsonl,
    /// A table with a header, whose texts no spreadsheet takes for formulas
    Csv,
}

impl From<ExportFormatName> for ExportFormat {
    fn from(name: ExportFormatName) -> Self {
        match name {
            ExportFormatName::Jsonl => Self::JsonLines,
            ExportFormatName::Csv => Self::Csv,
        }
    }
}

/// How durable a commit is, as a word of the command line.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum DurabilityName {
    Full,
    Normal,
}

impl From<DurabilityName> for Durability {
    fn from(name: DurabilityName) -> Self {
        match name {
            DurabilityName::Full => Self::Full,
            DurabilityName::Normal => Self::Normal,
        }
    }
}

/// How to log, as a word of the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// A file that every connection and every process finds again.
pub(super) fn database(text: &str) -> Result<PathBuf, String> {
    if text.is_empty() || text.starts_with(":memory:") || text.starts_with("file:") {
        return Err(
            "name a file, such as fencepost.db: a database in memory is gone with its connection".to_owned()
        );
    }
    Ok(PathBuf::from(text))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use crate::options::Cli;

    #[test]
    fn values_that_cannot_be_are_refused() {
        for (option, good, bad) in [
            ("--grace-seconds", vec!["0", "600", "43200"], vec!["-1", "43201", "ten", ""]),
            ("--lease-seconds", vec!["1", "180", "900"], vec!["0", "901", "1.5"]),
            ("--daily-quota", vec!["0", "100"], vec!["-1", "1000001"]),
            ("--keep-runs-days", vec!["0", "1", "90", "36500"], vec!["-1", "36501", "ten", ""]),
            ("--environment", vec!["production", "pr-17"], vec!["Production", "", "a b", "é"]),
            (
                "--origin",
                vec!["https://a.example", "http://a.example:80/"],
                vec!["a.example", "https://a.example/x", "ftp://a.example", "https://a.example/?q"],
            ),
            (
                "--listen",
                vec!["127.0.0.1:0", "[::1]:8787"],
                vec!["127.0.0.1", "127.0.0.1:70000", "somewhere:1"],
            ),
            (
                "--test-clock-offset-ms",
                vec!["-5000", "5000", "-3155760000000", "3155760000000"],
                vec!["yesterday", "-3155760000001", "3155760000001", "9223372036854775807"],
            ),
            ("--player-rate", vec!["0", "1", "60000"], vec!["-1", "60001", "many"]),
            ("--durability", vec!["full", "normal"], vec!["none"]),
            ("--log-format", vec!["text", "json"], vec!["xml"]),
            ("--admin-token", vec!["t"], vec![""]),
            ("--secret", vec!["t"], vec![""]),
            ("--webhook-url", vec!["https://a.example/hook"], vec![""]),
            ("--webhook-secret", vec!["t"], vec![""]),
            ("--webhook-events", vec!["published,withdrawn"], vec![""]),
        ] {
            for value in good {
                let got = Cli::command().try_get_matches_from(["fencepost", option, value]);
                assert!(got.is_ok(), "{option} {value} was refused");
            }
            for value in bad {
                let got = Cli::command().try_get_matches_from(["fencepost", option, value]);
                assert!(got.is_err(), "{option} {value} was accepted");
            }
        }
    }
}
