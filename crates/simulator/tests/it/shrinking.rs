//! A rule is broken, and what is told of it can be read, and played again.

use std::process::{Command, Output};

use fencepost_simulator::{
    Player, Scenario, hunt,
    mutants::{Mutation, catalogue},
    shrink, sweep,
};

/// A commit that does not ask whether the bank has another row by now.
const CLAUSE: &str = "publish: bank_version";

/// A commit that does not ask whether its item was postponed, which takes hundreds of seeds.
const RARE_CLAUSE: &str = "publish: item_due";

/// Within so many seeds it is found out.
const SEEDS: u64 = 300;

fn mutation() -> Mutation {
    catalogue().into_iter().find(|it| it.clause == CLAUSE).expect("the clause is in the catalogue")
}

#[test]
fn a_broken_rule_is_found_out_and_its_history_shrinks() {
    let mut player = Player::new().unwrap();
    let hunted = hunt(&mut player, &mutation(), SEEDS).unwrap();
    let (seed, violation) = hunted.caught.unwrap();
    let scenario = Scenario { seed, ..Scenario::of_mutant(mutation().mutant()) };
    let whole = player.play(&scenario).unwrap();
    assert_eq!(whole.violation.as_ref(), Some(&violation));

    let shrunk = shrink(&mut player, &scenario, violation.rule, 2_000).unwrap();
    let left = whole.stimuli - shrunk.scenario.without.stimuli.len();
    assert!((2..=6).contains(&left), "{left} of {} stimuli are left", whole.stimuli);
    assert!(shrunk.played.faults.len() <= 3, "{:?}", shrunk.played.faults);
    let found = shrunk.played.violation.unwrap();
    assert_eq!(found.rule, violation.rule);
    let excerpt = shrunk.played.history.excerpt().to_string();
    assert!(excerpt.lines().count() <= 40, "{excerpt}");
    assert!(excerpt.contains("VIOLATION "), "{excerpt}");

    let again = Player::new().unwrap().play(&shrunk.scenario).unwrap();
    assert_eq!(again.violation, Some(found));
    assert_eq!(again.history, shrunk.played.history);
}

#[test]
fn whoever_may_try_only_once_leaves_everything_as_it_was() {
    let mut player = Player::new().unwrap();
    let (seed, violation) = hunt(&mut player, &mutation(), SEEDS).unwrap().caught.unwrap();
    let scenario = Scenario { seed, ..Scenario::of_mutant(mutation().mutant()) };
    let shrunk = shrink(&mut player, &scenario, violation.rule, 1).unwrap();
    assert!(shrunk.scenario.without.is_empty());
    assert_eq!(shrunk.played.violation, Some(violation));
}

#[test]
fn all_cores_together_find_the_lowest_seed() {
    let (seed, _) = hunt(&mut Player::new().unwrap(), &mutation(), SEEDS).unwrap().caught.unwrap();
    let swept = sweep(SEEDS, &Scenario::of_mutant(mutation().mutant()), || ()).unwrap();
    assert_eq!(swept.broken, Some(seed));
}

fn simulator(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fencepost-simulator"))
        .args(words)
        .output()
        .expect("the simulator starts")
}

/// The words of a line as a shell would take them, as far as single quotes go.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word) = (Vec::new(), String::new());
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(std::mem::take(&mut word)),
            c => word.push(c),
        }
    }
    words.push(word);
    words
}

#[test]
fn the_command_that_is_told_plays_exactly_this_again() {
    let seeds = SEEDS.to_string();
    let found = simulator(&["simulate", "--seeds", &seeds, "--mutant", CLAUSE]);
    assert_eq!(found.status.code(), Some(1), "{found:?}");
    let found = String::from_utf8(found.stdout).unwrap();
    let report = &found[found.find("BROKEN: ").unwrap()..];
    let command = report.lines().last().unwrap().trim().strip_prefix("cargo xtask ").unwrap();
    assert!(command.contains("--without-stimuli"), "{command}");

    let words = words(command);
    let again = simulator(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(again.status.code(), Some(1), "{again:?}");
    let again = String::from_utf8(again.stdout).unwrap();
    assert!(again.ends_with(report), "{again}\nis not\n{report}");
}

#[test]
fn a_hunt_tells_what_found_a_mutant_out() {
    let seeds = SEEDS.to_string();
    let hunted = simulator(&["mutants", "--only", CLAUSE, "--seeds", &seeds]);
    assert!(hunted.status.success(), "{hunted:?}");
    let told = String::from_utf8(hunted.stdout).unwrap();
    assert!(told.contains(CLAUSE) && told.contains("1 mutant, 1 found out"), "{told}");
    let unseen = simulator(&["mutants", "--only", RARE_CLAUSE, "--seeds", "1"]);
    assert_eq!(unseen.status.code(), Some(1), "{unseen:?}");
    assert!(String::from_utf8(unseen.stdout).unwrap().contains("SURVIVED 1 seeds"));
}
