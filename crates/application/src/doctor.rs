//! Looking a deployment over: what is not as it should be, and what to do about it.
//!
//! `verify` asks whether the data keep what was promised, and the alerts whether the work goes
//! on. This asks whether the deployment is such that both can be hoped for: settings, cron,
//! schema, clocks, and what lies outside of the store. Each check says what it found, and how
//! to mend it. Nothing is changed: the only thing that is ever written is a probe in the store
//! of photos, under a name that no photo can have, and it is deleted again.
//!
//! A failure is what keeps the site from its work, or leaves it open. A warning is what may be
//! meant: a site without an origin has no feed, and perhaps wants none.

use std::sync::Arc;

use fencepost_domain::{
    alert::AlertKind,
    id::PuzzleId,
    time::{DAY_MS, PlayDate, UnixMillis},
    violation::Schema,
};
use fencepost_ports::{FetchError, StoreError};
use serde::Serialize;

use crate::Site;

/// How far the host's clock may be from the store's before it is worth a word.
const CLOCK_TOLERANCE_MS: i64 = 2_000;
/// How many of the newest puzzles that are open or next are asked for their photos: those of
/// tomorrow, of today, and of yesterday, which is played on for a while.
const PUZZLES: u32 = 3;

/// How good a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenStrength {
    /// There is none.
    Missing,
    /// It is one, and short enough to be guessed, or to have been made up by hand.
    Weak,
    /// It is one.
    Strong,
}

/// What whoever runs the site knows of it, and the use cases do not.
#[derive(Clone)]
pub struct Setup {
    /// The token of the admin API.
    pub admin_token: TokenStrength,
    /// Whether there is a secret to sign with.
    pub has_secret: bool,
    /// The public address.
    pub origin: Option<String>,
    /// Tells the time of the host, where its clock is not that of the store.
    pub host_now: Option<Arc<dyn Fn() -> UnixMillis + Send + Sync>>,
    /// The host under whose name the platform's cache keeps what is rendered, where it does.
    pub cache_host: Option<String>,
    /// Whether the hosts of photos are asked, which takes as long as they like.
    pub asks_photo_hosts: bool,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// As it should be.
    Ok,
    /// It may be meant.
    Warning,
    /// It keeps the site from its work, or leaves it open.
    Failure,
}

impl CheckStatus {
    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Failure => "failure",
        }
    }
}

/// What one check found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Which check.
    pub name: &'static str,
    /// How it ended.
    pub status: CheckStatus,
    /// What was found, for people.
    pub found: String,
    /// What to do, unless all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Check {
    /// All is well.
    pub fn ok(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, status: CheckStatus::Ok, found: found.into(), remedy: None }
    }

    /// It may be meant.
    pub fn warning(name: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { name, status: CheckStatus::Warning, found: found.into(), remedy: Some(remedy.into()) }
    }

    /// It is not as it should be.
    pub fn failure(name: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { status: CheckStatus::Failure, ..Self::warning(name, found, remedy) }
    }
}

impl Site {
    /// Looks the deployment over. A check that cannot be made is a finding like any other.
    pub async fn doctor(&self, setup: &Setup) -> Vec<Check> {
        let mut checks = vec![
            self.schema().await,
            self.heartbeat().await,
            admin_token(setup.admin_token),
            secret(setup.has_secret),
            origin(setup.origin.as_deref()),
            self.clock(setup).await,
            self.photo_store().await,
        ];
        if let Some(host) = &setup.cache_host {
            checks.push(edge_cache(host));
        }
        if setup.asks_photo_hosts {
            checks.push(self.photo_hosts().await);
        }
        checks
    }

    async fn schema(&self) -> Check {
        const NAME: &str = "schema";
        match self.stores.verifier.schema().await {
            Ok(Schema { missing, unknown }) if missing.is_empty() && unknown.is_empty() => {
                Check::ok(NAME, "The tables are those of this version.")
            }
            Ok(Schema { missing, .. }) if !missing.is_empty() => Check::failure(
                NAME,
                format!("The database lacks the migrations {}.", missing.join(", ")),
                "Apply them: a server does so at its start; for D1, `wrangler d1 migrations apply`.",
            ),
            Ok(Schema { unknown, .. }) => Check::warning(
                NAME,
                format!(
                    "The database has migrations that this version does not know: {}.",
                    unknown.join(", ")
                ),
                "A newer version has migrated it. Deploy that version; if this one was brought back on purpose, \
                 migrations/README.md tells which migrations it can live with.",
            ),
            Err(error) => unasked(NAME, &error),
        }
    }

    async fn heartbeat(&self) -> Check {
        const NAME: &str = "heartbeat";
        let overview = match self.status().await {
            Ok(overview) => overview,
            Err(error) => return unasked(NAME, &error),
        };
        let silent = self.alerts(&overview).into_iter().find(|alert| alert.kind == AlertKind::NoHeartbeat);
        if let Some(alert) = silent {
            return Check::failure(NAME, alert.meaning, alert.remedy);
        }
        match overview.heartbeats.iter().map(|beat| (beat.ended_at, beat.job)).max_by_key(|(at, _)| *at) {
            Some((at, job)) => Check::ok(NAME, format!("A run of `{}` ended at {at}.", job.as_str())),
            None => Check::warning(
                NAME,
                "No run of a job has ended yet.",
                "Nothing has to be done on a new site. Look again after the next full hour.",
            ),
        }
    }

