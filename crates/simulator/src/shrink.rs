//! Makes a history that went wrong as short as it can be.
//!
//! Stimuli are left out first, then faults, as long as the same invariant does not hold.
//! Every actor has dice of its own, so leaving one out changes nothing about the luck of
//! the others. But it changes what they meet with, so there may be faults that did not
//! happen before; these are tried in the next round.

use std::collections::BTreeSet;

use crate::{
    ddmin::smallest,
    omissions::Omissions,
    oracle::Rule,
    stage::{Played, Player, Scenario},
};

/// What is left of a scenario.
#[derive(Debug)]
pub struct Shrunk {
    /// What to play.
    pub scenario: Scenario,
    /// What comes of it, with its history.
    pub played: Played,
    /// How often something was tried.
    pub plays: u64,
}

/// Leaves out of `scenario` what does not matter to that `rule` is broken, with at most so
/// many plays.
///
/// # Errors
/// An SQLite that cannot be used.
pub fn shrink(player: &mut Player, scenario: &Scenario, rule: Rule, most: u64) -> rusqlite::Result<Shrunk> {
    let mut search = Search { player, scenario: scenario.clone(), rule, plays: 0, most };
    search.scenario.with_history = false;
    loop {
        let before = search.scenario.without.clone();
        search.leave_out_stimuli()?;
        search.leave_out_faults()?;
        if search.scenario.without == before || search.plays >= most {
            break;
        }
    }
    search.scenario.with_history = true;
    search.forget_what_is_not_met()?;
    let Search { player, scenario, plays, .. } = search;
    let played = player.play(&scenario)?;
    Ok(Shrunk { scenario, played, plays })
}

struct Search<'a> {
    player: &'a mut Player,
    /// The smallest so far.
    scenario: Scenario,
    rule: Rule,
    plays: u64,
    most: u64,
}

impl Search<'_> {
    fn play(&mut self, without: Omissions) -> rusqlite::Result<Played> {
        self.plays += 1;
        self.player.play(&Scenario { without, ..self.scenario.clone() })
    }

    /// Whether the rule is broken all the same. Once there were too many plays, nothing
    /// more is left out.
    fn breaks(&mut self, without: Omissions) -> rusqlite::Result<bool> {
        if self.plays >= self.most {
            return Ok(false);
        }
        let rule = self.rule;
        Ok(self.play(without)?.violation.is_some_and(|violation| violation.rule == rule))
    }

    fn leave_out_stimuli(&mut self) -> rusqlite::Result<()> {
        let present = self.scenario.without.clone();
        let stimuli = self.play(present.clone())?.stimuli;
        let all: Vec<_> = (0..stimuli).filter(|number| !present.stimuli.contains(number)).collect();
        let without = |kept: &[usize]| {
            let kept: BTreeSet<_> = kept.iter().copied().collect();
            let stimuli: BTreeSet<_> = (0..stimuli).filter(|number| !kept.contains(number)).collect();
            // Whoever never begins meets with no fault.
            let faults = present.faults.iter().copied().filter(|(actor, _)| !stimuli.contains(actor));
            Omissions { faults: faults.collect(), stimuli }
        };
        let kept = smallest(all, |kept| self.breaks(without(kept)))?;
        self.scenario.without = without(&kept);
        Ok(())
    }

    fn leave_out_faults(&mut self) -> rusqlite::Result<()> {
        let present = self.scenario.without.clone();
        let all = self.play(present.clone())?.faults;
        let without = |kept: &[_]| {
            let left_out = all.iter().copied().filter(|fault| !kept.contains(fault));
            let faults = present.faults.iter().copied().chain(left_out).collect();
            Omissions { faults, ..present.clone() }
        };
        let kept = smallest(all.clone(), |kept| self.breaks(without(kept)))?;
        self.scenario.without = without(&kept);
        Ok(())
    }

    /// Faults that were left out of longer histories may not be met in this one. Whether
    /// they are on the list makes no difference to it, so they go.
    fn forget_what_is_not_met(&mut self) -> rusqlite::Result<()> {
        let present = self.scenario.without.clone();
        let history = self.play(present.clone())?.history;
        let all: Vec<_> = present.faults.iter().copied().collect();
        let without =
            |faults: &[_]| Omissions { faults: faults.iter().copied().collect(), ..present.clone() };
        let needed = smallest(all, |faults| {
            Ok::<_, rusqlite::Error>(self.plays < self.most && self.play(without(faults))?.history == history)
        })?;
        self.scenario.without = without(&needed);
        Ok(())
    }
}
