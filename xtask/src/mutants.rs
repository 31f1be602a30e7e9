//! `cargo xtask mutants`: does anybody notice when a rule is changed?
//!
//! That a test runs a line does not say that it would fail if the line were another: `<`
//! instead of `<=`, or no addition. So rules are broken on purpose, one at a time. A change
//! that nobody notices is either a test that is missing or code that nobody needs.
//!
//! The protocol is made of clauses of SQL and of a few habits. The simulator knows them,
//! takes each away, and has to find it out.
//!
//! The rules in Rust stand in `kit/core` and `crates/domain`, and their own tests have to hold
//! them: those of the crates that use them come too late to say which rule is broken. There, cargo-mutants
//! makes the changes, and runs the tests on each. How it is done stands in
//! `.cargo/mutants.toml`.

use std::{path::Path, process};

use anyhow::{Context, bail};

use crate::{setup, simulate};

/// Where cargo-mutants keeps what it found.
const FINDINGS: &str = "mutants.out";

/// What is changed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// The protocol, which the simulator knows.
    Protocol(simulate::Options),
    /// The rules, in Rust.
    Domain,
}

impl Command {
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> Self {
        if args.contains("--domain") {
            Self::Domain
        } else {
            Self::Protocol(simulate::Options::from_args(args))
        }
    }

    pub(crate) fn run(&self) -> anyhow::Result<()> {
        match self {
            Self::Protocol(options) => simulate::hunt(options),
            Self::Domain => domain(),
        }
    }
}

fn domain() -> anyhow::Result<()> {
    let program = setup::cargo_mutants()?;
    let status = of_domain(&program).status();
    let status = status.with_context(|| format!("cannot start {}", program.display()))?;
    judge(status.code())
}

/// The command that changes the domain. cargo would find the program by its name, but
/// perhaps another version of it.
fn of_domain(program: &Path) -> process::Command {
    let mut command = process::Command::new(program);
    command.args(["mutants", "--package", "fencepost-core", "--package", "fencepost-domain"]);
    command
}

/// What the exit code of cargo-mutants means. A change that makes the tests run without
/// end was noticed, but by a clock; and where one was, some may not have been noticed.
fn judge(code: Option<i32>) -> anyhow::Result<()> {
    match code {
        Some(0) => Ok(()),
        Some(2) => bail!(
            "no test notices the changes in {FINDINGS}/missed.txt: \
             test the rules that they break, or remove what is of no use"
        ),
        Some(3) => bail!(
            "the changes in {FINDINGS}/timeout.txt make the tests run without end: \
             let them fail instead; and see {FINDINGS}/missed.txt"
        ),
        Some(4) => bail!("the tests fail without any change; see {FINDINGS}/log/baseline.log"),
        Some(code) => bail!("cargo-mutants ended with {code}"),
        None => bail!("cargo-mutants was ended by a signal"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Command {
        let words = words.iter().map(Into::into).collect();
        Command::from_args(&mut pico_args::Arguments::from_vec(words))
    }

    #[test]
    fn the_protocol_is_changed_unless_it_is_to_be_the_domain() {
        assert_eq!(read(&["--domain"]), Command::Domain);
        assert_eq!(read(&[]), Command::Protocol(simulate::Options::default()));
        assert!(
            matches!(read(&["--seeds", "9"]), Command::Protocol(options) if options != Default::default())
        );
    }

    #[test]
    fn the_rules_are_changed_and_nothing_else() {
        let command = of_domain(Path::new("/tools/bin/cargo-mutants"));
        assert_eq!(command.get_program(), "/tools/bin/cargo-mutants");
        let expected = ["mutants", "--package", "fencepost-core", "--package", "fencepost-domain"];
        assert!(command.get_args().eq(expected));
    }

    #[test]
    fn whatever_is_not_noticed_in_time_is_a_failure() {
        let complaint = |code| judge(code).map_err(|error| error.to_string());
        assert_eq!(complaint(Some(0)), Ok(()));
        for (code, says) in [
            (Some(2), "mutants.out/missed.txt"),
            (Some(3), "mutants.out/timeout.txt"),
            (Some(4), "without any change"),
            (Some(70), "ended with 70"),
            (None, "signal"),
        ] {
            let error = complaint(code).unwrap_err();
            assert!(error.contains(says), "{error:?} does not say {says:?}");
        }
    }
}