    async fn clock(&self, setup: &Setup) -> Check {
        const NAME: &str = "clock";
        let Some(host_now) = &setup.host_now else {
            return Check::ok(NAME, "The database's clock is that of its host.");
        };
        let moment = match self.moment().await {
            Ok(moment) => moment,
            Err(error) => return unasked(NAME, &error),
        };
        // A Worker's clock stands still while it computes, and is put right by the answer that
        // has just come.
        let ahead_ms = host_now().since(moment.now);
        if ahead_ms.abs() <= CLOCK_TOLERANCE_MS {
            return Check::ok(NAME, format!("The host's clock is {ahead_ms} ms ahead of the database's."));
        }
        Check::warning(
            NAME,
            format!("The host's clock is {ahead_ms} ms ahead of the database's."),
            "The database's clock alone decides, so nothing is published at a wrong time unless it is the wrong one. \
             Compare both with a third clock; remove FENCEPOST_TEST_CLOCK_OFFSET_MS if it is set.",
        )
    }

    async fn photo_store(&self) -> Check {
        const NAME: &str = "photo_store";
        match self.blobs.probe().await {
            Ok(()) => Check::ok(NAME, "A probe was written, read back and deleted."),
            Err(error) => Check::failure(
                NAME,
                error.to_string(),
                "Let this process write to the folder, or this Worker to the bucket: without it no photo is stored, \
                 and no answer with a photo comes out.",
            ),
        }
    }

    /// Asks for the photos that are needed next and not stored yet, as a job would.
    async fn photo_hosts(&self) -> Check {
        const NAME: &str = "photo_hosts";
        let wanted = match self.photos_wanted().await {
            Ok(wanted) => wanted,
            Err(error) => return unasked(NAME, &error),
        };
        let mut failed = Vec::new();
        for (puzzle_id, url) in &wanted {
            match self.image_source.fetch(url).await {
                Ok(_) => {}
                Err(FetchError::Failed(failure)) => {
                    failed.push(format!("puzzle {puzzle_id}: {}", failure.message))
                }
                Err(error @ FetchError::OverBudget(_)) => failed.push(format!("puzzle {puzzle_id}: {error}")),
            }
        }
        match (wanted.len(), failed.is_empty()) {
            (0, _) => Check::ok(NAME, "Every photo that is needed next is stored."),
            (count, true) => Check::ok(
                NAME,
                format!("Photos that are needed next and not stored yet: {count}. All of them can be had."),
            ),
            (_, false) => Check::failure(
                NAME,
                failed.join("; "),
                "Correct the address by an import, or mend the host of the photo, before the answer is due.",
            ),
        }
    }

    async fn photos_wanted(&self) -> Result<Vec<(PuzzleId, String)>, StoreError> {
        let now = self.moment().await?.now;
        let after_tomorrow = PlayDate::from_utc_day(now.plus(2 * DAY_MS).utc_day()).ok();
        let mut wanted = Vec::new();
        for item in self.stores.ledger.items(after_tomorrow, PUZZLES).await? {
            let Some(detail) = self.stores.ledger.item(item.puzzle_id).await? else { continue };
            let seen = detail.preflight;
            let Some(url) = seen.puzzle.and_then(|puzzle| puzzle.image_url) else { continue };
            if seen.image.as_ref().and_then(|image| image.ready_for(&url)).is_none() {
                wanted.push((item.puzzle_id, url));
            }
        }
        Ok(wanted)
    }
}

fn unasked(name: &'static str, error: &StoreError) -> Check {
    Check::failure(
        name,
        format!("The database did not tell: {error}."),
        "Look whether the database is there and can be reached, and try again.",
    )
}

fn admin_token(strength: TokenStrength) -> Check {
    const NAME: &str = "admin_token";
    const ANOTHER: &str = "Set FENCEPOST_ADMIN_TOKEN to at least 32 random characters, such as the output of `openssl rand -hex 32`.";
    match strength {
        TokenStrength::Strong => Check::ok(NAME, "The admin token is long enough."),
        TokenStrength::Weak => {
            Check::failure(NAME, "The admin token has fewer than 32 characters, and may be guessed.", ANOTHER)
        }
        TokenStrength::Missing => {
            Check::warning(NAME, "There is no admin token: dashboard, API and metrics are off.", ANOTHER)
        }
    }
}

fn secret(is_there: bool) -> Check {
    const NAME: &str = "secret";
    if is_there {
        return Check::ok(NAME, "There is a secret.");
    }
    Check::warning(
        NAME,
        "There is no secret: no daily game, and no previews.",
        "Set FENCEPOST_SECRET, the same at every process and Worker of the site, such as the output of `openssl rand -hex 32`.",
    )
}

fn origin(origin: Option<&str>) -> Check {
    const NAME: &str = "origin";
    match origin {
        Some(origin) => Check::ok(NAME, format!("The site's address is {origin}.")),
        None => Check::warning(
            NAME,
            "The site does not know its address: no feed, no sitemap, no canonical addresses.",
            "Set FENCEPOST_ORIGIN, such as https://prices.example.",
        ),
    }
}

/// Where the platform's cache is known to keep nothing, though it says that it did.
fn edge_cache(host: &str) -> Check {
    const NAME: &str = "edge_cache";
    if host == "workers.dev" || host.ends_with(".workers.dev") {
        return Check::warning(
            NAME,
            format!(
                "The platform's cache keeps nothing under {host}: every page is rendered for every reader."
            ),
            "Serve the site from a domain of your own, or set FENCEPOST_CACHE_ORIGIN to an address in a zone of yours.",
        );
    }
    Check::ok(NAME, format!("Rendered pages are kept under {host}."))
}
