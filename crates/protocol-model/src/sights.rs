//! What must be reachable: a model in which nothing happens keeps every promise.

use crate::{
    actor::{Doubt, Phase, Report},
    message::{Message, Task},
    model::{Bounds, Protocol, State},
    store::{Item, Lease, Store},
};

/// Something that can be seen in some state.
pub struct Sight {
    /// What is seen.
    pub name: &'static str,
    /// Whether it is seen in this one.
    pub is_seen: fn(&Protocol, &State) -> bool,
    takes: Takes,
}

/// What it takes to see something.
#[derive(Clone, Copy)]
enum Takes {
    Workers,
    Retries,
    Operator,
}

/// What is to be seen within these bounds.
pub fn of(bounds: &Bounds) -> impl Iterator<Item = &'static Sight> {
    let Bounds { operator, tries, .. } = *bounds;
    SIGHTS.iter().filter(move |sight| match sight.takes {
        Takes::Workers => true,
        Takes::Retries => tries.commit > 1,
        Takes::Operator => !operator.is_empty(),
    })
}

static SIGHTS: [Sight; 10] = [
    sight("the page is out", |_, state| state.store.item == Item::Published),
    sight("the page is out by a worker that took over from another", |_, state| {
        state.store.receipts.iter().any(|receipt| receipt.task == Task::Publish && receipt.fence > 1)
    }),
    sight("a stale worker was refused after its lease changed hands", |_, state| {
        (0..).zip(&state.actors).any(|(actor, it)| {
            let others = |lease: Lease| lease.owner.actor != actor;
            it.phase == Phase::Resting(Some(Report::LeaseLost)) && state.store.lease.is_some_and(others)
        })
    }),
    sight("a commit arrives late and is refused", |model, state| {
        late_commits(model, state).any(|(landed, _)| !landed)
    }),
    sight("a commit arrives late and lands, although its sender has ended", |model, state| {
        late_commits(model, state).any(|(landed, ended)| landed && ended)
    }),
    sight("an attempt without an answer is resolved as committed", |_, state| {
        has_report(state, Report::Found)
    }),
    retried("a refused attempt leads to the receipt of an earlier one", |_, state| {
        state.actors.iter().any(|actor| match actor.phase {
            Phase::Asking(landing, Doubt::Earlier(_)) => {
                state.store.receipts.iter().any(|receipt| receipt.token.owner == landing.hold.owner)
            }
            _ => false,
        })
    }),
    sight("a run ends without knowing, and its item is given back", |_, state| {
        has_report(state, Report::Unknown) && !state.store.given_back.is_empty()
    }),
    operated("a page is withdrawn", |_, state| state.store.page.is_some_and(|page| page.withdrawn)),
    operated("an item is withdrawn that has no page", |_, state| {
        state.store.item == Item::Withdrawn && state.store.page.is_none()
    }),
];

type IsSeen = fn(&Protocol, &State) -> bool;

const fn sight(name: &'static str, is_seen: IsSeen) -> Sight {
    Sight { name, is_seen, takes: Takes::Workers }
}

const fn retried(name: &'static str, is_seen: IsSeen) -> Sight {
    Sight { name, is_seen, takes: Takes::Retries }
}

const fn operated(name: &'static str, is_seen: IsSeen) -> Sight {
    Sight { name, is_seen, takes: Takes::Operator }
}

fn has_report(state: &State, report: Report) -> bool {
    state.actors.iter().any(|actor| actor.phase == Phase::Resting(Some(report)))
}

/// Of each commit that is on its way: whether it would land if it arrived now, and whether the
/// run that sent it has ended.
fn late_commits<'a>(model: &'a Protocol, state: &'a State) -> impl Iterator<Item = (bool, bool)> + 'a {
    state.late.iter().filter_map(|message| {
        let Message::Commit(attempt) = message else { return None };
        let mut store: Store = state.store.clone();
        let receipts = store.receipts.len();
        let landed = store.run(message, model.flaws).is_ok() && store.receipts.len() > receipts;
        let sender = &state.actors[usize::from(attempt.token.owner.actor)];
        let ended = sender.run > attempt.token.owner.run || matches!(sender.phase, Phase::Resting(_));
        Some((landed, ended))
    })
}
