//! What was counted, for people. Whoever sees no violation should see how much was looked at.

use std::{collections::BTreeSet, fmt::Write, time::Duration};

use fencepost_simulator::{Fault, Stats};

use super::{
    options::Faults,
    output::{INFALLIBLE, grouped, per_second, seconds},
};

/// The counts as a text; with how fast it went, if that is known.
pub(super) fn summary(stats: &Stats, took: Option<Duration>) -> String {
    let mut text = String::new();
    for (name, told) in facts(stats, took) {
        writeln!(text, "{name:<22}{told}").expect(INFALLIBLE);
    }
    for (title, counts) in tables(stats) {
        writeln!(text, "\n{title}").expect(INFALLIBLE);
        for (name, count) in counts {
            writeln!(text, "{:>12}  {name}", grouped(count)).expect(INFALLIBLE);
        }
    }
    text
}

/// What never came up although it might have, so that nothing was shown about it.
pub(super) fn never(stats: &Stats, faults: &Faults) -> Vec<String> {
    let off: BTreeSet<_> =
        Fault::ALL.iter().filter(|fault| !faults.has(**fault)).map(|fault| fault.as_str()).collect();
    let counted = tables(stats).into_iter().flat_map(|(title, counts)| {
        counts.into_iter().map(move |(name, count)| (format!("{title}: {name}"), name, count))
    });
    let others = [
        ("pages published", stats.published),
        ("hits of caches", stats.cache_hits),
        ("runs once it is calm", stats.calm_runs),
    ];
    let others = others.into_iter().map(|(name, count)| (name.to_owned(), name, count));
    let never = counted.chain(others).filter(|(_, name, count)| *count == 0 && !off.contains(name));
    never.map(|(told, ..)| told).collect()
}

type Counts = Vec<(&'static str, u64)>;

fn tables(stats: &Stats) -> [(&'static str, Counts); 3] {
    [
        ("faults that happened", stats.faults().map(|(fault, count)| (fault.as_str(), count)).collect()),
        ("outcomes that were reported", stats.outcomes().map(|(it, count)| (it.as_str(), count)).collect()),
        ("invariants that were checked", stats.rules().map(|(rule, count)| (rule.as_str(), count)).collect()),
    ]
}

fn facts(stats: &Stats, took: Option<Duration>) -> Vec<(&'static str, String)> {
    let schedules = stats.schedules.max(1);
    let size = &stats.smallest;
    let mut facts = vec![
        ("schedules", grouped(stats.schedules)),
        (
            "of at least",
            format!(
                "{} workers, {} data centres, {} items, {} midnights",
                size.workers, size.centres, size.items, size.midnights
            ),
        ),
        ("midnights", grouped(stats.midnights)),
        (
            "steps",
            format!(
                "{}: {} per schedule, {} in the shortest",
                grouped(stats.steps),
                grouped(stats.steps / schedules),
                grouped(stats.fewest_steps)
            ),
        ),
        ("statements", grouped(stats.statements)),
        ("requests of readers", grouped(stats.readings)),
        (
            "looks at caches",
            format!("{}, with {} hits", grouped(stats.cache_reads), grouped(stats.cache_hits)),
        ),
        ("pages published", grouped(stats.published)),
        ("runs once it is calm", grouped(stats.calm_runs)),
    ];
    if let Some(took) = took {
        let (schedules, steps) = (per_second(stats.schedules, took), per_second(stats.steps, took));
        let speed = format!("{} schedules/s, {} steps/s", grouped(schedules), grouped(steps));
        facts.push(("time", format!("{}: {speed}", seconds(took))));
    }
    facts
}

#[cfg(test)]
mod tests {
    use fencepost_simulator::{Player, Profile, Scenario};

    use super::*;

    #[test]
    fn what_never_came_up_is_told() {
        let scenario = Scenario { profile: Profile::none(), ..Scenario::new(1) };
        let stats = Player::new().unwrap().play(&scenario).unwrap().stats;
        let told = |name: &str| {
            let faults = Faults { name: name.to_owned(), profile: Profile::all() };
            never(&stats, &faults)
        };
        let all = told("all");
        for fault in Fault::ALL {
            assert!(all.contains(&format!("faults that happened: {}", fault.as_str())), "{all:?}");
        }
        for came_up in ["no embargoed byte is served", ": published", "hits of caches"] {
            assert!(!all.iter().any(|it| it.ends_with(came_up)), "{all:?}");
        }
        let of_the_cache =
            told("cache").into_iter().filter(|it| it.starts_with("faults")).collect::<Vec<_>>();
        assert!(of_the_cache.len() > 1 && of_the_cache.iter().all(|it| it.contains(": cache: ")));
        assert!(!told("none").iter().any(|it| it.starts_with("faults")));
    }

    #[test]
    fn how_much_was_looked_at_is_told() {
        let stats = Player::new().unwrap().play(&Scenario::new(0)).unwrap().stats;
        let text = summary(&stats, Some(Duration::from_secs(2)));
        assert!(text.contains(&format!("{}: ", grouped(stats.steps))), "{text}");
        assert!(text.contains("2 midnights") && text.contains("2.0 s: 0 schedules/s"), "{text}");
        assert!(!summary(&stats, None).contains("schedules/s"));
    }
}
