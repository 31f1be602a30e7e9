//! The site on a machine: a server on the loopback address, and SQLite.
//!
//! Any number of these may run on one database at once. Ctrl-C ends one in the middle of
//! whatever it does, and so may a power cut: another one takes over, or the next.

use std::{env, io::Read, process::ExitCode, sync::Arc, time::Duration};

use anyhow::{Context, bail, ensure};
use async_trait::async_trait;
use axum::{
    Router,
    http::{HeaderName, Response, StatusCode, Uri},
    routing::get,
};
use fencepost_batch::Store;
use fencepost_core::{RandomTokens, TokenSource, cache_key::CacheKey, retry::Patience};
use fencepost_site::{Cache, HEADERS, Post, add, answer, in_words, publish_due};
use fencepost_sqlite::{Migration, SqliteOptions, SqliteRunner, TokioTimer};

const MIGRATIONS: &[Migration] =
    &[Migration { name: "0001_posts.sql", sql: include_str!("../migrations/0001_posts.sql") }];

const EVERY: Duration = Duration::from_secs(60);

/// How many posts one run publishes.
const AT_MOST: i64 = 100;

const USAGE: &str = "\
usage: fencepost-site [serve]
       fencepost-site publish
       fencepost-site add SLUG DUE TITLE < BODY

DUE is an instant such as 2026-12-24T18:00:00Z. The database is $DATABASE, or else
fencepost-site.db; the address is $LISTEN, or else 127.0.0.1:8787.";

type Site = Store<SqliteRunner>;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> anyhow::Result<()> {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let database = env::var("DATABASE").unwrap_or_else(|_| "fencepost-site.db".to_owned());
    let open =
        async || anyhow::Ok(Store::new(SqliteRunner::open(SqliteOptions::new(&database, MIGRATIONS)).await?));
    match words[..] {
        [] | ["serve"] => serve(open().await?).await,
        ["publish"] => publish(&open().await?).await,
        ["add", slug, due, title] => {
            // A bare number would be read as milliseconds, and a year as the first of 1970.
            ensure!(due.contains('T'), "{due} is no instant such as 2026-12-24T18:00:00Z");
            let due_at = due.parse()?;
            let mut body = String::new();
            std::io::stdin().read_to_string(&mut body).context("the body is not to be read")?;
            let post = Post { slug: slug.to_owned(), title: title.to_owned(), body };
            ensure!(add(&open().await?, &post, due_at).await?, "{slug} is out, and stays as it is");
            Ok(())
        }
        _ => bail!("{USAGE}"),
    }
}

async fn publish(site: &Site) -> anyhow::Result<()> {
    let patience = Patience { timer: &TokioTimer, tokens: &RandomTokens };
    for (slug, ended) in publish_due(site, patience, &RandomTokens.owner("server"), AT_MOST).await? {
        println!("{slug}: {}", in_words(&ended));
    }
    Ok(())
}

async fn serve(site: Site) -> anyhow::Result<()> {
    let listen = env::var("LISTEN").unwrap_or_else(|_| "127.0.0.1:8787".to_owned());
    let listener =
        tokio::net::TcpListener::bind(&listen).await.with_context(|| format!("cannot listen on {listen}"))?;
    let origin = format!("http://{}", listener.local_addr()?);
    println!("listening on {origin}");

    let site = Arc::new(site);
    let timed = Arc::clone(&site);
    tokio::spawn(async move {
        let mut interval = tokio::time::interval(EVERY);
        loop {
            interval.tick().await;
            if let Err(error) = publish(&timed).await {
                eprintln!("nothing was published: {error:#}");
            }
        }
    });

    let cache = Arc::new(Memory(quick_cache::sync::Cache::new(1_000)));
    let page = get(move |uri: Uri| async move {
        let reply = answer(&site, &*cache, &origin, uri.path()).await;
        if let Some(fault) = reply.fault {
            eprintln!("{}: {fault}", uri.path());
        }
        let mut response = Response::new(reply.body);
        *response.status_mut() =
            StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        for (name, value) in HEADERS {
            response.headers_mut().insert(HeaderName::from_static(name), value.parse().expect("plain ASCII"));
        }
        response
    });
    Ok(axum::serve(listener, Router::new().fallback_service(page)).await?)
}

/// Keeps what is asked for most. Nobody asks for what is over, so lifetimes do not matter.
struct Memory(quick_cache::sync::Cache<CacheKey, Arc<str>>);

#[async_trait]
impl Cache for Memory {
    async fn get(&self, key: &CacheKey) -> Option<String> {
        self.0.get(key).map(|body| body.to_string())
    }

    async fn put(&self, key: &CacheKey, body: &str, _: i64) {
        self.0.insert(key.clone(), body.into());
    }
}
