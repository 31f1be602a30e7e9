//! The log: plain words for people on standard error, or JSON for machines.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

use crate::{
    failure::Failure,
    options::{CommonOptions, LogFormat},
};

/// Starts logging. A command that prints a report keeps quiet about what went well.
pub(crate) fn start(options: &CommonOptions, chatty: bool) -> Result<(), Failure> {
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter(options, chatty)?)
        .with_writer(io::stderr)
        .with_ansi(io::stderr().is_terminal());
    match options.log_format {
        LogFormat::Text => log.with_target(false).init(),
        LogFormat::Json => log.json().flatten_event(true).init(),
    }
    Ok(())
}

fn filter(options: &CommonOptions, chatty: bool) -> Result<EnvFilter, Failure> {
    let asked =
        options.log.clone().or_else(|| std::env::var("RUST_LOG").ok()).filter(|text| !text.is_empty());
    let text = asked.unwrap_or_else(|| if chatty { "info,sqlx=warn" } else { "warn" }.to_owned());
    EnvFilter::try_new(&text).map_err(|error| {
        Failure::usage(format!("{text:?} is not a filter for the log: {error}; write for example info"))
    })
}
