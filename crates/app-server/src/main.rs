//! The server and the command line of Fencepost.
//!
//! A composition root: it reads options, chooses a store, a folder for photos, a clock
//! and a router, plugs them into a [`Site`](fencepost_application::Site) and lets that
//! do the work. What it decides itself is little, and stands in four places: [`agenda`]
//! decides when a job runs, [`shutdown`] how a process ends, [`connections`] how long
//! a silent client is listened to, and [`player_rate`] how often one address may guess.
//!
//! Nothing depends on this crate, so it may know everything; it must decide nothing
//! that a second process on the same database would have to agree with. Whatever two
//! processes have to agree on is decided in the database.
//!
//! # Exit codes
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | a fault, or a finding: `verify`, `audit` or `doctor` found something, `status --check` has an alert, an import was refused, a run left an item `blocked` or `unknown`, a withdrawal did not take place |
//! | 2 | the command line or the environment asks for something that cannot be |
//! | 130 | a second Ctrl-C or SIGTERM did not wait for the first one's orderly end |

use std::process::ExitCode;

mod options;

mod failure;

mod logging;

mod late_blobs;

mod compose;

mod shutdown;

mod agenda;

mod scheduler;

mod standstill;

mod background;

mod compression;

mod connections;

mod player_rate;

mod serve;

mod commands;

mod output;

mod progress;

mod demo;

use failure::Failure;
use options::{Cli, Command};

/// Every request makes and drops some dozens of small things, on one thread and the other.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::read();
    match run(cli) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

fn run(cli: Cli) -> Result<ExitCode, Failure> {
    cli.check()?;
    logging::start(&cli.common, cli.is_chatty())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::fault(format!("cannot start threads: {error}; free some and try again")))?;
    let code = runtime.block_on(dispatch(cli));
    // What still hangs on a socket or on standard input is not worth waiting for.
    runtime.shutdown_background();
    code
}

async fn dispatch(cli: Cli) -> Result<ExitCode, Failure> {
    let common = cli.common;
    match cli.command {
        None => serve::serve(&common, &cli.serve.with_demo()).await,
        Some(Command::Serve(options)) => serve::serve(&common, &options).await,
        Some(Command::Import { file, by, json }) => commands::import(&common, &by.actor(), &file, json).await,
        Some(Command::Export { what, format, output }) => {
            commands::export(&common, what.into(), format.into(), output.as_deref()).await
        }
        Some(Command::Run { job, dry_run: false, by, json }) => {
            commands::run(&common, &by.actor(), job.into(), json).await
        }
        Some(Command::Run { job, dry_run: true, by: _, json }) => {
            commands::rehearse(&common, job.into(), json).await
        }
        Some(Command::Explain { id, json }) => commands::explain(&common, id, json).await,
        Some(Command::Withdraw { id, by, json }) => commands::withdraw(&common, &by.actor(), id, json).await,
        Some(Command::Retry { id, by, json }) => commands::retry(&common, &by.actor(), id, json).await,
        Some(Command::Verify { file, json }) => commands::verify(&common, file.as_deref(), json).await,
        Some(Command::Audit(options)) => commands::audit(&common, &options).await,
        Some(Command::Doctor(options)) => commands::doctor(&common, &options).await,
        Some(Command::Status { json, check }) => commands::status(&common, json, check).await,
    }
}
