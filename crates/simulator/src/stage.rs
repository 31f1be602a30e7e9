//! One schedule, from its seed to its end: the scheduler.
//!
//! Everything that goes on is a future that waits for nothing but its turn. There is one
//! queue of what is to happen; the scheduler takes the earliest, moves time there, and lets
//! the one future go on that it concerns. Nothing else ever decides who is next: there are
//! no threads, no timers and no wakers.

use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
};

use futures_util::future::BoxFuture;

use crate::{
    actors, calm,
    cast::Worker,
    database::Database,
    dice::Dice,
    fault::Profile,
    history::History,
    mutants::Mutant,
    omissions::Omissions,
    oracle::{Oracle, Rule, Violation},
    plan::Plan,
    stats::{Size, Stats},
    world::{Beginning, FaultId, Happening, Sim, World},
};

/// The number of the dice that decide which faults a schedule has.
const RATES: u64 = u64::MAX - 2;

/// Far more steps than any schedule has: whoever gets here goes round in circles.
const MOST_STEPS: u64 = 200_000;

/// What is to be played.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The seed, from which all else follows.
    pub seed: u64,
    /// How many midnights are played.
    pub days: i64,
    /// Which faults there may be.
    pub profile: Profile,
    /// Which rule is broken, if any.
    pub mutant: Arc<Mutant>,
    /// What is left out of what would happen.
    pub without: Omissions,
    /// Whether the history is written down.
    pub with_history: bool,
}

impl Scenario {
    /// The schedule of `seed`, with all faults and all rules.
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            days: 2,
            profile: Profile::all(),
            mutant: Arc::default(),
            without: Omissions::default(),
            with_history: false,
        }
    }

    /// The first schedule of a mutant, with all faults.
    pub fn of_mutant(mutant: Mutant) -> Self {
        Self { mutant: Arc::new(mutant), ..Self::new(0) }
    }
}

/// What came of a schedule.
#[derive(Debug)]
pub struct Played {
    /// What was counted.
    pub stats: Stats,
    /// The first invariant that did not hold.
    pub violation: Option<Violation>,
    /// The history, if it was asked for.
    pub history: History,
    /// How many stimuli there were.
    pub stimuli: usize,
    /// The faults that happened.
    pub faults: Vec<FaultId>,
}

/// Plays schedules one after another, on one database that is emptied in between.
pub struct Player {
    database: Option<Database>,
}

impl Player {
    /// A player with an empty database.
    ///
    /// # Errors
    /// An SQLite that does not take the migrations.
    pub fn new() -> rusqlite::Result<Self> {
        Ok(Self { database: Some(Database::new()?) })
    }

    /// Plays one schedule.
    ///
    /// # Errors
    /// An SQLite that cannot be used.
    pub fn play(&mut self, scenario: &Scenario) -> rusqlite::Result<Played> {
        let database = match self.database.take() {
            Some(database) => database,
            None => Database::new()?,
        };
        database.empty()?;
        let mut stage = Stage::new(scenario, database);
        stage.play();
        let (played, database) = stage.end();
        self.database = Some(database);
        Ok(played)
    }
}

type Task = BoxFuture<'static, ()>;

struct Stage {
    sim: Sim,
    workers: Vec<Worker>,
    tasks: Vec<Option<Task>>,
    stimuli: usize,
    size: Size,
}

impl Stage {
    fn new(scenario: &Scenario, database: Database) -> Self {
        let plan = Plan::new(scenario.seed, scenario.days);
        let rates = scenario.profile.rates(&mut Dice::new(scenario.seed, RATES));
        let history = if scenario.with_history { History::kept() } else { History::forgotten() };
        let sim = Sim::new(World::new(Beginning {
            seed: scenario.seed,
            now: plan.begins_at,
            database,
            rates,
            centres: plan.centres,
            mutant: scenario.mutant.clone(),
            oracle: Oracle::new(scenario.mutant.unseen.clone()),
            history,
            suppressed: scenario.without.faults.clone(),
        }));
        let stimuli = plan.stimuli.len();
        let size = Size {
            workers: plan.workers.len(),
            centres: plan.centres,
            items: 0,
            midnights: u64::try_from(scenario.days).unwrap_or(0),
        };
        let workers: Vec<_> = plan.workers.iter().map(|worker| Worker::new(&sim, worker.clone())).collect();
        {
            let mut world = sim.world();
            for (number, stimulus) in plan.stimuli.into_iter().enumerate() {
                let omitted = scenario.without.stimuli.contains(&number);
                world.plan(&plan.workers, stimulus, omitted);
            }
            world.look(0, None);
        }
        let mut stage = Self { sim, workers, tasks: Vec::new(), stimuli, size };
        stage.tasks.resize_with(stage.stimuli, || None);
        stage
    }

