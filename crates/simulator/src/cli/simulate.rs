//! `simulate`: plays schedules until an invariant does not hold.

use std::time::Duration;

use fencepost_simulator::{Player, Profile, Scenario, Stats, Violation, shrink, sweep};

use super::{
    Failure, Report, broken,
    options::SimulateOptions,
    output::{bar, grouped},
    summary::{never, summary},
};

/// How many plays it may take to make a history short.
const MOST_PLAYS: u64 = 2_000;

/// From so many schedules on, with all faults, everything has to have come up.
const MANY: u64 = 1_000;

pub(super) fn run(options: &SimulateOptions) -> Result<Report, Failure> {
    let scenario = options.scenario()?;
    if options.seed.is_some() {
        return play_one(options, &scenario);
    }
    let progress = bar(options.seeds, "playing");
    let swept = sweep(options.seeds, &scenario, || progress.inc(1))?;
    let took = progress.elapsed();
    progress.finish_and_clear();
    match swept.broken {
        None => Ok(judge(options, &swept.stats, took)),
        Some(seed) => {
            let head = format!("seed {seed} breaks an invariant; made as short as it can be:\n\n");
            let scenario = Scenario { seed, ..scenario };
            let told = match Player::new()?.play(&scenario)?.violation {
                Some(violation) => tell_shrunk(options, &scenario, &violation)?,
                None => "but not when it is played again: the simulator depends on more than the seed\n"
                    .to_owned(),
            };
            Ok(Report { text: head + &told, is_good: false })
        }
    }
}

/// All schedules were clean: but did they show anything?
fn judge(options: &SimulateOptions, stats: &Stats, took: Duration) -> Report {
    let mut text = format!("{} schedules, no invariant broken\n\n", grouped(stats.schedules));
    text += &summary(stats, Some(took));
    let never = never(stats, &options.faults);
    let is_vacuous = options.seeds >= MANY && options.faults.profile == Profile::all() && !never.is_empty();
    if !never.is_empty() {
        text += "\nNEVER CAME UP, so nothing was shown about it\n";
        never.iter().for_each(|it| text += &format!("  {it}\n"));
    }
    if is_vacuous {
        text += "\nThis proves too little: with all faults and so many seeds, all of it has to come up.\n";
    }
    Report { text, is_good: !is_vacuous }
}

fn play_one(options: &SimulateOptions, scenario: &Scenario) -> Result<Report, Failure> {
    let mut player = Player::new()?;
    let mut played = player.play(&Scenario { with_history: true, ..scenario.clone() })?;
    let history = if options.history { format!("{}\n", played.history) } else { String::new() };
    let Some(violation) = played.violation.take() else {
        let text = format!(
            "{history}seed {}: no invariant broken\n\n{}",
            scenario.seed,
            summary(&played.stats, None)
        );
        return Ok(Report { text, is_good: true });
    };
    let head = format!("{history}seed {} breaks an invariant", scenario.seed);
    // What is played again, or told in full, is told as it is.
    let text = if options.history || !scenario.without.is_empty() {
        format!("{head}:\n\n{}", broken::tell(options, scenario, &played, &violation))
    } else {
        format!("{head}; made as short as it can be:\n\n{}", tell_shrunk(options, scenario, &violation)?)
    };
    Ok(Report { text, is_good: false })
}

fn tell_shrunk(
    options: &SimulateOptions,
    scenario: &Scenario,
    violation: &Violation,
) -> Result<String, Failure> {
    let shrunk = shrink(&mut Player::new()?, scenario, violation.rule, MOST_PLAYS)?;
    let found = shrunk.played.violation.as_ref().unwrap_or(violation);
    Ok(broken::tell(options, &shrunk.scenario, &shrunk.played, found))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::{
        super::options::{Cli, Command},
        *,
    };

    fn options(words: &[&str]) -> SimulateOptions {
        let words = ["fencepost-simulator", "simulate"].iter().chain(words);
        match Cli::try_parse_from(words).unwrap().command {
            Command::Simulate(options) => options,
            Command::Mutants(_) => unreachable!("the words say simulate"),
        }
    }

    #[test]
    fn many_schedules_in_which_something_never_happened_prove_too_little() {
        let check = |words: &[&str], is_good| {
            let report = judge(&options(words), &Stats::default(), Duration::from_secs(1));
            assert_eq!(report.is_good, is_good, "{words:?}");
            assert!(report.text.contains("NEVER CAME UP"), "{}", report.text);
        };
        check(&[], false);
        check(&["--seeds", "5000"], false);
        check(&["--seeds", "999"], true);
        check(&["--faults", "none"], true);
        check(&["--faults", "cache", "--seeds", "5000"], true);
    }
}
