//! `mutants`: breaks each rule in turn, and tells what found it out.

use std::{fmt::Write, time::Duration};

use fencepost_simulator::{
    Hunted, Violation, hunt_all,
    mutants::{Mutation, Part, catalogue},
};
use serde_json::{Value, json};

use super::{
    Failure, Report,
    options::MutantsOptions,
    output::{INFALLIBLE, bar, grouped, seconds},
};

pub(super) fn run(options: &MutantsOptions) -> Result<Report, Failure> {
    let mutations: Vec<_> = catalogue().into_iter().filter(|it| is_wanted(it, options)).collect();
    if mutations.is_empty() {
        let only = options.only.as_deref().unwrap_or_default();
        return Err(Failure::Usage(format!("no rule is called {only:?}; without --only, all are broken")));
    }
    let progress = bar(u64::try_from(mutations.len()).unwrap_or(u64::MAX), "hunting");
    let hunted = hunt_all(&mutations, options.seeds, || progress.inc(1))?;
    let took = progress.elapsed();
    progress.finish_and_clear();
    let bag = Bag { entries: mutations.iter().zip(&hunted).collect(), took };
    let text = if options.json { format!("{:#}\n", bag.json()) } else { bag.told(options.seeds) };
    Ok(Report { text, is_good: bag.is_good() })
}

fn is_wanted(mutation: &Mutation, options: &MutantsOptions) -> bool {
    let has = |text: &str| mutation.clause.contains(text) || mutation.part.as_str().contains(text);
    options.only.as_deref().is_none_or(has)
}

/// What a hunt brought.
struct Bag<'a> {
    entries: Vec<(&'a Mutation, &'a Hunted)>,
    took: Duration,
}

impl Bag<'_> {
    fn is_good(&self) -> bool {
        self.survivors().next().is_none() && self.redundant().next().is_none()
    }

    fn survivors(&self) -> impl Iterator<Item = &Mutation> {
        self.entries.iter().filter(|(_, hunted)| hunted.caught.is_none()).map(|(mutation, _)| *mutation)
    }

    /// Those whose line is found out by itself, so that they show nothing about the clause.
    fn redundant(&self) -> impl Iterator<Item = (&Mutation, &(u64, Violation))> {
        self.entries.iter().filter_map(|(mutation, hunted)| Some((*mutation, hunted.alone.as_ref()?)))
    }

    fn plays(&self) -> u64 {
        self.entries.iter().map(|(_, hunted)| hunted.plays).sum()
    }

    fn told(&self, most: u64) -> String {
        let mut text = String::new();
        let width = self.entries.iter().map(|(it, _)| it.clause.chars().count()).max().unwrap_or(0);
        for part in Part::ALL {
            self.tell_part(part, width, &mut text);
        }
        let all = self.entries.len();
        let noun = if all == 1 { "mutant" } else { "mutants" };
        let survivors: Vec<_> = self.survivors().collect();
        writeln!(
            text,
            "{all} {noun}, {} found out, {} plays in {}",
            all - survivors.len(),
            grouped(self.plays()),
            seconds(self.took)
        )
        .expect(INFALLIBLE);
        for (mutation, (seed, violation)) in self.redundant() {
            let line = mutation.behind.as_ref().map_or("", |line| line.name);
            writeln!(
                text,
                "\nSHOWS NOTHING: {}\n  {line} alone is found out as well, by seed {seed}: {}",
                mutation.clause,
                violation.rule.as_str()
            )
            .expect(INFALLIBLE);
        }
        for mutation in survivors {
            writeln!(
                text,
                "\nSURVIVED {} seeds: {} ({})\n  although {}",
                grouped(most),
                mutation.clause,
                mutation.part.as_str(),
                mutation.danger
            )
            .expect(INFALLIBLE);
        }
        text
    }

    fn tell_part(&self, part: Part, width: usize, text: &mut String) {
        let entries: Vec<_> = self.entries.iter().filter(|(it, _)| it.part == part).collect();
        if entries.is_empty() {
            return;
        }
        writeln!(text, "{}", part.as_str()).expect(INFALLIBLE);
        for (mutation, hunted) in entries {
            let Some((seed, violation)) = &hunted.caught else { continue };
            let (seeds, clause) = (grouped(seed + 1), &mutation.clause);
            writeln!(text, "{seeds:>8}  {clause:<width$}  {}", violation.rule.as_str()).expect(INFALLIBLE);
            if let Some(line) = &mutation.behind {
                writeln!(text, "{:>8}    behind {}", "", line.name).expect(INFALLIBLE);
            }
        }
        text.push('\n');
    }

    fn json(&self) -> Value {
        let caught = |(seed, violation): &(u64, Violation)| json!({ "seeds": seed + 1, "invariant": violation.rule.as_str(), "found": violation.detail });
        let mutants = self.entries.iter().map(|(mutation, hunted)| {
            json!({
                "part": mutation.part.as_str(),
                "clause": mutation.clause,
                "danger": mutation.danger,
                "behind": mutation.behind.as_ref().map(|line| line.name),
                "caught": hunted.caught.as_ref().map(caught),
                "line_alone": hunted.alone.as_ref().map(caught),
                "plays": hunted.plays,
            })
        });
        json!({ "mutants": mutants.collect::<Vec<_>>(), "plays": self.plays(), "is_good": self.is_good() })
    }
}

#[cfg(test)]
mod tests {
    use fencepost_simulator::Rule;

    use super::*;

    fn caught(seed: u64) -> Option<(u64, Violation)> {
        Some((seed, Violation { rule: Rule::Fresh, detail: "it was old".to_owned() }))
    }

    fn check(hunted: &[Hunted], is_good: bool, says: &[&str]) {
        let mutations = catalogue();
        let entries = mutations.iter().zip(hunted).collect();
        let bag = Bag { entries, took: Duration::from_secs(3) };
        assert_eq!(bag.is_good(), is_good);
        assert_eq!(bag.json()["is_good"], is_good);
        let told = bag.told(500);
        for words in says {
            assert!(told.contains(words), "{told}\ndoes not say {words}");
        }
    }

    #[test]
    fn a_mutant_that_survives_or_shows_nothing_is_told_last_and_is_a_failure() {
        let found = || Hunted { caught: caught(4), alone: None, plays: 5 };
        let survivor = || Hunted { caught: None, alone: None, plays: 500 };
        let redundant = || Hunted { caught: caught(9), alone: caught(3), plays: 14 };
        check(&[found(), found()], true, &["       5  ", "2 mutants, 2 found out, 10 plays in 3.0 s"]);
        check(&[survivor(), found()], false, &["2 mutants, 1 found out", "SURVIVED 500 seeds: "]);
        check(
            &[found(), redundant()],
            false,
            &["SHOWS NOTHING: ", "alone is found out as well, by seed 3: "],
        );
    }

    #[test]
    fn those_that_are_wanted_are_broken() {
        let wanted = |only: Option<&str>| {
            let options = MutantsOptions { seeds: 1, only: only.map(str::to_owned), json: false };
            catalogue().iter().filter(|it| is_wanted(it, &options)).count()
        };
        assert_eq!(wanted(None), catalogue().len());
        assert!((1..wanted(None)).contains(&wanted(Some("the guard"))));
        assert_eq!(wanted(Some("no such rule")), 0);
        let options = MutantsOptions { seeds: 1, only: Some("no such rule".to_owned()), json: false };
        assert!(matches!(run(&options), Err(Failure::Usage(_))));
    }
}
