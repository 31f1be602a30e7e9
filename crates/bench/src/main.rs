//! Fencepost, measured.
//!
//! A figure by itself says more about the machine than about the program. So everything is
//! measured beside something else in the same run: the physical limit, which is what a few
//! lines written for nothing but this figure reach, and what people would use instead. The
//! subjects take turns, round by round, and of all rounds the median counts; what is
//! reported is the *ratio*.
//!
//! Each part is a command and writes a file of figures. `report` reads them all, holds
//! the ratios against [`goals`], and draws the chart. `cargo xtask bench` runs everything,
//! since the parts need programs that somebody has to build.
//!
//! Reading order: [`figures`] is what a part leaves behind, [`serving`] the part that most
//! people ask about; [`stock`] is what the others work on, [`bare`] what they are measured
//! beside, and [`goals`] what has to come out.

mod figures;

mod process;

mod serving;

mod bare;

mod stock;

mod publishing;

mod leases;

mod results;

mod growth;

mod goals;

mod report;

use std::{path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

use figures::Form;

/// Measures Fencepost beside the physical limit and beside what people would use instead.
#[derive(Debug, Parser)]
#[command(name = "fencepost-bench")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// What a request costs on the native server
    Serving {
        /// The program `fencepost`, as it is released
        #[arg(long, value_name = "FILE")]
        server: PathBuf,
        #[command(flatten)]
        form: Form,
    },
    /// A server that does next to nothing, to be measured beside
    #[command(hide = true)]
    Limit(serving::LimitOptions),
    /// What a publication costs
    Publishing(Form),
    /// What a claim of a lease costs
    Leases(Form),
    /// One of several processes that claim leases at once
    #[command(hide = true)]
    Claim(leases::ClaimantOptions),
    /// What a result of the daily game costs
    Results(Form),
    /// How the cost of everything grows with the site
    Growth(Form),
    /// Puts figures side by side, and holds them against what has to come out
    Report(report::Options),
}

/// That of the server: what it is measured beside has the same.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Serving { server, form } => serving::measure(&server, &form),
        Command::Limit(options) => serving::limit(&options),
        Command::Publishing(form) => publishing::measure(&form),
        Command::Leases(form) => leases::measure(&form),
        Command::Claim(options) => leases::claim(&options),
        Command::Results(form) => results::measure(&form),
        Command::Growth(form) => growth::measure(&form),
        Command::Report(options) => return report::run(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
