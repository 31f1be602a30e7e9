//! Many schedules, on all cores.

use std::{
    panic,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    thread,
};

use crate::{
    mutants::Mutation,
    oracle::Violation,
    stage::{Player, Scenario},
    stats::Stats,
};

/// What came of many schedules.
#[derive(Debug)]
pub struct Swept {
    /// What was counted, in all that were played.
    pub stats: Stats,
    /// The lowest seed whose schedule broke an invariant.
    pub broken: Option<u64>,
}

/// Plays `scenario` with the seeds from 0 on. Once one breaks an invariant, those below it
/// are played to the end, so that the lowest is found, however many cores there are.
///
/// # Errors
/// An SQLite that cannot be used.
pub fn sweep(seeds: u64, scenario: &Scenario, after_each: impl Fn() + Sync) -> rusqlite::Result<Swept> {
    let (next, lowest) = (AtomicU64::new(0), AtomicU64::new(u64::MAX));
    let all = on_all_cores(|player| {
        let mut stats = Stats::default();
        loop {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            if seed >= seeds || seed > lowest.load(Ordering::SeqCst) {
                return Ok(stats);
            }
            let played = player.play(&Scenario { seed, ..scenario.clone() })?;
            if played.violation.is_some() {
                lowest.fetch_min(seed, Ordering::SeqCst);
            }
            stats.add(&played.stats);
            after_each();
        }
    })?;
    let mut stats = Stats::default();
    all.iter().for_each(|some| stats.add(some));
    let lowest = lowest.into_inner();
    Ok(Swept { stats, broken: (lowest < u64::MAX).then_some(lowest) })
}

/// What became of the hunt for one mutation.
#[derive(Debug)]
pub struct Hunted {
    /// The first seed whose schedule found it out, and what was found.
    pub caught: Option<(u64, Violation)>,
    /// The same for the line before it alone, in the same schedules: there should be none.
    pub alone: Option<(u64, Violation)>,
    /// How many schedules were played.
    pub plays: u64,
}

/// Hunts each mutation with the seeds from 0 on, until it is found out.
///
/// # Errors
/// An SQLite that cannot be used.
pub fn hunt_all(
    mutations: &[Mutation],
    seeds: u64,
    after_each: impl Fn() + Sync,
) -> rusqlite::Result<Vec<Hunted>> {
    let next = AtomicUsize::new(0);
    let mut all: Vec<_> = on_all_cores(|player| {
        let mut hunted = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::SeqCst);
            let Some(mutation) = mutations.get(number) else { return Ok(hunted) };
            hunted.push((number, hunt(player, mutation, seeds)?));
            after_each();
        }
    })?
    .into_iter()
    .flatten()
    .collect();
    all.sort_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, hunted)| hunted).collect())
}

/// Hunts one mutation with the seeds from 0 on.
///
/// # Errors
/// An SQLite that cannot be used.
pub fn hunt(player: &mut Player, mutation: &Mutation, seeds: u64) -> rusqlite::Result<Hunted> {
    let caught = first_broken(player, &Scenario::of_mutant(mutation.mutant()), seeds)?;
    let played = |broken: &Option<(u64, Violation)>, most| broken.as_ref().map_or(most, |(seed, _)| seed + 1);
    let plays = played(&caught, seeds);
    let Some(line) = mutation.behind.as_ref().filter(|_| caught.is_some()) else {
        return Ok(Hunted { caught, alone: None, plays });
    };
    let alone = first_broken(player, &Scenario::of_mutant(line.alone.clone()), plays)?;
    let plays = plays + played(&alone, plays);
    Ok(Hunted { caught, alone, plays })
}

fn first_broken(
    player: &mut Player,
    scenario: &Scenario,
    seeds: u64,
) -> rusqlite::Result<Option<(u64, Violation)>> {
    for seed in 0..seeds {
        let played = player.play(&Scenario { seed, ..scenario.clone() })?;
        if let Some(violation) = played.violation {
            return Ok(Some((seed, violation)));
        }
    }
    Ok(None)
}

/// Does the same work on every core, each with a player of its own.
fn on_all_cores<T: Send>(
    work: impl Fn(&mut Player) -> rusqlite::Result<T> + Sync,
) -> rusqlite::Result<Vec<T>> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(|| work(&mut Player::new()?))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| panic::resume_unwind(panic)))
            .collect()
    })
}
