//! `audit`: does the running site tell anything before its time?
//!
//! The site is looked over around the next instant at which something becomes public, since
//! that is where a clock that is read twice, or a cache that keeps too long, would show. What
//! is not next to the instant is looked over once, in full: before the instant if there is
//! time, and else after it.

use std::{fs, path::Path, process::ExitCode};

use fencepost_audit::{Bank, Depth, Games, Report, walk};
use fencepost_domain::{puzzle::ImportFile, time::UnixMillis};
use serde::Serialize;

use crate::{
    failure::Failure,
    options::{AuditOptions, CommonOptions},
    output::{plural, print, print_json, table},
};

mod site;
use site::Site;

/// How long before the instant there has to be time for the full walk.
const FULL_WALK_MS: i64 = 30_000;

/// What is printed.
#[derive(Serialize)]
struct Audited<'a> {
    base: &'a str,
    /// Where the site's time was told.
    clock: &'static str,
    walks: Vec<Walked>,
    #[serde(flatten)]
    report: Report,
}

/// One walk over the site.
#[derive(Serialize)]
struct Walked {
    name: String,
    /// When it began and ended, by the site's clock.
    from: UnixMillis,
    until: UnixMillis,
    requests: usize,
}

/// Looks a site over.
pub(crate) async fn audit(common: &CommonOptions, options: &AuditOptions) -> Result<ExitCode, Failure> {
    let mut bank = match &options.bank {
        Some(file) => read(file, common.grace_seconds * 1_000)?,
        None => Bank::default(),
    };
    let offset_ms = common.test_clock_offset_ms.unwrap_or(0);
    let site = Site::reach(&options.base, options.admin_token.as_deref(), offset_ms).await?;
    let games = if options.end_games { Games::Ended } else { Games::Begun };
    let mut auditor =
        Auditor { site: &site, games, walks: Vec::new(), report: Report::default(), is_quiet: options.json };
    learn(&mut bank, &site).await?;
    if options.now_only {
        auditor.walk("now, in full", &bank, Depth::Full).await?;
    } else {
        let now = site.now().until;
        let next = next_instant(&bank, now, options.patience)?;
        let is_time = next.since(now) > FULL_WALK_MS;
        if is_time {
            auditor.walk("before, in full", &bank, Depth::Full).await?;
        }
        for (name, ms) in [("T - 1 s", -1_000), ("T", 0), ("T + 1 s", 1_000)] {
            auditor.wait_until(next.plus(ms)).await;
            auditor.walk(name, &bank, Depth::Near).await?;
        }
        if !is_time {
            learn(&mut bank, &site).await?;
            auditor.walk("after, in full", &bank, Depth::Full).await?;
        }
    }
    let Auditor { walks, report, .. } = auditor;
    let code = if report.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    let audited = Audited { base: &options.base, clock: site.source_of_time(), walks, report };
    if options.json {
        print_json(&audited)?
    } else {
        print(&words(&audited))?
    }
    Ok(code)
}

/// Walks, and keeps what was found.
struct Auditor<'a> {
    site: &'a Site,
    games: Games,
    walks: Vec<Walked>,
    report: Report,
    is_quiet: bool,
}

impl Auditor<'_> {
    async fn walk(&mut self, name: &str, bank: &Bank, depth: Depth) -> Result<(), Failure> {
        let from = self.site.now().from;
        let report = walk(self.site, bank, depth, self.games).await.map_err(Failure::fault)?;
        let (until, requests) = (self.site.now().until, report.requests);
        self.walks.push(Walked { name: name.to_owned(), from, until, requests });
        self.report.absorb(report);
        Ok(())
    }

    async fn wait_until(&self, instant: UnixMillis) {
        let ms = instant.since(self.site.now().from);
        if ms > 0 && !self.is_quiet {
            eprintln!("waiting {} s until it is {instant} at the site", (ms + 999) / 1_000);
        }
        self.site.wait_until(instant).await;
    }
}

async fn learn(bank: &mut Bank, site: &Site) -> Result<(), Failure> {
    use fencepost_audit::Ask;
    if site.has_token() {
        bank.learn(site, site.now().until).await.map_err(Failure::fault)?;
    }
    if bank.puzzles().next().is_none() {
        return Err(Failure::fault(
            "the bank is empty, so there is no secret to look for; import puzzles first",
        ));
    }
    Ok(())
}

fn next_instant(bank: &Bank, now: UnixMillis, patience: u32) -> Result<UnixMillis, Failure> {
    let Some(next) = bank.next_instant(now) else {
        return Err(Failure::usage(
            "no puzzle of the bank has an instant ahead; look at once with --now-only",
        ));
    };
    let ms = next.since(now);
    if ms > i64::from(patience) * 1_000 {
        return Err(Failure::usage(format!(
            "the next instant is {next}, in {} s, and --patience is {patience}; look at once with --now-only, \
             or, outside of production, add {} to the site's FENCEPOST_TEST_CLOCK_OFFSET_MS and start it anew, \
             so that the instant is 20 s ahead",
            ms / 1_000,
            ms - 20_000
        )));
    }
    Ok(next)
}

fn read(file: &Path, grace_ms: i64) -> Result<Bank, Failure> {
    let shown = file.display();
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::fault(format!("cannot read {shown}: {error}; check the name")))?;
    let import: ImportFile = serde_json::from_str(&text)
        .map_err(|error| Failure::fault(format!("{shown} is not an import: {error}")))?;
    Bank::of_import(import, grace_ms).map_err(Failure::fault)
}

fn words(audited: &Audited<'_>) -> String {
    let Audited { base, clock, walks, report } = audited;
    let mut text = format!("{base}, by the clock of {clock}\n");
    let head = ["walk", "from", "until", "requests"].map(str::to_owned).to_vec();
    let rows = walks.iter().map(|walk| {
        vec![walk.name.clone(), walk.from.to_string(), walk.until.to_string(), walk.requests.to_string()]
    });
    text += &table(&std::iter::once(head).chain(rows).collect::<Vec<_>>());
    for skipped in &report.skipped {
        text += &format!("not looked for: puzzle {}, {}: {}\n", skipped.puzzle_id, skipped.what, skipped.why);
    }
    for surface in &report.unsettled {
        text += &format!("not settled, since the site changed or failed meanwhile: {surface}\n");
    }
    for found in &report.findings {
        let puzzle = found.puzzle_id.map(|id| format!("puzzle {id}, ")).unwrap_or_default();
        text += &format!(
            "FOUND at {}: {}: {puzzle}{}: {}\n",
            found.at, found.surface, found.what, found.evidence
        );
    }
    let asked = format!(
        "{} at {} addresses, {} of the game",
        plural(report.requests, "request"),
        report.addresses.len(),
        plural(report.guesses, "turn")
    );
    match report.findings.len() {
        0 => text + &format!("nothing found: {asked}"),
        count => text + &format!("{} found: {asked}", plural(count, "leak")),
    }
}
