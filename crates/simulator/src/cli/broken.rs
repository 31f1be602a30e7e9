//! What a schedule looks like in which an invariant did not hold.

use std::fmt::Write;

use fencepost_simulator::{Played, Scenario, Violation};

use super::{options::SimulateOptions, output::INFALLIBLE, replay};

/// The lines that matter, and the command that plays exactly this again.
pub(super) fn tell(
    options: &SimulateOptions,
    scenario: &Scenario,
    played: &Played,
    violation: &Violation,
) -> String {
    let mut text = String::new();
    let excerpt = played.history.excerpt();
    let stimuli = played.stimuli.saturating_sub(scenario.without.stimuli.len());
    let (of, faults) = (played.stimuli, played.faults.len());
    let left_out = played.history.len() - excerpt.len();
    writeln!(text, "BROKEN: {}", violation.rule.as_str()).expect(INFALLIBLE);
    writeln!(text, "  found: {}", violation.detail).expect(INFALLIBLE);
    writeln!(text, "  with {stimuli} of {of} stimuli and {faults} faults\n").expect(INFALLIBLE);
    for line in excerpt.to_string().lines() {
        writeln!(text, "{}", shortened(line)).expect(INFALLIBLE);
    }
    let command = replay::command(options, scenario.seed, &scenario.without);
    writeln!(text, "\n{left_out} other lines are left out; --history tells all").expect(INFALLIBLE);
    writeln!(text, "to play exactly this again:\n  {command}").expect(INFALLIBLE);
    text
}

/// As much of a line as one reads.
const LONGEST_LINE: usize = 180;

fn shortened(line: &str) -> String {
    if line.chars().count() <= LONGEST_LINE {
        return line.to_owned();
    }
    line.chars().take(LONGEST_LINE - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut() {
        let long = "x".repeat(500);
        assert_eq!(shortened(&long).chars().count(), LONGEST_LINE);
        assert_eq!(shortened("short"), "short");
    }
}
