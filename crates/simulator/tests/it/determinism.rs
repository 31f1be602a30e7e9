//! One seed, one history, to the byte.

use std::process::Command;

use fencepost_simulator::{Player, Scenario};

fn history(player: &mut Player, seed: u64) -> String {
    let scenario = Scenario { with_history: true, ..Scenario::new(seed) };
    let played = player.play(&scenario).expect("SQLite works");
    assert!(!played.history.is_empty());
    format!("{}{:?}{:?}", played.history, played.stats, played.faults)
}

#[test]
fn a_seed_gives_the_same_history_whatever_was_played_before() {
    let mut player = Player::new().unwrap();
    let seeds = [0, 3, 11];
    let first = seeds.map(|seed| history(&mut player, seed));
    assert!(first[0] != first[1] && first[1] != first[2]);
    for seed in [7, 2] {
        history(&mut player, seed);
    }
    let again = seeds.map(|seed| history(&mut player, seed));
    let fresh = seeds.map(|seed| history(&mut Player::new().unwrap(), seed));
    for at in 0..seeds.len() {
        assert!(first[at] == again[at], "seed {} differs on a database that was used", seeds[at]);
        assert!(first[at] == fresh[at], "seed {} differs on a fresh database", seeds[at]);
    }
}

#[test]
fn nobody_plays_otherwise_because_he_is_watched() {
    let mut player = Player::new().unwrap();
    let watched = player.play(&Scenario { with_history: true, ..Scenario::new(5) }).unwrap();
    let alone = player.play(&Scenario::new(5)).unwrap();
    assert!(alone.history.is_empty());
    assert_eq!((watched.stats, watched.faults), (alone.stats, alone.faults));
}

#[test]
fn two_processes_tell_the_same_history() {
    let tell = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost-simulator"));
        let output = command.args(["simulate", "--seed", "11", "--history"]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        output.stdout
    };
    let (first, second) = (tell(), tell());
    assert!(first.len() > 10_000 && first == second, "{}", String::from_utf8_lossy(&first));
}
