//! What an answer costs at the least: a server that does nothing else.
//!
//! It returns the bytes and the headers of a page of the site from its memory. If it is told
//! a database, it asks it first for time and revision, with the text with which the site
//! asks: by SQLite's own interface, on a connection of the thread, with the statement
//! prepared once. Whoever is to be leaner has to ask less often than it is asked.

use std::{
    cell::RefCell,
    collections::BTreeMap,
    fs,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context;
use axum::{
    Router,
    body::Body,
    extract::State,
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode},
    response::Response,
    serve::ListenerExt,
};
use bytes::Bytes;
use clap::Args;
use fencepost_sql::revision_source;
use rusqlite::{Connection, OpenFlags};

use super::site::Page;
use crate::process::Server;

/// What the server returns, and whether it reads.
#[derive(Args, Debug)]
pub(crate) struct LimitOptions {
    /// The body
    #[arg(long)]
    body: PathBuf,
    /// The headers, as an object of JSON
    #[arg(long)]
    headers: PathBuf,
    /// The database to be asked before each answer
    #[arg(long)]
    database: Option<PathBuf>,
}

/// What HTTP itself writes.
const WRITTEN_ANYWAY: [&str; 2] = ["date", "content-length"];

/// Starts the server with a page of the site.
pub(super) fn start(page: &Page, database: Option<&Path>, folder: &Path) -> anyhow::Result<Server> {
    let [body, headers] = ["page.html", "headers.json"].map(|name| folder.join(name));
    fs::write(&body, &page.body)?;
    fs::write(&headers, serde_json::to_string(&told(page))?)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("limit").arg("--body").arg(body).arg("--headers").arg(headers);
    if let Some(database) = database {
        command.arg("--database").arg(database);
    }
    Server::start(&mut command)
}

/// The headers that whoever serves the page has to write.
pub(super) fn told(page: &Page) -> BTreeMap<&str, &str> {
    let headers = page.headers.iter().filter(|(name, _)| !WRITTEN_ANYWAY.contains(&name.as_str()));
    headers.filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?))).collect()
}

#[derive(Debug)]
struct Limit {
    headers: HeaderMap,
    body: Bytes,
    database: Option<PathBuf>,
}

/// Serves until it is ended.
pub(crate) fn limit(options: &LimitOptions) -> anyhow::Result<()> {
    let told: BTreeMap<String, String> = serde_json::from_str(&fs::read_to_string(&options.headers)?)?;
    let headers = told.iter().map(|(name, value)| {
        anyhow::Ok((HeaderName::try_from(name.as_str())?, HeaderValue::try_from(value.as_str())?))
    });
    let limit: &'static Limit = Box::leak(Box::new(Limit {
        headers: headers.collect::<anyhow::Result<_>>()?,
        body: fs::read(&options.body)?.into(),
        database: options.database.clone(),
    }));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        println!("listening on http://{}", listener.local_addr()?);
        let listener = listener.tap_io(|connection| {
            // One that cannot be set up is noticed by whoever uses it.
            let _ = connection.set_nodelay(true);
        });
        let router = Router::new().fallback(answer).with_state(limit);
        axum::serve(listener, router).await.context("the server ended")
    })
}

async fn answer(State(limit): State<&'static Limit>) -> Response {
    if let Some(database) = &limit.database
        && let Err(error) = read(database)
    {
        eprintln!("error: {error:#}");
        let mut refusal = Response::new(Body::empty());
        *refusal.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
        return refusal;
    }
    let mut response = Response::new(Body::from(limit.body.clone()));
    *response.headers_mut() = limit.headers.clone();
    response
}

/// Asks for time and revision, and looks at all that is said.
fn read(database: &Path) -> anyhow::Result<()> {
    thread_local! {
        static CONNECTION: RefCell<Option<Connection>> = const { RefCell::new(None) };
    }
    CONNECTION.with_borrow_mut(|connection| {
        let connection = match connection {
            Some(connection) => connection,
            None => connection.insert(Connection::open_with_flags(
                database,
                OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
            )?),
        };
        let mut statement = connection.prepare_cached(revision_source::moment().statement.sql())?;
        let columns = statement.column_count();
        let mut rows = statement.query([None::<i64>])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                row.get::<_, Option<i64>>(column)?;
            }
        }
        Ok(())
    })
}
