//! Plugging the adapters together, once per event.
//!
//! Whatever makes a call gets the budget of the event, so that no call goes uncounted.

use std::sync::{Arc, LazyLock};

use fencepost_application::{Counters, Resolutions, Site};
use fencepost_core::RandomTokens;
use fencepost_d1::{D1Runner, WorkerTimer};
use fencepost_domain::download::Limits;
use fencepost_plan_store::{Metered, PlanStore, StoreClock};
use fencepost_ports::{Budget, NoCache, Stores};
use worker::Env;

use crate::{
    config::{Config, Misconfigured},
    fetch_images::{FetchImages, Hosts},
    fetch_webhook::FetchWebhook,
    r2_blobs::R2Blobs,
};

/// The D1 database.
const DATABASE: &str = "DB";
/// The R2 bucket that keeps photos.
const BLOBS: &str = "BLOBS";

/// What this instance found out about commits without an answer: a site is built anew for
/// every event, and its counts go on.
static RESOLUTIONS: LazyLock<Resolutions> = LazyLock::new(Resolutions::default);

/// What this instance has done, for metrics: as with the resolutions, it goes on.
static COUNTERS: LazyLock<Counters> = LazyLock::new(Counters::default);

/// The application of a deployment, within a budget of calls.
pub(crate) fn site(env: &Env, config: &Config, budget: Budget) -> Result<Site, Misconfigured> {
    let database = env.d1(DATABASE).map_err(|error| unbound("D1 database", DATABASE, &error))?;
    let bucket = env.bucket(BLOBS).map_err(|error| unbound("R2 bucket", BLOBS, &error))?;
    let clock = config.test_clock_offset_ms.map_or(StoreClock::Database, StoreClock::ShiftedBy);
    let store = PlanStore::new(Metered::new(
        D1Runner::new(database, clock, COUNTERS.store().clone()),
        budget.clone(),
    ));
    let hosts = Hosts::that_are(config.allow_private_images);
    let outlet = config.webhook.clone().map(|settings| {
        let hosts = Hosts::that_are(settings.allow_private);
        let webhook = FetchWebhook::new(settings.url.clone(), hosts, budget.clone());
        settings.outlet(Arc::new(webhook), config.origin.clone())
    });
    Ok(Site {
        stores: Stores::of(Arc::new(store)),
        blobs: Arc::new(R2Blobs::new(bucket, budget.clone())),
        image_source: Arc::new(FetchImages::new(Limits::default(), hosts, budget.clone())),
        // A cron answers no reader; a request brings the cache of its data centre.
        cache: Arc::new(NoCache),
        tokens: Arc::new(RandomTokens),
        timer: Arc::new(WorkerTimer),
        budget,
        resolutions: RESOLUTIONS.clone(),
        counters: COUNTERS.clone(),
        outlet,
        settings: config.settings.clone(),
    })
}

fn unbound(what: &str, name: &str, error: &worker::Error) -> Misconfigured {
    Misconfigured(format!("bind a {what} as {name} in wrangler.toml ({error})"))
}
