//! A request: the site of every target, asked once.

use std::sync::Arc;

use fencepost_adapter_http::{BUILD_VERSION, HttpConfig, Spawner};
use fencepost_application::{Site, Stop};
use fencepost_domain::time::UnixMillis;
use fencepost_ports::{Budget, EdgeCache, NoCache};
use futures_util::future::BoxFuture;
use worker::{Context, Date, Env, Request, Response, Url};

use crate::{
    cache_api::CacheApi,
    compose,
    config::{Config, Misconfigured},
    http, overdue,
    platform_files::PlatformFiles,
    platform_parts::PlatformParts,
    player_rate::PlayerRate,
};

/// Answers a request.
pub(crate) async fn answer(request: Request, env: &Env, context: Context) -> worker::Result<Response> {
    let config = match http_config(&request, env, context) {
        Ok(config) => config,
        Err(problem) => {
            tracing::error!("{problem}");
            return http::outgoing(http::not_set_up()).await;
        }
    };
    let Some(request) = http::incoming(request) else {
        return http::outgoing(http::unreadable()).await;
    };
    http::outgoing(fencepost_adapter_http::answer(config, request).await).await
}

fn http_config(request: &Request, env: &Env, context: Context) -> Result<HttpConfig, Misconfigured> {
    let config = Config::of(env)?;
    let cache_host = cache_origin(&config, request).and_then(|origin| host_of(&origin));
    let budget = config.budget();
    let after = Arc::new(AfterTheAnswer(context));
    let site = compose::site(env, &config, budget.clone())?;
    let site = Site { cache: cache(&config, request, after.clone(), budget.clone()), ..site };
    let files_budget = budget.clone();
    let on_overdue = publish_overdue(env.clone(), config.clone(), budget, after.clone());
    Ok(HttpConfig {
        site,
        origin: origin(&config, request),
        environment: config.environment,
        admin_token: config.admin_token,
        secret: config.secret,
        build_version: BUILD_VERSION,
        stop: Stop::default(),
        spawner: Some(after),
        rate_limit: PlayerRate::of(env),
        sign_in_limit: PlayerRate::of(env),
        files: Arc::new(PlatformFiles::new(env.clone(), files_budget)),
        form_parts: Arc::new(PlatformParts),
        on_overdue: Some(on_overdue),
        host_now: Some(Arc::new(host_now)),
        cache_host,
    })
}

/// The public address. A production site has one of its own, and pages that name no
/// address are better than pages that name the wrong one of several.
fn origin(config: &Config, request: &Request) -> Option<String> {
    if config.origin.is_some() || config.is_production() {
        return config.origin.clone();
    }
    asked_at(request)
}

/// The origin that the client has asked.
fn asked_at(request: &Request) -> Option<String> {
    request.url().ok().map(|url| url.origin().ascii_serialization())
}

/// Below which origin the cache keeps its entries.
fn cache_origin(config: &Config, request: &Request) -> Option<String> {
    config.cache_origin.clone().or_else(|| asked_at(request))
}

fn host_of(origin: &str) -> Option<String> {
    Url::parse(origin).ok()?.host_str().map(str::to_owned)
}

/// The platform's clock, which nothing of the site goes by.
fn host_now() -> UnixMillis {
    UnixMillis::new(i64::try_from(Date::now().as_millis()).unwrap_or(i64::MAX))
}

/// The cache of the data centre, below the Worker's own origin: another one would have to
/// be looked up first.
fn cache(config: &Config, request: &Request, after: Arc<dyn Spawner>, budget: Budget) -> Arc<dyn EdgeCache> {
    match cache_origin(config, request) {
        Some(origin) => Arc::new(CacheApi::new(origin, after, budget)),
        None => Arc::new(NoCache),
    }
}

/// Starts a run for what a reader found overdue.
fn publish_overdue(
    env: Env,
    config: Config,
    budget: Budget,
    after: Arc<AfterTheAnswer>,
) -> Arc<dyn Fn(UnixMillis) + Send + Sync> {
    Arc::new(move |now| {
        if !overdue::may_run(now) {
            return;
        }
        match compose::site(&env, &config, overdue::share_of(&budget)) {
            Ok(site) => after.spawn(Box::pin(overdue::run(site))),
            Err(problem) => tracing::error!("{problem}; nothing that is overdue can be published"),
        }
    })
}

/// What the platform lets go on when the answer is sent, or when nobody waits for it any
/// more: for half a minute. What that cuts off, the next run takes over.
struct AfterTheAnswer(Context);

impl Spawner for AfterTheAnswer {
    fn spawn(&self, task: BoxFuture<'static, ()>) {
        self.0.wait_until(task);
    }
}
