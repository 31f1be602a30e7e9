//! Everything that is outside of the workers: time, the database, the network to it, the
//! stores of photos, the caches, and what was seen of all that.
//!
//! The world is one thread's. Its mutex is never waited for; it is there because ports are
//! `Send` and `Sync` on every target.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::http::HeaderValue;
use fencepost_domain::{cache_key::CacheKey, image::ImageKey};
use fencepost_ports::CacheEntry;

use crate::{
    database::{Database, Rows},
    dice::Dice,
    fault::{Fault, Rates},
    history::History,
    mutants::Mutant,
    oracle::{Oracle, Rule},
    plan::{Stimulus, WorkerPlan},
    stats::Stats,
};

mod due;
use due::Due;
pub(crate) use due::Happening;

mod network;
use network::Sent;

mod judging;

/// A handle to the world.
#[derive(Clone)]
pub(crate) struct Sim(Arc<Mutex<World>>);

impl Sim {
    pub(crate) fn new(world: World) -> Self {
        Self(Arc::new(Mutex::new(world)))
    }

    /// The world, once nobody else knows it.
    pub(crate) fn into_world(self) -> World {
        let world = Arc::into_inner(self.0).expect("whoever knew the world is gone");
        world.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who does something: the number of what it was begun by.
pub(crate) type ActorId = usize;

/// One fault that happened: whom it hit, and the number of his opportunity.
pub(crate) type FaultId = (ActorId, u32);

/// What the world knows of one actor.
pub(crate) struct Actor {
    pub(crate) name: String,
    pub(crate) dice: Dice,
    /// How many opportunities for faults it has had.
    opportunities: u32,
    /// How often it may still wake up before it dies.
    pub(crate) wakes_left: Option<u32>,
    /// Whether a fault has hit it because of which a request may fail.
    pub(crate) troubled: bool,
    /// How many names it has drawn.
    pub(crate) drawn: u32,
    /// How many of its next writes arrive late.
    cut_off: u32,
    /// The token of its last attempt, and that of one that got no answer.
    pub(crate) token: Option<String>,
    pub(crate) unanswered: Option<String>,
    /// The name of the cache's entry that it asked for last.
    pub(crate) asked: Option<CacheKey>,
}

pub(crate) struct World {
    pub(crate) now: i64,
    /// How far the database's clock is ahead.
    pub(crate) offset: i64,
    pub(crate) database: Database,
    pub(crate) steps: u64,
    pub(crate) actors: Vec<Actor>,
    pub(crate) current: ActorId,
    pub(crate) overloaded_until: i64,
    pub(crate) rates: Rates,
    pub(crate) blobs: BTreeMap<ImageKey, Vec<u8>>,
    pub(crate) caches: Vec<BTreeMap<CacheKey, Arc<CacheEntry>>>,
    /// What readers keep of each address, under its tag.
    pub(crate) copies: BTreeMap<String, (HeaderValue, Vec<u8>)>,
    pub(crate) mutant: Arc<Mutant>,
    pub(crate) oracle: Oracle,
    pub(crate) stats: Stats,
    pub(crate) history: History,
    pub(crate) faults: Vec<FaultId>,
    pub(crate) suppressed: BTreeSet<FaultId>,
    pub(crate) seed: u64,
    stimuli: Vec<Stimulus>,
    queue: BinaryHeap<Reverse<Due>>,
    numbered: u64,
    waits: u64,
    /// The wait that is over.
    pub(crate) woken: u64,
    sent: Vec<Sent>,
    /// The last answer to the question for time and revision.
    moment: Option<(i64, Rows)>,
    ties: Dice,
}

/// How a world begins.
pub(crate) struct Beginning {
    pub(crate) seed: u64,
    pub(crate) now: i64,
    pub(crate) database: Database,
    pub(crate) rates: Rates,
    pub(crate) centres: usize,
    pub(crate) mutant: Arc<Mutant>,
    pub(crate) oracle: Oracle,
    pub(crate) history: History,
    pub(crate) suppressed: BTreeSet<FaultId>,
}

/// Who stocks the bank: whoever comes first.
const STOCKING: ActorId = 0;

/// The number of the dice that break ties.
const TIES: u64 = u64::MAX;

impl World {
    pub(crate) fn new(beginning: Beginning) -> Self {
        let Beginning { seed, now, database, rates, centres, mutant, oracle, history, suppressed } =
            beginning;
        Self {
            now,
            offset: 0,
            database,
            steps: 0,
            actors: Vec::new(),
            current: 0,
            overloaded_until: i64::MIN,
            rates,
            blobs: BTreeMap::new(),
            caches: vec![BTreeMap::new(); centres],
            copies: BTreeMap::new(),
            mutant,
            oracle,
            stats: Stats::default(),
            history,
            faults: Vec::new(),
            suppressed,
            seed,
            stimuli: Vec::new(),
            queue: BinaryHeap::new(),
            numbered: 0,
            waits: 0,
            woken: 0,
            sent: Vec::new(),
            moment: None,
            ties: Dice::new(seed, TIES),
        }
    }

    /// The database's clock.
    pub(crate) fn clock(&self) -> i64 {
        self.now + self.offset
    }

    /// Somebody who is going to do something.
    pub(crate) fn enter(&mut self, name: String) -> ActorId {
        let actor = self.actors.len();
        let dice = Dice::new(self.seed, actor as u64);
        self.actors.push(Actor {
            name,
            dice,
            opportunities: 0,
            wakes_left: None,
            troubled: false,
            drawn: 0,
            cut_off: 0,
            token: None,
            unanswered: None,
            asked: None,
        });
        actor
    }

    pub(crate) fn actor(&mut self) -> &mut Actor {
        &mut self.actors[self.current]
    }

    pub(crate) fn dice(&mut self) -> &mut Dice {
        &mut self.actor().dice
    }

    /// Whether a fault happens to the present actor now.
    pub(crate) fn strikes(&mut self, fault: Fault) -> bool {
        // The bank is stocked in peace, so that every schedule is about all of its puzzles.
        if self.current == STOCKING {
            return false;
        }
        let rate = self.rates.of(fault);
        let (current, actor) = (self.current, &mut self.actors[self.current]);
        actor.opportunities += 1;
        let id = (current, actor.opportunities);
        if !actor.dice.happens(rate) || self.suppressed.contains(&id) {
            return false;
        }
        self.faults.push(id);
        self.stats.fault(fault);
        self.actors[current].troubled |= fault.excuses();
        self.note(|| format!("FAULT {}", fault.as_str()));
        true
    }

    pub(crate) fn schedule(&mut self, at: i64, what: Happening) {
        let (tie, number) = (self.ties.tie(), self.numbered);
        self.numbered += 1;
        self.queue.push(Reverse(Due { at: at.max(self.now), tie, number, what }));
    }

    /// What happens next; time moves there.
    pub(crate) fn next(&mut self) -> Option<Happening> {
        let Reverse(due) = self.queue.pop()?;
        self.now = due.at;
        self.steps += 1;
        Some(due.what)
    }

    /// Wakes the present actor at `at`. The number tells this wait from others.
    pub(crate) fn wake_at(&mut self, at: i64) -> u64 {
        self.waits += 1;
        let (actor, wait) = (self.current, self.waits);
        self.schedule(at, Happening::Wake { actor, wait });
        wait
    }

    /// Somebody begins something; it may never finish it.
    pub(crate) fn begin(&mut self, actor: ActorId) -> Option<Stimulus> {
        self.current = actor;
        let wakes = u32::try_from(self.dice().between(1, 40)).unwrap_or(1);
        if self.strikes(Fault::Death) {
            self.actor().wakes_left = Some(wakes);
        }
        self.stimuli.get(actor).cloned()
    }

    /// Whether the present actor ends here, wherever it stands.
    pub(crate) fn dies(&mut self) -> bool {
        let Some(left) = &mut self.actor().wakes_left else { return false };
        *left -= 1;
        let dies = *left == 0;
        if dies {
            self.note(|| "dies".to_owned());
        }
        dies
    }

    /// Something comes from outside, beside what was planned.
    pub(crate) fn add(&mut self, stimulus: Stimulus) {
        let name = format!("#{} again, after {}", self.actors.len(), self.actor().name);
        self.enter_with(name, stimulus, false);
    }

    /// Something is going to come from outside.
    pub(crate) fn plan(&mut self, workers: &[WorkerPlan], stimulus: Stimulus, omitted: bool) {
        let name = format!("#{} {} {}", self.actors.len(), workers[stimulus.worker].name, stimulus.what);
        self.enter_with(name, stimulus, omitted);
    }

    fn enter_with(&mut self, name: String, stimulus: Stimulus, omitted: bool) {
        let actor = self.enter(name);
        if !omitted {
            self.schedule(stimulus.at, Happening::Begin(actor));
        }
        self.stimuli.push(stimulus);
    }

    /// The database's clock jumps.
    pub(crate) fn jump(&mut self, ms: i64) {
        self.offset += ms;
        let (now, clock) = (self.now, self.clock());
        self.oracle.clock_moved(now, clock);
    }

    /// Somebody may delete the lease of a puzzle by hand, to free it.
    pub(crate) fn forget_lease(&mut self, puzzle: i64) {
        if !self.strikes(Fault::LeasesForgotten) {
            return;
        }
        self.oracle.forget_lease(puzzle);
        let sql = "DELETE FROM job_leases WHERE key = 'publication:' || ?1";
        let deleted = self.database.connection.execute(sql, [puzzle]);
        self.check(Rule::StoreAgrees, deleted.is_ok(), || format!("{deleted:?}"));
        self.look(0, None);
    }

    /// Writes into the history, if anybody keeps one.
    pub(crate) fn note(&mut self, line: impl FnOnce() -> String) {
        let (step, now, clock) = (self.steps, self.now, self.clock());
        let actor = self.actors.get(self.current).map_or("", |actor| actor.name.as_str());
        self.history.note(step, now, clock, actor, line);
    }
}
