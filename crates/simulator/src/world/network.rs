//! The way to the database: how a request fares, and what it is told.

use fencepost_ports::{StoreError, StoreErrorKind};

use super::{ActorId, Happening, World};
use crate::{
    database::{Call, Rows},
    fault::Fault,
    mutants::Policy,
    oracle::Rule,
};

/// What every request asks first.
const MOMENT: &str = "revision_source/moment";

/// A request to the database.
pub(super) struct Sent {
    /// Until it is carried out.
    call: Option<Call>,
    by: ActorId,
    answer: Option<Result<Rows, StoreError>>,
}

/// How a request fares, decided when it is sent.
pub(crate) struct Passage {
    /// The request, if its answer comes back.
    pub(crate) answered: Option<usize>,
    /// When its sender goes on.
    pub(crate) back_at: i64,
}

impl World {
    /// Sends a call to the database, and decides how it fares.
    pub(crate) fn send(&mut self, call: Call) -> Passage {
        let writes = call.writes();
        let number = self.sent.len();
        let (there, back) = (self.dice().between(1, 12), self.dice().between(1, 12));
        // Frozen before it sends, or before it hears.
        let stalls = [self.stalls(), self.stalls()];
        let sent_at = self.now + stalls[0];
        let (arrives, answers) = (sent_at + there, sent_at + there + back + stalls[1]);
        let gives_up = sent_at + self.dice().between(500, 30_000);
        let late = self.dice().between(1_000, 1_200_000);
        let lost = self.strikes(Fault::RequestLost);
        let answer_lost = self.strikes(Fault::AnswerLost);
        let delivered_late = writes && self.delivers_late();
        self.sent.push(Sent { call: Some(call), by: self.current, answer: None });
        if lost {
            return Passage { answered: None, back_at: gives_up };
        }
        if delivered_late {
            self.schedule(gives_up + late, Happening::Arrive(number));
            return Passage { answered: None, back_at: gives_up };
        }
        self.schedule(arrives, Happening::Arrive(number));
        if answer_lost {
            return Passage { answered: None, back_at: gives_up.max(arrives) };
        }
        Passage { answered: Some(number), back_at: answers }
    }

    /// Whether the present actor's write arrives after it has given up.
    fn delivers_late(&mut self) -> bool {
        let many = u32::try_from(self.dice().between(2, 6)).unwrap_or(2);
        if self.strikes(Fault::CutOff) {
            self.actor().cut_off = many;
        }
        let left = self.actor().cut_off;
        self.actor().cut_off = left.saturating_sub(1);
        self.strikes(Fault::DeliveredLate) || left > 0
    }

    /// An answer that a program remembers which does not ask.
    pub(crate) fn remembered(&self, call: &Call) -> Option<Rows> {
        let remembers = self.mutant.policy == Policy::RevisionRemembered && call.name() == MOMENT;
        let (at, rows) = self.moment.as_ref().filter(|_| remembers)?;
        (self.now - at < 1_000).then(|| rows.clone())
    }

    /// The present actor has got an answer, or has given up.
    pub(crate) fn answered(&mut self, name: &str, answer: &Result<Rows, StoreError>) {
        let now = self.now;
        match answer {
            Ok(rows) if name == MOMENT => self.moment = Some((now, rows.clone())),
            _ => {}
        }
        if name.starts_with("commit/") && name.ends_with("_page") {
            let lost = answer.as_ref().is_err_and(StoreError::may_have_written);
            let actor = self.actor();
            actor.unanswered = if lost { actor.token.clone() } else { None };
        }
    }

    /// For how long the present actor stands still.
    fn stalls(&mut self) -> i64 {
        let length = self.dice().between(1_000, 480_000);
        if self.strikes(Fault::Stall) { length } else { 0 }
    }

    /// A request has arrived: the database carries it out.
    pub(crate) fn carry_out(&mut self, number: usize) {
        let Sent { by, ref mut call, .. } = self.sent[number];
        let Some(call) = call.take() else { return };
        self.current = by;
        if self.now < self.overloaded_until {
            self.actors[by].troubled = true;
            self.note(|| format!("{} -> the database is overloaded", call.name()));
            self.sent[number].answer =
                Some(Err(StoreError::new(StoreErrorKind::Busy, "the database is overloaded")));
            return;
        }
        let drift =
            if call.writes() && self.strikes(Fault::ClockDrifts) { self.dice().between(1, 500) } else { 0 };
        let mut clock = self.clock();
        let mut tick = || {
            let now = clock;
            clock += drift;
            now
        };
        let answer = self.database.run(&call, &self.mutant.sql, &mut tick);
        self.note(|| format!("{} {}", call.name(), told(&answer)));
        self.stats.statements += call.writes.len() as u64 + 1;
        let agrees = call.raises || answer.is_ok();
        self.check(Rule::StoreAgrees, agrees, || format!("{} {}", call.name(), told(&answer)));
        self.sent[number].answer = Some(answer);
        self.look(drift, Some((by, call.name())));
    }

    /// The answer to a request.
    pub(crate) fn collect(&mut self, number: usize) -> Result<Rows, StoreError> {
        let answer = self.sent[number].answer.take();
        answer.unwrap_or_else(|| Err(StoreError::unknown("the answer was not there")))
    }
}

fn told(answer: &Result<Rows, StoreError>) -> String {
    match answer {
        Ok(rows) => rows.told(),
        Err(error) => format!("-> {error}"),
    }
}
