//! The state of everything, and what may happen next.
//!
//! A step of an actor is one request and its fate. Between two steps of an actor any number of
//! others may come, so a step that takes its time is the same as one that is taken later, and a
//! lost message the same as one that would have been the next to arrive.

use stateright::{Model, Property};

use crate::{
    actor::{Actor, Phase, Report, Request, Run, Tries},
    flaw::Flaws,
    message::{Message, Owner, Task},
    promises::{ALL_KEPT, PROMISES, Promise},
    sights,
    store::Store,
};

/// How far the model goes.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// How many runs each of the two workers makes.
    pub runs: u8,
    /// What the operator does, one run after the other.
    pub operator: &'static [Task],
    /// How often each step is tried.
    pub tries: Tries,
    /// How many late messages are on their way at once.
    pub late: usize,
}

/// The protocol within its bounds, with its flaws.
#[derive(Clone, Copy, Debug)]
pub struct Protocol {
    /// How far it goes.
    pub bounds: Bounds,
    /// What is wrong with it.
    pub flaws: Flaws,
    /// What is looked for.
    pub sought: Sought,
}

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub enum Sought {
    /// A broken promise, and everything that ought to be seen. The search goes through every
    /// state, and on after a broken promise.
    Everything,
    /// A broken promise. The search ends there, after as few steps as can be.
    AnyBreach,
    /// A breach of this promise, in the same way.
    Breach(&'static Promise),
}

/// The state of everything.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// What is stored.
    pub store: Store,
    /// The workers, and then the operator, who may have nothing to do.
    pub actors: [Actor; ACTORS],
    /// What is still on its way although its sender has given up waiting, in order.
    pub late: Vec<Message>,
}

/// What becomes of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrives, and so does its answer.
    Answered,
    /// It arrives, and its answer does not.
    AnswerLost,
    /// Its sender gives up, and it arrives later, or never.
    Late,
    /// It does not arrive.
    Lost,
}

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// An actor sends its next request.
    Send(u8, Fate),
    /// An actor dies in the middle of a run. Its next run knows nothing of this one.
    Crash(u8),
    /// The lease runs out.
    Expire,
    /// A late message arrives.
    Arrive(Message),
}

/// How many actors there are: two workers and an operator.
pub const ACTORS: usize = 3;

/// The operator's place among them: the last.
pub const OPERATOR: u8 = 2;

impl Protocol {
    /// The run that an actor is in, or would begin; `None` if it has made all of its runs.
    pub fn run(&self, actor: u8, state: &Actor) -> Option<Run> {
        let resting = matches!(state.phase, Phase::Resting(_));
        let run = if resting { state.run + 1 } else { state.run };
        let task = if actor == OPERATOR {
            *self.bounds.operator.get(usize::from(run) - 1)?
        } else {
            (run <= self.bounds.runs).then_some(Task::Publish)?
        };
        Some(Run { owner: Owner { actor, run }, task, tries: self.bounds.tries, flaws: self.flaws })
    }

    fn send(&self, state: &mut State, actor: u8, fate: Fate) -> Option<()> {
        let State { store, actors, late } = state;
        let it = &mut actors[usize::from(actor)];
        let run = self.run(actor, it)?;
        let request = it.request(&run);
        it.run = run.owner.run;
        let raised = match (request, fate) {
            (Request::Write(message), Fate::Answered | Fate::AnswerLost) => {
                store.run(&message, self.flaws).err()
            }
            (Request::Write(message), Fate::Late) => {
                let place = late.partition_point(|other| *other <= message);
                late.insert(place, message);
                None
            }
            _ => None,
        };
        if fate == Fate::Answered {
            it.hear(&run, raised, store);
        } else {
            it.hear_nothing(&run);
        }
        Some(())
    }
}

impl Model for Protocol {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        vec![State { store: Store::default(), actors: [Actor::FRESH; ACTORS], late: Vec::new() }]
    }

    fn actions(&self, state: &State, steps: &mut Vec<Step>) {
        for (actor, it) in (0..).zip(&state.actors) {
            let Some(run) = self.run(actor, it) else { continue };
            let fates: &[Fate] = match it.request(&run) {
                Request::LookUp => &[Fate::Answered, Fate::Lost],
                Request::Write(_) if state.late.len() < self.bounds.late => {
                    &[Fate::Answered, Fate::AnswerLost, Fate::Late, Fate::Lost]
                }
                Request::Write(_) => &[Fate::Answered, Fate::AnswerLost, Fate::Lost],
            };
            steps.extend(fates.iter().map(|fate| Step::Send(actor, *fate)));
            if !matches!(it.phase, Phase::Resting(_)) {
                steps.push(Step::Crash(actor));
            }
        }
        if state.store.lease.is_some_and(|lease| lease.live) {
            steps.push(Step::Expire);
        }
        let mut before = None;
        for message in &state.late {
            if before.replace(message) != Some(message) {
                steps.push(Step::Arrive(*message));
            }
        }
    }

    fn next_state(&self, last: &State, step: Step) -> Option<State> {
        let mut state = last.clone();
        match step {
            Step::Send(actor, fate) => self.send(&mut state, actor, fate)?,
            Step::Crash(actor) => {
                state.actors[usize::from(actor)].phase = Phase::Resting(Some(Report::Crashed));
            }
            Step::Expire => state.store.expire(),
            Step::Arrive(message) => {
                let place = state.late.binary_search(&message).ok()?;
                state.late.remove(place);
                // Nobody is left to hear that it raised an error.
                let _unheard = state.store.run(&message, self.flaws);
            }
        }
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = vec![Property::always(ALL_KEPT, |model: &Self, state| match model.sought {
            Sought::Breach(promise) => (promise.holds)(model, state),
            Sought::Everything | Sought::AnyBreach => {
                PROMISES.iter().all(|promise| (promise.holds)(model, state))
            }
        })];
        if matches!(self.sought, Sought::Everything) {
            let sights = sights::of(&self.bounds);
            properties.extend(sights.map(|sight| Property::sometimes(sight.name, sight.is_seen)));
        }
        properties
    }
}
