//! `run`, `withdraw` and `retry`: one run, rehearsed or in earnest, or one action, in this process.

use std::{collections::BTreeMap, process::ExitCode};

use fencepost_application::{DryRunReport, Expected, ItemReport, RunReport};
use fencepost_domain::{action::Actor, id::PuzzleId, outcome::Outcome};
use fencepost_ports::Job;

use crate::{
    compose::{self, Composed},
    failure::Failure,
    options::CommonOptions,
    output::{plural, print, print_json, table},
    progress::Progress,
    shutdown::Shutdown,
};

/// Runs a job once. Ctrl-C asks it to stop after the item that it has in hand.
///
/// The report is printed whatever came of the items, and the exit code is 1 when one of
/// them ended as `blocked` or `unknown`.
pub(crate) async fn run(
    options: &CommonOptions,
    by: &Actor,
    job: Job,
    json: bool,
) -> Result<ExitCode, Failure> {
    let shutdown = Shutdown::on_signals();
    let Composed { site, store } = compose::open_existing(options, &options.places(false)).await?;
    let progress = Progress::of_command(json);
    // What is due is looked up for this alone: without anybody who watches, it is not.
    let due = if progress.is_shown() { site.status().await?.outstanding } else { 0 };
    let watch = progress.watch(u64::try_from(due).unwrap_or(0), site.counters.clone());
    let ran = site.run_job_for(by, job, shutdown.stop()).await;
    drop(watch);
    let report = ran?;
    store.runner().close().await;
    if json {
        print_json(&report)?;
    } else {
        print(&words(&report))?;
    }
    match unsettled(&report.counts) {
        0 => Ok(ExitCode::SUCCESS),
        count => Err(Failure::fault(format!(
            "{} ended as blocked or unknown; the report tells why, and a later run tries again what may pass by itself",
            plural(count, "item")
        ))),
    }
}

/// Tells what a run would do, and changes nothing. The exit code is that of the run.
pub(crate) async fn rehearse(options: &CommonOptions, job: Job, json: bool) -> Result<ExitCode, Failure> {
    let shutdown = Shutdown::on_signals();
    let Composed { site, store } = compose::open_existing(options, &options.places(false)).await?;
    let trying = Progress::of_command(json).spinner("rehearsing");
    let rehearsed = site.rehearse_job(job, shutdown.stop()).await;
    trying.finish_and_clear();
    let report = rehearsed?;
    store.runner().close().await;
    if json {
        print_json(&report)?;
    } else {
        print(&words_of_rehearsal(&report))?;
    }
    match unsettled(&report.counts) {
        0 => Ok(ExitCode::SUCCESS),
        count => Err(Failure::fault(format!(
            "{} would end as blocked or unknown; the report tells why",
            plural(count, "item")
        ))),
    }
}

/// How many items a run can neither call done nor leave to the usual course of things. A
/// pause, a used-up quota and a lost race are such a course.
fn unsettled(counts: &BTreeMap<Outcome, u32>) -> u32 {
    let count = |outcome| counts.get(&outcome).copied().unwrap_or(0);
    count(Outcome::Blocked) + count(Outcome::Unknown)
}

/// Takes back a page, or an item that is not out yet.
pub(crate) async fn withdraw(
    options: &CommonOptions,
    by: &Actor,
    id: PuzzleId,
    json: bool,
) -> Result<ExitCode, Failure> {
    let Composed { site, store } = compose::open_existing(options, &options.places(false)).await?;
    let report = site.withdraw(by, id, Expected::ANYTHING).await.map_err(Failure::fault)?;
    store.runner().close().await;
    if json {
        print_json(&report)?;
    } else {
        print(&table(&[head(), line(&report)]))?;
    }
    match report.outcome {
        Outcome::Withdrawn | Outcome::Unchanged => Ok(ExitCode::SUCCESS),
        outcome => Err(Failure::fault(format!(
            "puzzle {id} was not withdrawn ({outcome}); look at it and try again"
        ))),
    }
}

/// Lets an item be tried again by the next run.
pub(crate) async fn retry(
    options: &CommonOptions,
    by: &Actor,
    id: PuzzleId,
    json: bool,
) -> Result<ExitCode, Failure> {
    let Composed { site, store } = compose::open_existing(options, &options.places(false)).await?;
    let item = site.retry(by, id, Expected::ANYTHING).await.map_err(Failure::fault)?;
    store.runner().close().await;
    if json {
        print_json(&item)?;
    } else {
        print(&format!(
            "puzzle {id} is {}, due at {}; the next run tries it",
            item.state.as_str(),
            item.due_at
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn words(report: &RunReport) -> String {
    let left = match report.left {
        0 => String::new(),
        left => format!("; {} left to the next run", plural(left, "due item")),
    };
    let summary = format!(
        "{}: {} due, {} published; revision {}{left}",
        report.job.as_str(),
        plural(report.items.len(), "item"),
        report.counts.get(&Outcome::Published).unwrap_or(&0),
        report.revision,
    );
    let images = match (report.images.prepared, report.images.failed) {
        (0, 0) => String::new(),
        (prepared, failed) => {
            format!("photos of coming puzzles: {prepared} made ready, {failed} could not be had\n")
        }
    };
    format!("{}{images}{}{summary}", lines(&report.items), ambiguous(report))
}

fn words_of_rehearsal(report: &DryRunReport) -> String {
    let interrupted = if report.interrupted { "; it would stop there" } else { "" };
    format!(
        "{}{}, rehearsed: {} due, {} would be published, up to revision {}{interrupted}; nothing was changed",
        lines(&report.items),
        report.job.as_str(),
        plural(report.items.len(), "item"),
        report.counts.get(&Outcome::Published).unwrap_or(&0),
        report.revision,
    )
}

fn lines(items: &[ItemReport]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let rows: Vec<_> = std::iter::once(head()).chain(items.iter().map(line)).collect();
    format!("{}\n", table(&rows))
}

/// What became of commits that got no answer, if any did.
fn ambiguous(report: &RunReport) -> String {
    if report.ambiguous.is_empty() {
        return String::new();
    }
    let counts = report.ambiguous.iter().map(|(resolution, count)| format!("{resolution}: {count}"));
    format!("commits without an answer: {}\n", counts.collect::<Vec<_>>().join(", "))
}

fn head() -> Vec<String> {
    ["puzzle", "outcome", "version", "revision", "detail"].map(str::to_owned).into()
}

fn line(item: &ItemReport) -> Vec<String> {
    let dash = || "-".to_owned();
    vec![
        item.puzzle_id.to_string(),
        item.outcome.to_string(),
        item.content_version.map_or_else(dash, |version| version.to_string()),
        item.revision.map_or_else(dash, |revision| revision.to_string()),
        item.detail.clone().unwrap_or_default(),
    ]
}
