//! The site as a Cloudflare Worker: woken by requests and by a cron, on D1.
//!
//! A cron may fire late, twice, or not at all, and nothing here relies on it: every run looks
//! for all that is due. It publishes a few posts only, since the free plan allows fifty
//! statements to an invocation, and a post takes seven of them.

use async_trait::async_trait;
use fencepost_batch::{Store, StoreClock};
use fencepost_core::{RandomTokens, StoreCounts, TokenSource, cache_key::CacheKey, retry::Patience};
use fencepost_d1::{D1Runner, WorkerTimer};
use worker::{
    Cache as CacheApi, Context, Env, Method, Request, Response, ResponseBuilder, ScheduleContext,
    ScheduledEvent, console_error, console_log, event, send::SendFuture,
};

use crate::{Cache, HEADERS, answer, in_words, publish_due};

/// How many posts one run publishes.
const AT_MOST: i64 = 5;

/// Where copies stand in the cache of the data centre: at addresses that no page has.
const PREFIX: &str = "/.kept";

fn site(env: &Env) -> worker::Result<Store<D1Runner>> {
    Ok(Store::new(D1Runner::new(env.d1("DB")?, StoreClock::Database, StoreCounts::default())))
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, context: Context) -> worker::Result<Response> {
    if !matches!(request.method(), Method::Get | Method::Head) {
        return Response::error("Method Not Allowed", 405);
    }
    let url = request.url()?;
    let origin = url.origin().ascii_serialization();
    let cache = DataCentre { origin: origin.clone(), context };
    let reply = answer(&site(&env)?, &cache, &origin, url.path()).await;
    if let Some(fault) = reply.fault {
        console_error!("{}: {fault}", url.path());
    }
    let response = HEADERS
        .iter()
        .try_fold(ResponseBuilder::new().with_status(reply.status), |response, (name, value)| {
            response.with_header(name, value)
        });
    Ok(response?.fixed(reply.body.into_bytes()))
}

/// Whatever happens is in the log. The platform is told nothing: it could only fire again, and
/// the next cron does that anyway.
#[event(scheduled)]
async fn scheduled(_: ScheduledEvent, env: Env, _: ScheduleContext) {
    let patience = Patience { timer: &WorkerTimer, tokens: &RandomTokens };
    let site = match site(&env) {
        Ok(site) => site,
        Err(error) => return console_error!("there is no database: {error}"),
    };
    match publish_due(&site, patience, &RandomTokens.owner("worker"), AT_MOST).await {
        Ok(told) => told.iter().for_each(|(slug, ended)| console_log!("{slug}: {}", in_words(ended))),
        Err(error) => console_error!("nothing was published: {error}"),
    }
}

/// The cache of the data centre. It is made for responses, so a copy is one; what it does with
/// it, late, never, or with an error, costs the next reader some milliseconds.
struct DataCentre {
    origin: String,
    context: Context,
}

impl DataCentre {
    fn address(&self, key: &CacheKey) -> String {
        format!("{}{PREFIX}{key}", self.origin)
    }
}

#[async_trait]
impl Cache for DataCentre {
    async fn get(&self, key: &CacheKey) -> Option<String> {
        let address = self.address(key);
        SendFuture::new(async move {
            let mut kept = CacheApi::default().get(address, false).await.ok()??;
            kept.text().await.ok()
        })
        .await
    }

    async fn put(&self, key: &CacheKey, body: &str, lifetime_ms: i64) {
        let (address, body) = (self.address(key), body.as_bytes().to_vec());
        let lifetime = format!("public, max-age={}", lifetime_ms / 1_000);
        self.context.wait_until(async move {
            let Ok(response) = ResponseBuilder::new().with_header("cache-control", &lifetime) else { return };
            if let Err(error) = CacheApi::default().put(address, response.fixed(body)).await {
                console_error!("a copy was not kept: {error}");
            }
        });
    }
}
