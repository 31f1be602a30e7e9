//! The command line.

use std::collections::BTreeSet;

use clap::{Args, Parser, Subcommand, value_parser};
use fencepost_simulator::{
    Fault, Omissions, Profile, Scenario,
    mutants::{Mutation, catalogue},
};

use super::Failure;

/// As many midnights as a schedule has unless told otherwise.
pub(super) const DAYS: i64 = 2;

/// Plays the real site under faults, from seeds, and holds every step against its promises.
#[derive(Debug, Parser)]
#[command(name = "fencepost-simulator", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Plays schedules until an invariant does not hold; exits with 1 if one does not
    Simulate(SimulateOptions),
    /// Breaks each rule in turn, until it is found out; exits with 1 if one is not
    Mutants(MutantsOptions),
}

#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub(super) struct SimulateOptions {
    /// How many seeds, from 0 on
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = value_parser!(u64).range(1..),
          conflicts_with = "seed")]
    pub(super) seeds: u64,
    /// This seed alone
    #[arg(long, value_name = "S")]
    pub(super) seed: Option<u64>,
    /// How many midnights pass; there are marks for so many puzzles, and no more
    #[arg(long, value_name = "D", default_value_t = DAYS, value_parser = value_parser!(i64).range(1..=5))]
    pub(super) days: i64,
    /// Which faults there may be: all, none, or those of one thing, such as database
    #[arg(long, value_name = "PROFILE", default_value = "all", value_parser = faults)]
    pub(super) faults: Faults,
    /// Without this rule; a part of its name will do, see the command mutants
    #[arg(long, value_name = "CLAUSE")]
    pub(super) mutant: Option<String>,
    /// Tell everything that happens
    #[arg(long, requires = "seed")]
    pub(super) history: bool,
    /// Leave these out of what comes from outside, such as 3,5-9
    #[arg(long, value_name = "NUMBERS", requires = "seed", value_parser = Omissions::read_stimuli)]
    pub(super) without_stimuli: Option<BTreeSet<usize>>,
    /// Leave these faults out, such as 12.3,15.1-4
    #[arg(long, value_name = "NUMBERS", requires = "seed", value_parser = Omissions::read_faults)]
    pub(super) without_faults: Option<BTreeSet<(usize, u32)>>,
}

impl SimulateOptions {
    /// What is to be played. Its seed is that of `--seed`, if there is one.
    pub(super) fn scenario(&self) -> Result<Scenario, Failure> {
        let mutant = self.mutant.as_deref().map(mutation).transpose()?;
        let scenario = mutant.map_or_else(|| Scenario::new(0), |it| Scenario::of_mutant(it.mutant()));
        Ok(Scenario {
            seed: self.seed.unwrap_or(0),
            days: self.days,
            profile: self.faults.profile.clone(),
            without: Omissions {
                stimuli: self.without_stimuli.clone().unwrap_or_default(),
                faults: self.without_faults.clone().unwrap_or_default(),
            },
            ..scenario
        })
    }
}

/// The one mutation whose clause is, or has in it, this text.
fn mutation(text: &str) -> Result<Mutation, Failure> {
    let all = catalogue();
    if let Some(exact) = all.iter().find(|it| it.clause == text) {
        return Ok(exact.clone());
    }
    let found: Vec<_> = all.into_iter().filter(|it| it.clause.contains(text)).collect();
    match found.as_slice() {
        [one] => Ok(one.clone()),
        [] => Err(Failure::Usage(format!("no rule is called {text:?}; `cargo xtask mutants` lists them"))),
        several => {
            let names: Vec<_> = several.iter().map(|it| it.clause.as_str()).collect();
            Err(Failure::Usage(format!("{text:?} may be any of these: {}", names.join("; "))))
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub(super) struct MutantsOptions {
    /// How many seeds are played, at most, until a mutant is found out
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = value_parser!(u64).range(1..))]
    pub(super) seeds: u64,
    /// Only those whose part or clause has this text in it
    #[arg(long, value_name = "TEXT")]
    pub(super) only: Option<String>,
    /// Print the report as JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// A profile, and what it is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Faults {
    pub(super) name: String,
    pub(super) profile: Profile,
}

impl Faults {
    /// Whether this one may happen.
    pub(super) fn has(&self, fault: Fault) -> bool {
        let is_of_it = || fault.as_str().split_once(':').is_some_and(|(thing, _)| thing == self.name);
        self.name == "all" || is_of_it()
    }
}

fn faults(name: &str) -> Result<Faults, String> {
    let things: BTreeSet<_> = Fault::ALL
        .iter()
        .filter_map(|fault| fault.as_str().split_once(':'))
        .map(|(thing, _)| thing)
        .collect();
    let things: Vec<_> = things.into_iter().collect();
    let profile = Profile::named(name)
        .ok_or_else(|| format!("there is no such profile; there are: all, none, {}", things.join(", ")))?;
    Ok(Faults { name: name.to_owned(), profile })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<SimulateOptions, String> {
        let words = ["fencepost-simulator", "simulate"].iter().chain(words);
        match Cli::try_parse_from(words).map_err(|error| error.to_string())?.command {
            Command::Simulate(options) => Ok(options),
            Command::Mutants(_) => Err("another command".to_owned()),
        }
    }

    #[test]
    fn a_schedule_is_what_was_asked_for() {
        let scenario = read(&[]).unwrap().scenario().unwrap();
        assert_eq!((scenario.seed, scenario.days, scenario.profile), (0, DAYS, Profile::all()));
        let options = read(&[
            "--seed",
            "7",
            "--days",
            "5",
            "--faults",
            "photo store",
            "--without-stimuli",
            "3,5-6",
            "--without-faults",
            "12.3",
        ]);
        let scenario = options.unwrap().scenario().unwrap();
        assert_eq!((scenario.seed, scenario.days), (7, 5));
        assert_eq!(Some(scenario.profile), Profile::named("photo store"));
        let without = Omissions { stimuli: [3, 5, 6].into(), faults: [(12, 3)].into() };
        assert_eq!(scenario.without, without);
    }

    #[test]
    fn what_cannot_be_is_answered_with_what_can() {
        for (line, says) in [
            (
                &["--faults", "weather"] as &[_],
                "all, none, cache, cron, database, photo, photo store, worker",
            ),
            (&["--days", "6"], "1..=5"),
            (&["--days", "0"], "1..=5"),
            (&["--seeds", "0"], "1.."),
            (&["--history"], "--seed"),
            (&["--seed", "1", "--seeds", "2"], "cannot be used with"),
            (&["--without-stimuli", "3"], "--seed"),
            (&["--seed", "1", "--without-faults", "3"], "12.3-7"),
        ] {
            let error = read(line).unwrap_err();
            assert!(error.contains(says), "{line:?}: {error}");
        }
    }

    #[test]
    fn a_profile_has_the_faults_of_its_thing_alone() {
        let has = |name: &str| {
            let faults = faults(name).unwrap();
            Fault::ALL.iter().filter(|fault| faults.has(**fault)).count()
        };
        assert_eq!((has("all"), has("none")), (Fault::ALL.len(), 0));
        assert_eq!((has("photo"), has("photo store")), (4, 3));
    }

    #[test]
    fn a_rule_is_found_by_a_part_of_its_name_if_there_is_one_such() {
        let names: Vec<_> = catalogue().into_iter().map(|it| it.clause).collect();
        for name in &names {
            assert_eq!(&mutation(name).unwrap().clause, name);
        }
        for unclear in ["", "no such rule"] {
            assert!(matches!(mutation(unclear), Err(Failure::Usage(_))));
        }
    }
}
