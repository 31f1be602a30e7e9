//! The simulator's command line: `cargo xtask simulate` and `cargo xtask mutants`.
//!
//! # Exit codes
//!
//! | code | meaning |
//! |---|---|
//! | 0 | every invariant held, or every mutant was found out |
//! | 1 | one did not, or was not; or a run showed too little to prove anything |
//! | 2 | the command line asks for something that cannot be |

mod cli;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    cli::run(cli::Cli::parse())
}
