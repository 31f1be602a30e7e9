//! `cargo xtask proofs`: the proofs in full.
//!
//! The same tests run in `cargo xtask test`, where a few rounds of each have to do. Here
//! they run in a release build and one at a time, so that the times they measure are the
//! program's own.

use crate::steps::{CommandLine, Steps};

/// Asks a test for its full form; the tests look whether it is there.
const FULL_PROOFS: &str = "FENCEPOST_FULL_PROOFS";

pub(crate) fn run() -> anyhow::Result<()> {
    println!(
        "{FULL_PROOFS} asks for the full form: hundreds of rounds, kills and histories; it takes minutes."
    );
    let mut steps = Steps::start();
    steps.command(
        "processes on one database: at once, killed, without power, twenty together, on time, refused",
        in_full("fencepost-app-server", "proofs::"),
    )?;
    steps.command(
        "readers in two data centres, while pages change without a pause",
        in_full("fencepost-application", "hammer::"),
    )?;
    steps.command(
        "random histories on SQLite and on the reference model",
        in_full("fencepost-adapter-sqlite", "differential::"),
    )?;
    steps.command(
        "seeds of the simulator: all faults, many midnights, no fault",
        in_full("fencepost-simulator", "seeds::"),
    )?;
    steps.finish();
    Ok(())
}

/// The tests of a package whose names begin with `prefix`, in full, with what they print.
fn in_full(package: &str, prefix: &str) -> CommandLine {
    let line = format!(
        "cargo test --release --package {package} --test it -- {prefix} --nocapture --test-threads=1"
    );
    CommandLine::new(&line).variable(FULL_PROOFS, "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_can_be_repeated_alone() {
        assert_eq!(
            in_full("fencepost-app-server", "proofs::").to_string(),
            "FENCEPOST_FULL_PROOFS=1 cargo test --release --package fencepost-app-server --test it -- proofs:: \
             --nocapture --test-threads=1"
        );
    }
}
