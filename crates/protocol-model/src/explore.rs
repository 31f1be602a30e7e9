//! Going through every state.

use stateright::{Checker, Model};

use crate::{
    model::{Protocol, Sought, State},
    promises::{ALL_KEPT, PROMISES},
    sights, story,
};

/// What was found in every state there is.
pub struct Survey {
    /// How many states there are.
    pub states: usize,
    /// How many steps lead to the farthest of them.
    pub depth: usize,
    /// What is to be seen, and whether it was.
    pub sights: Vec<(&'static str, bool)>,
    /// What breaks a promise, if anything does.
    pub counterexample: Option<Counterexample>,
}

/// What a hunt for a breach came to.
pub struct Hunt {
    /// How many states it met.
    pub states: usize,
    /// The breach.
    pub counterexample: Option<Counterexample>,
}

/// A history in as few steps as can be, after which a promise is broken.
pub struct Counterexample {
    /// The promises that its last state breaks.
    pub broken: Vec<&'static str>,
    /// Its steps, in words.
    pub steps: Vec<String>,
}

/// Goes through every state.
pub fn survey(model: Protocol) -> Survey {
    let checker = Protocol { sought: Sought::Everything, ..model }.checker().spawn_bfs().join();
    let discoveries = checker.discoveries();
    let sights = sights::of(&model.bounds);
    Survey {
        states: checker.unique_state_count(),
        depth: checker.max_depth() - 1,
        sights: sights.map(|sight| (sight.name, discoveries.contains_key(sight.name))).collect(),
        counterexample: discoveries
            .contains_key(ALL_KEPT)
            .then(|| hunt(Protocol { sought: Sought::AnyBreach, ..model }).counterexample)
            .flatten(),
    }
}

/// Goes through the states until one breaks what the model is sought for.
///
/// One thread, breadth first, one property: so there is no shorter way to a breach. With more
/// than one property, the search would go on, and report the last breach of a block of states.
pub fn hunt(model: Protocol) -> Hunt {
    let checker = model.checker().spawn_bfs().join();
    let counterexample = checker.discovery(ALL_KEPT).map(|path| {
        let mut steps = Vec::new();
        let mut before: Option<(State, _)> = None;
        for (state, step) in path.into_vec() {
            if let Some((last, Some(step))) = before.replace((state.clone(), step)) {
                steps.push(story::tell(&model, &last, step, &state));
            }
        }
        let broken = before.iter().flat_map(|(state, _)| {
            PROMISES.iter().filter(|promise| !(promise.holds)(&model, state)).map(|promise| promise.name)
        });
        Counterexample { broken: broken.collect(), steps }
    });
    Hunt { states: checker.unique_state_count(), counterexample }
}
