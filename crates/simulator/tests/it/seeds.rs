//! Seeds in which every invariant holds.
//!
//! When `FENCEPOST_FULL_PROOFS` is set, as `cargo xtask proofs` does, there are many more.

use fencepost_simulator::{Profile, Scenario, sweep};

fn check(scenario: &Scenario, few: u64) {
    let seeds = if std::env::var_os("FENCEPOST_FULL_PROOFS").is_some() { 5_000 } else { few };
    let swept = sweep(seeds, scenario, || ()).expect("SQLite works");
    assert_eq!(swept.broken, None, "cargo xtask simulate --seed N tells more");
    assert_eq!(swept.stats.schedules, seeds);
    assert!(swept.stats.published > seeds, "{:?}", swept.stats);
}

#[test]
fn whatever_goes_wrong_every_invariant_holds() {
    check(&Scenario::new(0), 60);
}

#[test]
fn over_many_midnights_every_invariant_holds() {
    check(&Scenario { days: 5, ..Scenario::new(0) }, 10);
}

#[test]
fn where_nothing_goes_wrong_every_invariant_holds() {
    check(&Scenario { profile: Profile::none(), ..Scenario::new(0) }, 20);
}
