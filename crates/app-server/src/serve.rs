//! The command `serve`: router, jobs and an orderly end.

use std::{
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use fencepost_adapter_http::{
    AdminToken, BUILD_VERSION, FilesWithin, HttpConfig, LibraryParts, Secret, WebhookSettings,
};
use fencepost_adapter_native::{CompressedTexts, HttpWebhook, MemoryCache, Reachable};
use fencepost_application::{Outlet, Site};
use fencepost_core::RandomTokens;
use fencepost_ports::{Stores, TokenSource};
use tokio::{net::TcpListener, task::JoinHandle};

use crate::{
    background::Background,
    compose::{self, Composed},
    compression::compressed,
    connections, demo,
    failure::Failure,
    options::{CommonOptions, Places, ServeOptions},
    output,
    player_rate::PlayerRate,
    scheduler,
    shutdown::Shutdown,
};

/// How often one address may try to sign in at the dashboard, in a minute.
const SIGN_INS_PER_MINUTE: u32 = 10;

/// How long what is in hand may take once the process was asked to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Serves the site until the process is asked to end.
pub(crate) async fn serve(common: &CommonOptions, options: &ServeOptions) -> Result<ExitCode, Failure> {
    let admin_token = options.admin_token.as_deref().map(admin_token).transpose()?;
    let secret = options.secret.as_deref().map(secret).transpose()?;
    let webhook = webhook(options, secret.as_ref())?;
    let shutdown = Shutdown::on_signals();
    // The address first: a process that cannot have it leaves the database alone.
    let listener = listen(options.listen).await?;
    let address = listener.local_addr().map_err(|error| cannot_listen(options.listen, &error))?;
    let places = common.places(options.demo);
    if options.demo {
        demo::make_room(&places)?;
    }
    let composed = compose::open(common, &places).await?;
    let revisions = compose::revisions(common, &places, &composed)?;
    let Composed { site, store } = composed;
    let (cache, texts) = memory(u64::from(options.cache_megabytes) * 1_000_000);
    let site = Site { cache: Arc::new(cache), stores: Stores { revisions, ..site.stores }, ..site };
    if options.demo {
        demo::stock(&site).await?;
    }
    let url = format!("http://{}", reachable(address));
    let token = match (&admin_token, options.demo) {
        (None, true) => Some(demo_token(&url)?),
        _ => admin_token,
    };
    let secret = match (secret, options.demo) {
        (None, true) => Some(self::secret(&RandomTokens.draw())?),
        (secret, _) => secret,
    };
    tell_where(&places, &url, token.is_some(), options);
    let origin = origin(options, &common.environment, url);
    let outlet = webhook.map(|settings| outlet(settings, origin.clone()));
    let site = Site { outlet, ..site };
    let changes = Background::default();
    let spawner = changes.clone();
    let router = fencepost_adapter_http::router(HttpConfig {
        site: site.clone(),
        origin,
        environment: common.environment.clone(),
        admin_token: token,
        secret,
        build_version: BUILD_VERSION,
        stop: shutdown.stop().clone(),
        spawner: Some(Arc::new(move |change| spawner.spawn(change))),
        rate_limit: PlayerRate::per_minute(options.player_rate, options.behind_proxy),
        sign_in_limit: PlayerRate::per_minute(SIGN_INS_PER_MINUTE, options.behind_proxy),
        files: Arc::new(FilesWithin),
        form_parts: Arc::new(LibraryParts),
        // The agenda asks the store itself, and does not wait for readers.
        on_overdue: None,
        // SQLite asks this very machine.
        host_now: None,
        cache_host: None,
    });
    let server = tokio::spawn(connections::serve(listener, compressed(router, texts), shutdown.clone()));
    // Nobody may be reading this, and the log has said it already.
    let _ = output::print(&format!("listening on http://{address}"));
    // Whoever runs no jobs may have others run them, and is told what they do.
    let site_of_deliveries = site.outlet.is_some().then(|| site.clone());
    let jobs = (!options.no_cron).then(|| {
        let photos = scheduler::prepare_photos(site.clone(), shutdown.clone());
        let jobs = scheduler::run(site, shutdown.clone());
        tokio::spawn(async move {
            tokio::join!(photos, jobs);
        })
    });
    let deliveries = site_of_deliveries.map(|site| tokio::spawn(scheduler::deliver(site, shutdown.clone())));

    shutdown.requested().await;
    let in_time = tokio::time::timeout(PATIENCE, finish(server, jobs, deliveries, changes)).await.is_ok();
    if in_time {
        store.runner().close().await;
        tracing::info!("stopped");
    } else {
        tracing::warn!(
            "stopped after {} s with work in hand; another process, or the next start, takes it over when its lease ends",
            PATIENCE.as_secs()
        );
    }
    Ok(ExitCode::SUCCESS)
}

async fn finish(
    server: JoinHandle<()>,
    jobs: Option<JoinHandle<()>>,
    deliveries: Option<JoinHandle<()>>,
    changes: Background,
) {
    for (what, task) in [("jobs", jobs), ("deliveries", deliveries)] {
        if let Some(task) = task
            && let Err(error) = task.await
        {
            tracing::error!("the {what} ended before they were asked to: {error}; please report this");
        }
    }
    if let Err(error) = server.await {
        tracing::error!("the server ended before it was asked to: {error}; please report this");
    }
    changes.end().await;
}

async fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(address).await.map_err(|error| cannot_listen(address, &error))
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Failure {
    Failure::fault(format!(
        "cannot listen on {address}: {error}; stop what listens there, or choose another address with --listen (port 0 takes a free one)"
    ))
}

/// The address to open in a browser on this machine.
fn reachable(address: SocketAddr) -> SocketAddr {
    let mut address = address;
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// What pages may take, in two parts. Compressed, they are a third of what they are, so each
/// page has room for both of its forms.
fn memory(bytes: u64) -> (MemoryCache, Option<Arc<CompressedTexts>>) {
    let for_texts = bytes / 4;
    let texts = (for_texts > 0).then(|| Arc::new(CompressedTexts::new(for_texts)));
    (MemoryCache::new(bytes - for_texts), texts)
}

/// The public address. A production site stands behind something that has the real one,
/// and pages that name no address are better than pages that name a wrong one.
fn origin(options: &ServeOptions, environment: &str, url: String) -> Option<String> {
    if options.origin.is_none() && environment == "production" {
        tracing::warn!("pages name no public address of the site; tell it with --origin");
        return None;
    }
    Some(options.origin.clone().unwrap_or(url))
}

fn admin_token(text: &str) -> Result<AdminToken, Failure> {
    AdminToken::new(text).map_err(|error| Failure::usage(format!("--admin-token: {error}")))
}

fn secret(text: &str) -> Result<Secret, Failure> {
    Secret::new(text).map_err(|error| Failure::usage(format!("--secret: {error}")))
}

fn webhook(options: &ServeOptions, secret: Option<&Secret>) -> Result<Option<WebhookSettings>, Failure> {
    WebhookSettings::read(
        options.webhook_url.as_deref(),
        options.webhook_secret.as_deref(),
        options.webhook_events.as_deref(),
        options.allow_private_webhook,
        secret,
    )
    .map_err(|error| Failure::usage(format!("--webhook-url, --webhook-secret, --webhook-events: {error}")))
}

fn outlet(settings: WebhookSettings, origin: Option<String>) -> Outlet {
    let reachable = if settings.allow_private { Reachable::Everything } else { Reachable::Public };
    let webhook = HttpWebhook::new(settings.url.clone(), reachable);
    settings.outlet(Arc::new(webhook), origin)
}

/// A token for this start of the demo, told once.
fn demo_token(url: &str) -> Result<AdminToken, Failure> {
    let token = RandomTokens.draw();
    tracing::info!(
        "admin API for this start: curl -H 'Authorization: Bearer {token}' {url}/admin/api/status"
    );
    admin_token(&token)
}

fn tell_where(places: &Places, url: &str, has_admin: bool, options: &ServeOptions) {
    tracing::info!("the site is at {url}/ and its answers are at {url}/answers");
    tracing::info!("the database is {}, photos are in {}", places.database.display(), places.blobs.display());
    if !has_admin {
        tracing::info!("the admin API is off; --admin-token or FENCEPOST_ADMIN_TOKEN turns it on");
    }
    if options.no_cron {
        tracing::info!("no job runs by itself here (--no-cron)");
    }
}
