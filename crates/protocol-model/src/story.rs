//! Steps in plain words.

use crate::{
    actor::{Phase, Report, Request},
    message::{Attempt, Message, Owner, Task},
    model::{Fate, Protocol, State, Step},
    store::{Item, Store},
};

/// One step: who did what, what became of it, and what changed.
pub(crate) fn tell(model: &Protocol, before: &State, step: Step, after: &State) -> String {
    let (what, who) = match step {
        Step::Send(actor, fate) => (sent(model, before, actor, fate), Some(actor)),
        Step::Crash(actor) => (format!("{} dies", name(actor, before, after)), None),
        Step::Expire => ("the lease runs out".to_owned(), None),
        Step::Arrive(message) => (format!("late arrival of {}", words(&message, None)), None),
    };
    let mut changes = changes(&before.store, &after.store);
    if let Some(actor) = who {
        changes.extend(learned(before, after, actor));
    } else if matches!(step, Step::Arrive(_)) && changes.is_empty() {
        changes.push("nothing changes".to_owned());
    }
    if changes.is_empty() { what } else { format!("{what}: {}", changes.join(", ")) }
}

fn name(actor: u8, before: &State, after: &State) -> Owner {
    let run = before.actors[usize::from(actor)].run.max(after.actors[usize::from(actor)].run);
    Owner { actor, run }
}

fn sent(model: &Protocol, before: &State, actor: u8, fate: Fate) -> String {
    let it = &before.actors[usize::from(actor)];
    let Some(run) = model.run(actor, it) else { return format!("actor {actor} has nothing to do") };
    let request = match it.request(&run) {
        Request::Write(message) => format!("{} sends {}", run.owner, words(&message, Some(run.owner))),
        Request::LookUp => format!("{} looks for its receipts", run.owner),
    };
    match fate {
        Fate::Answered => request,
        Fate::AnswerLost => format!("{request}; it arrives, and its answer is lost"),
        Fate::Late => format!("{request}; it stays on its way"),
        Fate::Lost => format!("{request}; no answer, it is lost"),
    }
}

/// A message, as one says it of `speaker`, or of nobody.
fn words(message: &Message, speaker: Option<Owner>) -> String {
    let whose = |owner: Owner| if speaker == Some(owner) { "its".to_owned() } else { format!("{owner}'s") };
    match message {
        Message::Claim(owner) => format!("{} claim", whose(*owner)),
        Message::TakeOver(owner) => format!("{} take-over", whose(*owner)),
        Message::Commit(attempt) => {
            let Attempt { token, hold, .. } = attempt;
            let task = verb(hold.task);
            format!("{} attempt {} to {task}, fence {}", whose(token.owner), token.attempt, hold.fence)
        }
        Message::GiveBack(hold) => format!("{} giving back", whose(hold.owner)),
        Message::MoveWithoutPage(hold) => {
            format!("{} order to {} what has no page", whose(hold.owner), verb(hold.task))
        }
        Message::Release(hold) => format!("{} release", whose(hold.owner)),
    }
}

const fn verb(task: Task) -> &'static str {
    match task {
        Task::Publish => "publish",
        Task::Withdraw => "withdraw",
        Task::Reinstate => "reinstate",
    }
}

fn changes(before: &Store, after: &Store) -> Vec<String> {
    let mut changes = Vec::new();
    if before.lease != after.lease
        && let Some(lease) = after.lease
    {
        let until = if lease.live { "holds" } else { "no longer holds" };
        changes.push(format!("{} {until} the lease, fence {}", lease.owner, lease.fence));
    }
    if before.item != after.item {
        let state = match after.item {
            Item::Scheduled => "scheduled",
            Item::Processing => "processing",
            Item::Published => "published",
            Item::Withdrawn => "withdrawn",
        };
        changes.push(format!("the item is {state}"));
    }
    if before.page != after.page
        && let Some(page) = after.page
    {
        let kind = if page.withdrawn { "tombstone" } else { "page" };
        changes.push(format!("{kind} at version {}", page.version));
    }
    if before.revision != after.revision {
        changes.push(format!("revision {}", after.revision));
    }
    let new = after.receipts.iter().skip(before.receipts.len());
    changes.extend(new.map(|receipt| {
        format!(
            "receipt of {} with fence {}, revision {}",
            receipt.token.owner, receipt.fence, receipt.revision
        )
    }));
    if before.counted != after.counted {
        changes.push(format!("quota counts {}", after.counted));
    }
    changes
}

/// What the actor makes of it, when it is told how its run ends.
fn learned(before: &State, after: &State, actor: u8) -> Option<String> {
    let committing = |phase| matches!(phase, Phase::Committing(_) | Phase::Asking(..));
    let report = match after.actors[usize::from(actor)].phase {
        Phase::Resting(Some(report)) => return Some(format!("it reports: {}", word(report))),
        Phase::Ending(_, report, 0) if committing(before.actors[usize::from(actor)].phase) => report,
        _ => return None,
    };
    Some(format!("it concludes: {}", word(report)))
}

const fn word(report: Report) -> &'static str {
    match report {
        Report::Nothing => "nothing to do",
        Report::Landed => "committed",
        Report::Found => "committed, by its receipt",
        Report::Moved => "done",
        Report::LeaseLost => "lease lost",
        Report::Conflict => "conflict",
        Report::Failed => "error",
        Report::Unknown => "unknown",
        Report::Crashed => "dead",
    }
}
