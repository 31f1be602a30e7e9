//! What an actor does next, and what it makes of an answer.
//!
//! An actor knows what it was told and nothing else. Rendering is not a step: it touches
//! nothing, and an actor may stand still before any of its steps for as long as the others like.
//! Neither is the list of due items: it is a hint, and the claim asks everything again.

use crate::{
    flaw::{Flaw, Flaws},
    message::{Attempt, Hold, Message, Owner, Task, Token},
    store::{Item, Raised, Store},
};

/// What holds for all of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Whose it is.
    pub owner: Owner,
    /// What it is for.
    pub task: Task,
    /// How long it tries.
    pub tries: Tries,
    /// What is wrong with the protocol.
    pub flaws: Flaws,
}

/// How often each step of a run is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tries {
    /// A claim, a take-over.
    pub begin: u8,
    /// A commit.
    pub commit: u8,
    /// Giving back, releasing, moving an item that has no page.
    pub end: u8,
}

/// How a run ended, as its actor tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Report {
    /// There was nothing to do, or it was in other hands.
    Nothing,
    /// The commit landed: its answer said so.
    Landed,
    /// The commit landed: its answer was lost, and its receipt was found.
    Found,
    /// An item that has no page was moved.
    Moved,
    /// Nothing landed, and nothing will: the lease is another's, or has run out.
    LeaseLost,
    /// Nothing landed, and nothing will: somebody else was first.
    Conflict,
    /// The store raised an error.
    Failed,
    /// Whatever happened will be seen by the next run.
    Unknown,
    /// Died.
    Crashed,
}

/// Why receipts are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Doubt {
    /// The last attempt got no answer.
    Silence,
    /// The last attempt ended like this, and an earlier one got no answer.
    Earlier(Report),
}

/// What is to be committed, and what came of it so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Landing {
    /// What is in hand.
    pub hold: Hold,
    /// The version of the page that was seen.
    pub seen: u8,
    /// How many attempts were sent.
    pub sent: u8,
    /// Which of them got no answer: a bit for each.
    pub unanswered: u8,
}

/// Where an actor stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Between two runs, or after the last.
    Resting(Option<Report>),
    /// Has asked this often for the item, without an answer.
    Beginning(u8),
    /// Is about to send an attempt.
    Committing(Landing),
    /// Is about to look for receipts.
    Asking(Landing, Doubt),
    /// Has tried this often to end the run with this message, without an answer.
    Ending(Message, Report, u8),
}

/// A worker or an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Actor {
    /// How many runs it has begun.
    pub run: u8,
    /// Where it stands.
    pub phase: Phase,
}

/// What an actor asks of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// A batch.
    Write(Message),
    /// What became of the attempts that got no answer.
    LookUp,
}

impl Actor {
    /// Before its first run.
    pub const FRESH: Self = Self { run: 0, phase: Phase::Resting(None) };

    /// What it asks next; a resting one begins another run.
    pub fn request(&self, run: &Run) -> Request {
        match self.phase {
            Phase::Resting(_) | Phase::Beginning(_) => Request::Write(match run.task {
                Task::Publish => Message::Claim(run.owner),
                Task::Withdraw | Task::Reinstate => Message::TakeOver(run.owner),
            }),
            Phase::Committing(landing) => Request::Write(Message::Commit(landing.next_attempt(run))),
            Phase::Asking(..) => Request::LookUp,
            Phase::Ending(message, ..) => Request::Write(message),
        }
    }

    /// Its request was answered: `raised` is the store's error, if it raised one, and `store`
    /// what the answer was read from.
    pub fn hear(&mut self, run: &Run, raised: Option<Raised>, store: &Store) {
        self.phase = match self.phase {
            Phase::Resting(_) | Phase::Beginning(_) => begun(run, store),
            Phase::Committing(landing) => attempted(landing, run, raised, store),
            Phase::Asking(landing, doubt) => looked_up(landing, doubt, run, store),
            Phase::Ending(message, report, _) => Phase::Resting(Some(ended(message, report, store))),
        };
    }

    /// Its request got no answer.
    pub fn hear_nothing(&mut self, run: &Run) {
        let unknown = Phase::Resting(Some(Report::Unknown));
        self.phase = match self.phase {
            Phase::Resting(_) if run.tries.begin > 1 => Phase::Beginning(1),
            Phase::Beginning(tried) if tried + 1 < run.tries.begin => Phase::Beginning(tried + 1),
            Phase::Resting(_) | Phase::Beginning(_) => unknown,
            Phase::Committing(landing) => {
                let landing = landing.unanswered(run);
                if run.flaws.has(Flaw::SilenceIsRefusal) {
                    without_commit(landing.hold, Report::Conflict)
                } else {
                    Phase::Asking(landing, Doubt::Silence)
                }
            }
            // Trying on is safe: every attempt has a token of its own.
            Phase::Asking(landing, Doubt::Silence) => landing.try_on(run),
            Phase::Asking(landing, Doubt::Earlier(_)) => without_commit(landing.hold, Report::Unknown),
            Phase::Ending(message, report, tried) if tried + 1 < run.tries.end => {
                Phase::Ending(message, report, tried + 1)
            }
            Phase::Ending(..) => unknown,
        };
    }
}

