//! What a result of the daily game costs.
//!
//! The port records it by one statement and reads what stands afterwards, in one batch.
//! Beside it stands that statement alone, by [SQLite's own interface](crate::bare), as a
//! transaction of its own. A crowd that plays the same puzzle must not make it slower, and
//! neither must all those who have played others.

use std::{sync::Arc, time::Duration};

use anyhow::ensure;
use fencepost_adapter_sqlite::SqliteStore;
use fencepost_domain::{
    id::{PuzzleId, ReportToken},
    results::{GameOutcome, GameResult, Recorded, ResultReport, Slot},
};
use fencepost_ports::{ResultsLog, StoreCounts};
use fencepost_sql::results_log as plan;
use tokio::runtime::Runtime;

use crate::{
    bare::BareStore,
    figures::{Form, Samples, per_second},
    process::now,
    stock::{self, Extent, LEVELS, Stock},
};

/// How many results a round has. A puzzle takes 50,000, and one case has 49,000 already.
const REPORTS: i64 = 200;
/// How many puzzles of the past have been played by as many as could.
const PLAYED_OUT: i64 = 20;
const FULL: i64 = 50_000;

/// Results that are there already: of today's puzzle, and of how many others.
const CASES: [(&str, i64, i64); 3] =
    [("no results yet", 0, 0), ("49,000 results", 49_000, 0), ("1,000,000 results of others", 0, PLAYED_OUT)];

struct Stand {
    case: String,
    stock: usize,
    store: Arc<SqliteStore>,
    bare: Arc<BareStore>,
}

/// Measures all cases.
pub(crate) fn measure(form: &Form) -> anyhow::Result<()> {
    let runtime = Runtime::new()?;
    let (mut stocks, mut stands) = (Vec::new(), Vec::new());
    for (name, own, others) in CASES.into_iter().take(form.choose(2, CASES.len())) {
        println!("a site with {name} is made");
        let folder = tempfile::tempdir()?;
        let mut stock = runtime.block_on(Stock::plant(folder.path(), PLAYED_OUT, Extent::Ledger))?;
        for puzzle in 1..=others {
            stock.give_results(PuzzleId::try_from(puzzle)?, FULL)?;
        }
        stock.give_results(stock::today()?, own)?;
        for (durability, level) in LEVELS {
            stands.push(Stand {
                case: format!("{name}, {level}"),
                stock: stocks.len(),
                store: runtime.block_on(stock.store(durability, &StoreCounts::default()))?,
                bare: stock.bare(durability)?,
            });
        }
        stocks.push((stock, folder));
    }
    let mut samples = Samples::default();
    let rounds = form.choose(3, 60);
    for round in 1..=rounds {
        println!("round {round} of {rounds}");
        for Stand { case, stock, store, bare } in &stands {
            let (stock, _) = &stocks[*stock];
            stock.restore()?;
            let took = runtime.block_on(report(store.as_ref()))?;
            samples.add(case, "fencepost", "rows/s", per_second(REPORTS, took));
            stock.restore()?;
            let took = report_barely(bare)?;
            let last = runtime.block_on(store.report(&result(REPORTS - 1)?))?;
            let slot = Slot::new(stock.results() + REPORTS);
            ensure!(last == Recorded::Recorded { slot }, "the last of the results ended as {last:?}");
            samples.add(case, "raw SQLite", "rows/s", per_second(REPORTS, took));
        }
    }
    samples.into_part("results").write(&form.output)
}

/// A result of today's puzzle, by a player of its own.
pub(crate) fn result(nth: i64) -> anyhow::Result<ResultReport> {
    Ok(ResultReport {
        puzzle_id: stock::today()?,
        session_id: format!("measured-session-{nth}").parse()?,
        result: GameResult::new(GameOutcome::Won, 3)?,
        token: ReportToken::new(format!("measured-report-{nth}")),
    })
}

fn reports() -> anyhow::Result<Vec<ResultReport>> {
    (0..REPORTS).map(result).collect()
}

async fn report(results: &dyn ResultsLog) -> anyhow::Result<Duration> {
    let reports = reports()?;
    let started = now();
    for report in &reports {
        let recorded = results.report(report).await?;
        ensure!(matches!(recorded, Recorded::Recorded { .. }), "a result ended as {recorded:?}");
    }
    Ok(started.elapsed())
}

fn report_barely(bare: &BareStore) -> anyhow::Result<Duration> {
    let statements: Vec<_> = reports()?.iter().flat_map(|report| plan::report(report).writes).collect();
    let started = now();
    for statement in &statements {
        bare.runner().execute(statement)?;
    }
    Ok(started.elapsed())
}
