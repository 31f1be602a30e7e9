//! Options of `audit`.

use std::path::PathBuf;

use clap::{ArgGroup, Args, builder::NonEmptyStringValueParser, value_parser};
use fencepost_adapter_http::origin;

/// Options of `audit`. What is secret has to be told by the admin API, by a file, or by both.
#[derive(Clone, Debug, Args)]
#[command(group = ArgGroup::new("what is secret").args(["admin_token", "bank"]).multiple(true).required(true))]
pub(crate) struct AuditOptions {
    /// The site, such as http://127.0.0.1:8787
    #[arg(long, value_name = "URL", value_parser = origin)]
    pub(crate) base: String,
    /// The bearer token of the site's admin API, which tells clock and bank; better given by the environment
    #[arg(long, env = "FENCEPOST_ADMIN_TOKEN", value_name = "TOKEN", hide_env_values = true,
          value_parser = NonEmptyStringValueParser::new())]
    pub(crate) admin_token: Option<String>,
    /// The file that the bank was imported from; it has to have the site's grace window
    #[arg(long, value_name = "FILE")]
    pub(crate) bank: Option<PathBuf>,
    /// Look at once, and wait for no instant
    #[arg(long)]
    pub(crate) now_only: bool,
    /// How many seconds to wait for the next instant at most
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = value_parser!(u32).range(1..=86_400))]
    pub(crate) patience: u32,
    /// Play games by the form to their end, which counts two results of each puzzle that is played
    #[arg(long)]
    pub(crate) end_games: bool,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
