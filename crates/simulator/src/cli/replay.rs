//! The command that plays something again.

use std::fmt::Write;

use fencepost_simulator::Omissions;

use super::{
    options::{DAYS, SimulateOptions},
    output::INFALLIBLE,
};

/// The command that plays `seed` with these options, and without what is left out.
pub(super) fn command(options: &SimulateOptions, seed: u64, without: &Omissions) -> String {
    let mut line = format!("cargo xtask simulate --seed {seed}");
    let mut add = |option: &str, value: &str| {
        write!(line, " {option} {}", quoted(value)).expect(INFALLIBLE);
    };
    if options.days != DAYS {
        add("--days", &options.days.to_string());
    }
    if options.faults.name != "all" {
        add("--faults", &options.faults.name);
    }
    if let Some(mutant) = &options.mutant {
        add("--mutant", mutant);
    }
    if !without.stimuli.is_empty() {
        add("--without-stimuli", &without.spelled_stimuli());
    }
    if !without.faults.is_empty() {
        add("--without-faults", &without.spelled_faults());
    }
    line
}

/// As a shell takes it for one word.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.,/".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{
        super::options::{Cli, Command},
        *,
    };

    fn read(words: &[&str]) -> SimulateOptions {
        let words = ["fencepost-simulator", "simulate"].iter().chain(words);
        match Cli::try_parse_from(words).unwrap().command {
            Command::Simulate(options) => options,
            Command::Mutants(_) => unreachable!("the words say simulate"),
        }
    }

    #[test]
    fn what_was_asked_for_stands_in_the_command() {
        let nothing = Omissions::default();
        assert_eq!(command(&read(&[]), 17, &nothing), "cargo xtask simulate --seed 17");
        let options = read(&["--days", "3", "--faults", "photo store", "--mutant", "the day's quota"]);
        let without = Omissions { stimuli: [0, 1, 2, 9].into(), faults: [(12, 3)].into() };
        assert_eq!(
            command(&options, 4, &without),
            r"cargo xtask simulate --seed 4 --days 3 --faults 'photo store' --mutant 'the day'\''s quota' --without-stimuli 0-2,9 --without-faults 12.3"
        );
    }
}
