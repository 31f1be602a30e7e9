//! What was counted: the proof that a run without a violation has looked.

use fencepost_domain::outcome::Outcome;

use crate::{fault::Fault, oracle::Rule};

/// How large a schedule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// How many workers there are.
    pub workers: usize,
    /// In how many data centres.
    pub centres: usize,
    /// How many items the ledger has at the end.
    pub items: usize,
    /// How many midnights pass.
    pub midnights: u64,
}

impl Size {
    fn least(self, other: Self) -> Self {
        Self {
            workers: self.workers.min(other.workers),
            centres: self.centres.min(other.centres),
            items: self.items.min(other.items),
            midnights: self.midnights.min(other.midnights),
        }
    }
}

/// Counts of one schedule, or of many.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// How many schedules.
    pub schedules: u64,
    /// How many steps: each time that something went on.
    pub steps: u64,
    /// The fewest steps of a schedule.
    pub fewest_steps: u64,
    /// How large the smallest schedules were, each number for itself.
    pub smallest: Size,
    /// How many midnights were simulated.
    pub midnights: u64,
    /// How many statements the database ran.
    pub statements: u64,
    /// How many requests readers made.
    pub readings: u64,
    /// How often a cache was asked, and had something.
    pub cache_reads: u64,
    /// How often it had something.
    pub cache_hits: u64,
    /// How many pages were published.
    pub published: u64,
    /// How many runs it took to bring out what was left once the faults had stopped.
    pub calm_runs: u64,
    faults: [u64; Fault::ALL.len()],
    rules: [u64; Rule::ALL.len()],
    outcomes: [u64; Outcome::ALL.len()],
}

impl Default for Stats {
    fn default() -> Self {
        Self {
            schedules: 0,
            steps: 0,
            fewest_steps: u64::MAX,
            smallest: Size {
                workers: usize::MAX,
                centres: usize::MAX,
                items: usize::MAX,
                midnights: u64::MAX,
            },
            midnights: 0,
            statements: 0,
            readings: 0,
            cache_reads: 0,
            cache_hits: 0,
            published: 0,
            calm_runs: 0,
            faults: [0; Fault::ALL.len()],
            rules: [0; Rule::ALL.len()],
            outcomes: [0; Outcome::ALL.len()],
        }
    }
}

impl Stats {
    pub(crate) fn fault(&mut self, fault: Fault) {
        self.faults[fault as usize] += 1;
    }

    pub(crate) fn rule(&mut self, rule: Rule) {
        self.rules[rule as usize] += 1;
    }

    pub(crate) fn outcome(&mut self, outcome: Outcome) {
        self.outcomes[outcome as usize] += 1;
    }

    /// Those of one whole schedule, which had so many steps.
    pub(crate) fn of_one_schedule(self, steps: u64, size: Size) -> Self {
        Self { schedules: 1, steps, fewest_steps: steps, smallest: size, midnights: size.midnights, ..self }
    }

    /// Adds those of other schedules.
    pub fn add(&mut self, other: &Self) {
        let sum = |to: &mut [u64], from: &[u64]| to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
        sum(&mut self.faults, &other.faults);
        sum(&mut self.rules, &other.rules);
        sum(&mut self.outcomes, &other.outcomes);
        self.schedules += other.schedules;
        self.steps += other.steps;
        self.fewest_steps = self.fewest_steps.min(other.fewest_steps);
        self.smallest = self.smallest.least(other.smallest);
        self.midnights += other.midnights;
        self.statements += other.statements;
        self.readings += other.readings;
        self.cache_reads += other.cache_reads;
        self.cache_hits += other.cache_hits;
        self.published += other.published;
        self.calm_runs += other.calm_runs;
    }

    /// How often each fault happened.
    pub fn faults(&self) -> impl Iterator<Item = (Fault, u64)> + '_ {
        Fault::ALL.iter().map(|fault| (*fault, self.faults[*fault as usize]))
    }

    /// How often each invariant was checked.
    pub fn rules(&self) -> impl Iterator<Item = (Rule, u64)> + '_ {
        Rule::ALL.iter().map(|rule| (*rule, self.rules[*rule as usize]))
    }

    /// How often each outcome was reported.
    pub fn outcomes(&self) -> impl Iterator<Item = (Outcome, u64)> + '_ {
        Outcome::ALL.into_iter().map(|outcome| (outcome, self.outcomes[outcome as usize]))
    }
}
