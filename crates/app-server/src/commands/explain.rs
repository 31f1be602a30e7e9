//! `explain`: why an item is not out, and all else that is known of it.

use std::process::ExitCode;

use fencepost_application::ItemExplanation;
use fencepost_domain::{guard::Predicate, id::PuzzleId, ledger::Item};

use crate::{
    compose::{self, Composed},
    failure::Failure,
    options::CommonOptions,
    output::{print, print_json, table},
};

/// Prints what is known of an item.
pub(crate) async fn explain(options: &CommonOptions, id: PuzzleId, json: bool) -> Result<ExitCode, Failure> {
    let Composed { site, store } = compose::open_existing(options, &options.places(false)).await?;
    let explanation = site.item(id).await.map_err(Failure::fault)?;
    store.runner().close().await;
    if json {
        print_json(&explanation)?;
    } else {
        print(&words(&explanation))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn words(explanation: &ItemExplanation) -> String {
    let parts = [facts(explanation), guard(explanation), history(explanation), conclusion(explanation)];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
}

fn facts(explanation: &ItemExplanation) -> String {
    let holder = explanation.lease.as_ref().filter(|lease| lease.live);
    let mut rows = vec![("puzzle", explanation.puzzle_id.to_string())];
    rows.extend(explanation.puzzle.as_ref().map(|puzzle| ("name", puzzle.name.clone())));
    rows.push(("time of the database", explanation.now.to_string()));
    if let Some(item) = &explanation.item {
        rows.push(("state", item.state.as_str().to_owned()));
        rows.push(("due", item.due_at.to_string()));
        rows.push(("failed attempts", item.attempts.to_string()));
        rows.push(("next attempt", next_attempt(item, explanation)));
    }
    rows.push((
        "in hand",
        holder.map_or_else(
            || "nobody has it".to_owned(),
            |lease| {
                format!(
                    "{}, fence {}, until {}",
                    lease.row.owner,
                    lease.row.fence.get(),
                    lease.row.expires_at
                )
            },
        ),
    ));
    rows.push((
        "page",
        explanation.page.as_ref().map_or_else(
            || "none".to_owned(),
            |page| format!("version {}, of {}", page.content_version, page.updated_at),
        ),
    ));
    table(&rows.into_iter().map(|(name, value)| vec![name.to_owned(), value]).collect::<Vec<_>>())
}

fn next_attempt(item: &Item, explanation: &ItemExplanation) -> String {
    if !item.state.is_runnable() {
        return "none".to_owned();
    }
    if explanation.blocked_by.iter().any(|it| it.predicate == Predicate::NotTooLate) {
        return "none by a job: it is too late for that".to_owned();
    }
    let at = item.waits_until(explanation.now).map_or(item.due_at, |at| at.max(item.due_at));
    if at <= explanation.now { "the next run".to_owned() } else { format!("the first run from {at} on") }
}

fn guard(explanation: &ItemExplanation) -> String {
    if explanation.guard.is_empty() {
        return String::new();
    }
    let head = ["predicate", "holds", "detail"].map(str::to_owned).to_vec();
    let line = |finding: &fencepost_application::Finding| {
        let holds = if finding.holds { "yes" } else { "no" };
        vec![finding.predicate.as_str().to_owned(), holds.to_owned(), finding.detail.clone()]
    };
    table(&std::iter::once(head).chain(explanation.guard.iter().map(line)).collect::<Vec<_>>())
}

fn history(explanation: &ItemExplanation) -> String {
    if explanation.history.is_empty() {
        return String::new();
    }
    let head = ["version", "change", "revision", "at", "by"].map(str::to_owned).to_vec();
    let line = |receipt: &fencepost_domain::commit::Receipt| {
        vec![
            receipt.content_version.to_string(),
            receipt.kind.as_str().to_owned(),
            receipt.revision.to_string(),
            receipt.committed_at.to_string(),
            format!("{}, fence {}", receipt.owner_id, receipt.fence.get()),
        ]
    };
    table(&std::iter::once(head).chain(explanation.history.iter().map(line)).collect::<Vec<_>>())
}

fn conclusion(explanation: &ItemExplanation) -> String {
    if explanation.guard.is_empty() {
        return "There is nothing to be published.".to_owned();
    }
    if explanation.blocked_by.is_empty() {
        return "Nothing keeps it from being published.".to_owned();
    }
    let reasons = explanation.blocked_by.iter().map(|it| format!("{}: {}", it.predicate.as_str(), it.detail));
    format!("It is not published because of {}.", reasons.collect::<Vec<_>>().join("; and of "))
}
