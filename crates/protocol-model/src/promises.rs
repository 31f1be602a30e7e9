//! What must hold in every state, whatever happened.

use crate::{
    actor::{Phase, Report, run_through},
    message::{Owner, Task},
    model::{OPERATOR, Protocol, State},
    store::{Item, Store},
};

/// A promise.
#[derive(Debug)]
pub struct Promise {
    /// What is promised, as a sentence.
    pub name: &'static str,
    /// Whether a state keeps it.
    pub holds: fn(&Protocol, &State) -> bool,
}

/// All of them, as one property.
pub const ALL_KEPT: &str = "every promise is kept";

/// Every promise.
pub static PROMISES: [Promise; 14] = [
    Promise {
        name: "the receipts have the revisions from 1 to the site's, each once",
        holds: |_, state| {
            let revisions = state.store.receipts.iter().map(|receipt| receipt.revision);
            revisions.eq(1..=state.store.revision)
        },
    },
    Promise {
        name: "a page has as many receipts as its version says, and no page none",
        holds: |_, state| state.store.receipts.len() == usize::from(state.store.version()),
    },
    Promise { name: "a page is published at most once", holds: |_, state| publications(&state.store) <= 1 },
    Promise {
        name: "the state of the item is that of its page",
        holds: |_, state| state.store.item_fits_page(),
    },
    Promise {
        name: "the page carries the token of the newest receipt",
        holds: |_, state| {
            let newest = state.store.receipts.last().map(|receipt| receipt.token);
            state.store.page.map(|page| page.token) == newest
        },
    },
    Promise {
        name: "the fences of the receipts never fall",
        holds: |_, state| state.store.receipts.is_sorted_by_key(|receipt| receipt.fence),
    },
    Promise {
        name: "whoever writes holds the live lease",
        holds: |_, state| state.store.receipts.iter().all(|receipt| receipt.by_holder),
    },
    Promise {
        name: "whoever has given the item back writes no more",
        holds: |_, state| state.store.receipts.iter().all(|receipt| !receipt.after_giving_back),
    },
    Promise {
        name: "the quota has counted every publication, and nothing else",
        holds: |_, state| usize::from(state.store.counted) == publications(&state.store),
    },
    Promise {
        name: "no two runs have the same fence in hand",
        holds: |_, state| {
            let mut seen = 0_u64;
            state.actors.iter().all(|actor| match actor.phase {
                Phase::Committing(landing) | Phase::Asking(landing, _) => {
                    let fence = 1 << landing.hold.fence;
                    let is_new = seen & fence == 0;
                    seen |= fence;
                    is_new
                }
                _ => true,
            })
        },
    },
    Promise {
        name: "what a worker's live lease covers is in hand",
        holds: |_, state| {
            let worker = state.store.lease.filter(|lease| lease.live && lease.owner.actor != OPERATOR);
            worker.is_none() || state.store.item == Item::Processing
        },
    },
    Promise {
        name: "whoever reports a commit has a receipt, and whoever reports none has none",
        holds: is_true,
    },
    Promise {
        name: "what the operator has withdrawn stays withdrawn until it is reinstated",
        holds: stays_withdrawn,
    },
    Promise { name: "whatever happened, one more run brings the page out, once", holds: settles },
];

fn publications(store: &Store) -> usize {
    store.receipts.iter().filter(|receipt| receipt.task == Task::Publish).count()
}

fn is_true(_: &Protocol, state: &State) -> bool {
    (0..).zip(&state.actors).all(|(actor, it)| {
        let owner = Owner { actor, run: it.run };
        let landed = || state.store.receipts.iter().any(|receipt| receipt.token.owner == owner);
        match it.phase {
            Phase::Resting(Some(Report::Landed | Report::Found)) => landed(),
            Phase::Resting(Some(Report::LeaseLost | Report::Conflict | Report::Nothing)) => !landed(),
            _ => true,
        }
    })
}

fn stays_withdrawn(model: &Protocol, state: &State) -> bool {
    let operator = state.actors[usize::from(OPERATOR)];
    let task = operator.run.checked_sub(1).and_then(|last| model.bounds.operator.get(usize::from(last)));
    let has_withdrawn = task == Some(&Task::Withdraw)
        && matches!(operator.phase, Phase::Resting(Some(Report::Landed | Report::Found | Report::Moved)));
    !has_withdrawn || state.store.item == Item::Withdrawn
}

/// From any state, without another fault: whoever is at work stops, the lease runs out, and a
/// worker comes by. Then all that was on its way arrives, and another one comes by.
fn settles(model: &Protocol, state: &State) -> bool {
    let mut store = state.store.clone();
    let come_by = |store: &mut Store, run: u8| {
        store.expire();
        run_through(model.flaws, Owner { run, ..Owner::LAST_COMER }, store);
        match store.item {
            Item::Published => publications(store) == 1 && store.item_fits_page(),
            Item::Withdrawn => store.item_fits_page(),
            Item::Scheduled | Item::Processing => false,
        }
    };
    if !come_by(&mut store, 1) {
        return false;
    }
    for message in &state.late {
        // Nobody is left to hear that it raised an error.
        let _unheard = store.run(message, model.flaws);
    }
    state.late.is_empty() || come_by(&mut store, 2)
}