/// One run of a worker whom nothing befalls.
pub fn run_through(flaws: Flaws, owner: Owner, store: &mut Store) {
    let tries = Tries { begin: 1, commit: 1, end: 1 };
    let run = Run { owner, task: Task::Publish, tries, flaws };
    let mut worker = Actor { run: owner.run, phase: Phase::Beginning(0) };
    while !matches!(worker.phase, Phase::Resting(_)) {
        let raised = match worker.request(&run) {
            Request::Write(message) => store.run(&message, flaws).err(),
            Request::LookUp => None,
        };
        worker.hear(&run, raised, store);
    }
}

impl Landing {
    fn next_attempt(&self, run: &Run) -> Attempt {
        let attempt = if run.flaws.has(Flaw::SameToken) { 1 } else { self.sent + 1 };
        Attempt { token: Token { owner: run.owner, attempt }, hold: self.hold, seen: self.seen }
    }

    fn unanswered(self, run: &Run) -> Self {
        let attempt = self.next_attempt(run).token.attempt;
        Self { sent: self.sent + 1, unanswered: self.unanswered | 1 << attempt, ..self }
    }

    fn try_on(self, run: &Run) -> Phase {
        if self.sent < run.tries.commit {
            Phase::Committing(self)
        } else {
            without_commit(self.hold, Report::Unknown)
        }
    }

    /// Whether one of the attempts without an answer has landed.
    fn has_landed(&self, run: &Run, store: &Store) -> bool {
        let is_mine = |token: Token| token.owner == run.owner && self.unanswered & (1 << token.attempt) != 0;
        if run.flaws.has(Flaw::PageInsteadOfReceipts) {
            return store.page.is_some_and(|page| is_mine(page.token));
        }
        store.receipts.iter().any(|receipt| is_mine(receipt.token))
    }
}

fn begun(run: &Run, store: &Store) -> Phase {
    let Some(lease) = store.lease_of(run.owner) else { return Phase::Resting(Some(Report::Nothing)) };
    let hold = Hold { owner: run.owner, fence: lease.fence, task: run.task };
    let landing = Landing { hold, seen: store.version(), sent: 0, unanswered: 0 };
    match (run.task, store.item, store.page) {
        (Task::Publish, Item::Processing, _)
        | (Task::Withdraw, Item::Published, Some(_))
        | (Task::Reinstate, Item::Withdrawn, Some(_)) => Phase::Committing(landing),
        (Task::Withdraw, Item::Scheduled | Item::Processing, None)
        | (Task::Reinstate, Item::Withdrawn, None) => {
            Phase::Ending(Message::MoveWithoutPage(hold), Report::Moved, 0)
        }
        _ => without_commit(hold, Report::Nothing),
    }
}

/// The answer to an attempt, judged by what was read back.
fn attempted(landing: Landing, run: &Run, raised: Option<Raised>, store: &Store) -> Phase {
    let report = match raised {
        Some(Raised) => Report::Failed,
        None if store.carries(landing.next_attempt(run).token) => Report::Landed,
        None if run.flaws.has(Flaw::NoErrorIsSuccess) => Report::Landed,
        None if !store.is_live_for(landing.hold) => Report::LeaseLost,
        None => Report::Conflict,
    };
    if report == Report::Landed || landing.unanswered == 0 {
        without_commit(landing.hold, report)
    } else {
        // An earlier attempt may be the very reason why this one was refused.
        Phase::Asking(landing, Doubt::Earlier(report))
    }
}

fn looked_up(landing: Landing, doubt: Doubt, run: &Run, store: &Store) -> Phase {
    match doubt {
        _ if landing.has_landed(run, store) => Phase::Resting(Some(Report::Found)),
        Doubt::Earlier(report) => without_commit(landing.hold, report),
        Doubt::Silence if store.version() != landing.seen => without_commit(landing.hold, Report::Conflict),
        // Whose lease has run out tries no more; if it is another's by now, the guard says so.
        Doubt::Silence if !store.lease.is_some_and(|lease| lease.live) => {
            without_commit(landing.hold, Report::Unknown)
        }
        Doubt::Silence => landing.try_on(run),
    }
}

/// How a run goes on that has nothing more to commit.
fn without_commit(hold: Hold, report: Report) -> Phase {
    match (report, hold.task) {
        (Report::Landed | Report::LeaseLost, _)
        | (Report::Unknown | Report::Failed, Task::Withdraw | Task::Reinstate) => {
            Phase::Resting(Some(report))
        }
        (_, Task::Publish) => Phase::Ending(Message::GiveBack(hold), report, 0),
        (_, Task::Withdraw | Task::Reinstate) => Phase::Ending(Message::Release(hold), report, 0),
    }
}

fn ended(message: Message, report: Report, store: &Store) -> Report {
    let reached = match message {
        Message::MoveWithoutPage(Hold { task: Task::Withdraw, .. }) => store.item == Item::Withdrawn,
        Message::MoveWithoutPage(Hold { task: Task::Reinstate, .. }) => store.item == Item::Scheduled,
        _ => true,
    };
    if reached { report } else { Report::LeaseLost }
}
