//! What a publication costs.
//!
//! The *whole use case* is a run of the job: it finds what is due, takes each item in hand,
//! renders it and commits it. The *commit batch* is the last of these alone, on items that
//! are in hand already, and beside it stands *raw SQLite* ([`crate::bare`]): the same
//! statements with the same parameters, in one transaction each, on the same file and at the
//! same durability. All of them publish the same [`FRESH`] items, which are put back in
//! between, so that the ledger is as long in the last round as it was in the first.
//!
//! A publication costs the same in a ledger of ten items and in one of a million, or
//! something in it looks at more than it says.

use std::{path::Path, sync::Arc, time::Duration};

use anyhow::{Context, ensure};
use fencepost_adapter_sqlite::{Durability, SqliteStore};
use fencepost_application::{Site, Stop, render_markdown};
use fencepost_domain::{
    commit::{Change, Commit, CommitOutcome},
    id::{BankVersion, CommitToken, ContentVersion},
    page::AnswerContent,
};
use fencepost_ports::{CallTotals, Job, PublicationLedger, RevisionSource, StoreCounts, Stores};
use fencepost_sql::commit as plan;
use tokio::runtime::Runtime;

use crate::{
    bare::BareStore,
    figures::{Form, Samples, float, per_second},
    process::{now, timed},
    stock::{self, Extent, FRESH, LEVELS, Stock},
};

const SIZES: [i64; 3] = [10, 10_000, 1_000_000];

/// A file at a durability, and who works on it.
struct Stand<'a> {
    stock: &'a Stock,
    level: &'static str,
    store: Arc<SqliteStore>,
    bare: Arc<BareStore>,
    site: Site,
    counts: StoreCounts,
}

/// Measures all cases.
pub(crate) fn measure(form: &Form) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let runtime = Runtime::new()?;
    let sizes = form.choose(&SIZES[..2], &SIZES);
    let mut stocks = Vec::new();
    for size in sizes {
        println!("a ledger of {size} items is made");
        stocks.push(runtime.block_on(Stock::plant(folder.path(), *size, Extent::Ledger))?);
    }
    let mut stands = Vec::new();
    for stock in &stocks {
        for level in LEVELS {
            stands.push(runtime.block_on(Stand::new(stock, level, folder.path()))?);
        }
    }
    let mut samples = Samples::default();
    let rounds = form.choose(3, 60);
    for round in 1..=rounds {
        println!("round {round} of {rounds}");
        for stand in &stands {
            runtime.block_on(stand.round(&mut samples))?;
        }
    }
    samples.into_part("publishing").write(&form.output)
}

impl<'a> Stand<'a> {
    async fn new(
        stock: &'a Stock,
        (durability, level): (Durability, &'static str),
        folder: &Path,
    ) -> anyhow::Result<Self> {
        let counts = StoreCounts::default();
        let store = stock.store(durability, &counts).await?;
        let site = stock::site_of(Stores::of(store.clone()), folder)?;
        Ok(Self { stock, level, store, bare: stock.bare(durability)?, site, counts })
    }

    fn case(&self, what: &str) -> String {
        self.stock.case(&format!("{what}, {}", self.level))
    }

    async fn round(&self, samples: &mut Samples) -> anyhow::Result<()> {
        let case = self.case("commit batch");
        samples.add(&case, "fencepost", "batches/s", per_second(FRESH, self.commits().await?));
        samples.add(&case, "raw SQLite", "batches/s", per_second(FRESH, self.bare_commits().await?));
        let case = self.case("whole use case");
        let took = self.run(samples).await?;
        samples.add(&case, "fencepost", "pages/s", per_second(FRESH, took));
        Ok(())
    }

    async fn commits(&self) -> anyhow::Result<Duration> {
        self.stock.restore()?;
        let commits = take_all(self.store.as_ref()).await?;
        let started = now();
        for commit in &commits {
            let outcome = self.store.commit(commit).await?.judge();
            ensure!(matches!(outcome, CommitOutcome::Landed { .. }), "a commit ended as {outcome:?}");
        }
        Ok(started.elapsed())
    }

    async fn bare_commits(&self) -> anyhow::Result<Duration> {
        self.stock.restore()?;
        let commits = take_all(self.bare.as_ref()).await?;
        let batches: Vec<_> = commits.iter().map(plan::commit).collect();
        let started = now();
        for batch in &batches {
            self.bare.runner().run(batch)?;
        }
        let took = started.elapsed();
        let published = self.store.moment().await?.publication_revision.get() - self.stock.size();
        ensure!(published == FRESH, "{published} of {FRESH} commits landed");
        Ok(took)
    }

    async fn run(&self, samples: &mut Samples) -> anyhow::Result<Duration> {
        self.stock.restore()?;
        let before = self.asked()?;
        let (report, took) = timed(self.site.run_job(Job::Publish, &Stop::default())).await?;
        let published = report.revision.get() - self.stock.size();
        ensure!(published == FRESH, "{published} of {FRESH} items were published");
        let after = self.asked()?;
        for (unit, nth) in [("round trips", 0), ("statements", 1)] {
            let of_a_page = (after[nth] - before[nth]) / float(FRESH);
            samples.add("whole use case", "fencepost", unit, of_a_page);
        }
        Ok(took)
    }

    /// How often the store was asked, and for how many statements.
    fn asked(&self) -> anyhow::Result<[f64; 2]> {
        let totals = self.counts.totals();
        let sum = |of: fn(&CallTotals) -> u64| totals.iter().map(|(_, total)| of(total)).sum::<u64>();
        Ok([float(sum(|total| total.calls).try_into()?), float(sum(|total| total.statements).try_into()?)])
    }
}

async fn take_all(ledger: &dyn PublicationLedger) -> anyhow::Result<Vec<Commit>> {
    let mut commits = Vec::new();
    for nth in 0..FRESH {
        commits.push(take_in_hand(ledger, nth).await?);
    }
    Ok(commits)
}

/// Takes an item that is due in hand, and makes its commit.
pub(crate) async fn take_in_hand(ledger: &dyn PublicationLedger, nth: i64) -> anyhow::Result<Commit> {
    let begin = stock::fresh(nth)?;
    let seen = ledger.begin(&begin).await?;
    let lease = seen.lease_of(&begin).context("what is due can be taken in hand")?;
    let puzzle = seen.puzzle.context("an item has a puzzle")?;
    let content = AnswerContent {
        play_date: puzzle.play_date,
        name: puzzle.name,
        price_cents: puzzle.price_cents,
        body_html: render_markdown(&puzzle.description),
        image_key: None,
    };
    Ok(Commit {
        lease,
        token: CommitToken::new(format!("commit-{}", begin.puzzle_id)),
        change: Change::Publish(content),
        bank_version: BankVersion::FIRST,
        content_version: ContentVersion::NONE,
        daily_quota: 1_000_000,
        by: None,
    })
}
