//! Rules broken on purpose, one at a time.
//!
//! A mutant is the program with one clause of its SQL or one rule of its policy taken away.
//! Each is played until the oracle finds it out. One that is never found out would be a hole
//! in the simulator, or a clause that nobody needs.
//!
//! Some clauses stand behind another one: whoever has lost the lease is refused by its
//! fence, and would be by its owner. Behind an intact first line, the second can make no
//! difference. So such a clause is taken away together with the line before it, and what
//! that line is stands in the mutant's name. `behind` tells which those are.

use std::collections::BTreeSet;

use crate::oracle::Rule;

mod sql_edits;
pub(crate) use sql_edits::SqlEdits;

mod policy;
pub(crate) use policy::Policy;

mod guard;

mod chain;

mod leases;

mod ledger;

mod switches;

mod bank;

mod reading;

mod cache;

mod proofs;
pub use proofs::proof;

#[cfg(test)]
mod trial;

#[cfg(test)]
mod forgetting;
#[cfg(test)]
mod seen;
#[cfg(test)]
mod telling;

/// A program with a rule broken; or the program as it is.
#[derive(Clone, Debug, Default)]
pub struct Mutant {
    /// The texts that differ.
    pub(crate) sql: SqlEdits,
    /// What else differs.
    pub(crate) policy: Policy,
    /// Rules that the oracle looks away from, since another line is down as well.
    pub(crate) unseen: BTreeSet<Rule>,
}

/// The line before a clause.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it is.
    pub name: &'static str,
    /// The program without it alone.
    pub alone: Mutant,
}

/// A mutant, and what it is meant to show.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// Which part of the argument it belongs to.
    pub part: Part,
    /// What is taken away.
    pub clause: String,
    /// What could go wrong without it.
    pub danger: &'static str,
    /// The program without it alone.
    pub alone: Mutant,
    /// The line that stands before it, and is taken away as well.
    pub behind: Option<Line>,
}

/// The parts of the argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// The guard, inside the first statement of a commit.
    Guard,
    /// The token, which every later statement depends on, and the assertion.
    Chain,
    /// How success is judged, and lost answers resolved.
    Judgement,
    /// Leases and their fences.
    Leases,
    /// The ledger's own writes.
    Ledger,
    /// Imports and photos.
    Bank,
    /// What readers are shown.
    Reading,
    /// The name of a cache's entry, and how long it is used.
    Cache,
}

impl Part {
    /// Every part.
    pub const ALL: [Self; 8] = [
        Self::Guard,
        Self::Chain,
        Self::Judgement,
        Self::Leases,
        Self::Ledger,
        Self::Bank,
        Self::Reading,
        Self::Cache,
    ];

    /// What it is called.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Guard => "the guard",
            Self::Chain => "the token chain and the assertion",
            Self::Judgement => "judging and resolving",
            Self::Leases => "leases and fences",
            Self::Ledger => "the ledger",
            Self::Bank => "the bank and its photos",
            Self::Reading => "what readers are shown",
            Self::Cache => "the cache",
        }
    }
}

impl Mutation {
    fn new(part: Part, clause: impl Into<String>, danger: &'static str, sql: SqlEdits) -> Self {
        let alone = Mutant { sql, ..Mutant::default() };
        Self { part, clause: clause.into(), danger, alone, behind: None }
    }

    fn of_policy(part: Part, clause: &str, danger: &'static str, policy: Policy) -> Self {
        let alone = Mutant { policy, ..Mutant::default() };
        Self { part, clause: clause.to_owned(), danger, alone, behind: None }
    }

    /// The same, with the line before it taken away as well. The oracle looks away from what
    /// the absence of that line shows by itself.
    fn behind(mut self, name: &'static str, edits: SqlEdits, unseen: &[Rule]) -> Self {
        let unseen = unseen.iter().copied().collect();
        self.behind = Some(Line { name, alone: Mutant { sql: edits, unseen, ..Mutant::default() } });
        self
    }

    /// The program without it, and without the line before it.
    pub fn mutant(&self) -> Mutant {
        let alone = self.alone.clone();
        match &self.behind {
            None => alone,
            Some(Line { alone: line, .. }) => {
                Mutant { sql: alone.sql.and(line.sql.clone()), unseen: line.unseen.clone(), ..alone }
            }
        }
    }
}

/// Every mutant.
pub fn catalogue() -> Vec<Mutation> {
    let mut all = guard::mutations();
    all.extend(chain::mutations());
    all.extend(leases::mutations());
    all.extend(ledger::mutations());
    all.extend(switches::mutations());
    all.extend(bank::mutations());
    all.extend(reading::mutations());
    all.extend(cache::mutations());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutant_has_a_name_of_its_own_and_differs_from_the_program() {
        let all = catalogue();
        let names: BTreeSet<_> = all.iter().map(|it| (it.part, it.clause.as_str())).collect();
        assert_eq!(names.len(), all.len());
        for it in &all {
            let mutant = it.mutant();
            let differs = !mutant.sql.is_empty() || mutant.policy != Policy::Real;
            assert!(differs, "{}", it.clause);
        }
    }
}