    /// Plays everything that was planned, and then, without faults, whatever is left.
    fn play(&mut self) {
        self.play_out();
        if self.sim.world().oracle.violation().is_some() {
            return;
        }
        let actor = {
            let mut world = self.sim.world();
            world.rates.calm();
            world.overloaded_until = i64::MIN;
            let actor = world.enter("afterwards".to_owned());
            world.current = actor;
            actor
        };
        let task = Box::pin(calm::settle(self.sim.clone(), self.workers.clone(), actor));
        self.begin(actor, task);
        self.play_out();
        if self.tasks[actor].is_some() {
            let mut world = self.sim.world();
            let steps = world.steps;
            world.check(Rule::EverythingComesOut, false, || format!("there is no end after {steps} steps"));
        }
    }

    fn play_out(&mut self) {
        loop {
            let next = {
                let mut world = self.sim.world();
                if world.oracle.violation().is_some() || world.steps > MOST_STEPS {
                    return;
                }
                match world.next() {
                    Some(next) => next,
                    None => return,
                }
            };
            self.go_on(next);
        }
    }

    fn go_on(&mut self, next: Happening) {
        match next {
            Happening::Begin(actor) => {
                let stimulus = self.sim.world().begin(actor);
                if let Some(stimulus) = stimulus {
                    let worker = self.workers[stimulus.worker].clone();
                    let task = Box::pin(actors::perform(self.sim.clone(), worker, actor, stimulus));
                    self.begin(actor, task);
                }
            }
            Happening::Wake { actor, wait } => self.wake(actor, wait),
            Happening::Arrive(number) => self.sim.world().carry_out(number),
            Happening::Keep { centre, key, entry } => {
                self.sim.world().caches[centre].insert(key, entry);
            }
        }
    }

    fn begin(&mut self, actor: usize, task: Task) {
        if self.tasks.len() <= actor {
            self.tasks.resize_with(actor + 1, || None);
        }
        self.tasks[actor] = Some(task);
        self.poll(actor);
    }

    fn wake(&mut self, actor: usize, wait: u64) {
        if self.tasks[actor].is_none() {
            return;
        }
        let dies = {
            let mut world = self.sim.world();
            world.current = actor;
            world.woken = wait;
            world.dies()
        };
        if dies {
            self.tasks[actor] = None;
        } else {
            self.poll(actor);
        }
    }

    fn poll(&mut self, actor: usize) {
        let Some(task) = &mut self.tasks[actor] else { return };
        let mut context = Context::from_waker(Waker::noop());
        if Pin::new(task).poll(&mut context) == Poll::Ready(()) {
            self.tasks[actor] = None;
        }
    }

    fn end(self) -> (Played, Database) {
        let Self { sim, workers, tasks, stimuli, size } = self;
        drop((workers, tasks));
        let mut world = sim.into_world();
        let violation = world.judge_the_end();
        let size = Size { items: world.oracle.state().items.len(), ..size };
        let World { stats, steps, history, faults, database, .. } = world;
        let stats = stats.of_one_schedule(steps, size);
        (Played { stats, violation, history, stimuli, faults }, database)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_goes_round_in_circles_is_found_out() {
        let mut stage = Stage::new(&Scenario::new(0), Database::new().unwrap());
        stage.sim.world().steps = MOST_STEPS;
        stage.play();
        let violation = stage.end().0.violation.unwrap();
        assert_eq!(violation.rule, Rule::EverythingComesOut);
        assert_eq!(violation.detail, "there is no end after 200001 steps");
    }
}
