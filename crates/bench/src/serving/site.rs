//! The site that is measured, and what is asked of it.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, ensure};
use axum::http::{
    HeaderMap,
    header::{CONTENT_ENCODING, ETAG},
};
use bytes::Bytes;
use fencepost_domain::time::{PlayDate, UtcDay};
use serde_json::json;
use ureq::Agent;

use crate::{
    figures::Form,
    process::{Server, now, output_of},
};

/// Of how many days the site has answers: as many as the cache holds.
const ANSWERS: usize = 1_000;
/// Puzzles of one import.
const CHUNK: usize = 500;
const TOKEN: &str = "for-the-time-of-a-measurement";

/// What is asked for.
#[derive(Debug)]
pub(super) struct Demand {
    /// Where, in turn.
    pub(super) paths: Vec<String>,
    /// With which headers.
    pub(super) headers: Vec<(&'static str, String)>,
    /// What the answer has to be.
    pub(super) status: u16,
    /// Whether it has to be made anew.
    pub(super) is_miss: bool,
    /// Whether it comes from the cache.
    pub(super) is_hit: bool,
}

impl Demand {
    /// A page, which the cache has.
    pub(super) fn get(path: &str) -> Self {
        Self { paths: vec![path.to_owned()], headers: Vec::new(), status: 200, is_miss: false, is_hit: true }
    }

    /// A page, for a browser.
    pub(super) fn compressed(path: &str) -> Self {
        Self { headers: vec![("accept-encoding", "gzip".to_owned())], ..Self::get(path) }
    }

    /// Pages in turn, which the cache has once each was asked for.
    pub(super) fn gets(paths: Vec<String>) -> Self {
        Self { paths, ..Self::get("") }
    }

    /// Pages, which no cache keeps.
    pub(super) fn misses(paths: Vec<String>) -> Self {
        Self { is_miss: true, is_hit: false, ..Self::gets(paths) }
    }

    /// A page that the client has.
    pub(super) fn held(path: &str, tag: &str) -> Self {
        Self { headers: vec![("if-none-match", tag.to_owned())], status: 304, ..Self::get(path) }
    }

    /// What is not there, and is not kept either.
    pub(super) fn nothing(path: &str) -> Self {
        Self { status: 404, is_hit: false, ..Self::get(path) }
    }
}

/// An answer.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// Asks once.
pub(super) fn fetch(server: &Server, demand: &Demand) -> anyhow::Result<Page> {
    let path = demand.paths.first().context("a demand has a path")?;
    let page = ask(server, path, &demand.headers)?;
    ensure!(page.status == demand.status, "{path} is answered with {}", page.status);
    let wants = |name: &str| demand.headers.iter().any(|(wanted, _)| *wanted == name);
    let is_packed = page.headers.contains_key(CONTENT_ENCODING);
    ensure!(is_packed == wants("accept-encoding"), "{path} is answered with {:?}", page.headers);
    Ok(page)
}

fn ask(server: &Server, path: &str, headers: &[(&'static str, String)]) -> anyhow::Result<Page> {
    let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
    let request = headers
        .iter()
        .fold(agent.get(server.url(path)), |request, (name, value)| request.header(*name, value));
    let (head, mut body) = request.call().with_context(|| format!("{path} is not answered"))?.into_parts();
    Ok(Page { status: head.status.as_u16(), headers: head.headers, body: body.read_to_vec()?.into() })
}

/// How often the cache had it, and how often not.
#[derive(Clone, Copy, Debug)]
pub(super) struct CacheUses {
    hits: f64,
    others: f64,
}

/// A site in a folder.
pub(super) struct Site {
    program: PathBuf,
    folder: PathBuf,
    database: PathBuf,
    answers: Vec<String>,
    tag: String,
}

impl Site {
    /// Makes a site whose answers are out.
    pub(super) fn stock(program: &Path, folder: &Path, form: &Form) -> anyhow::Result<Self> {
        let count = form.choose(ANSWERS / 10, ANSWERS);
        println!("a site with {count} answers is made");
        let database = folder.join("fencepost.db");
        let answers = (1..=count).map(|id| format!("/answers/{id}")).collect();
        let program = std::path::absolute(program)?;
        let mut site = Self { program, folder: folder.to_owned(), database, answers, tag: String::new() };
        for from in (1..=count).step_by(CHUNK) {
            let puzzles: Vec<_> =
                (from..=count.min(from + CHUNK - 1)).map(puzzle).collect::<anyhow::Result<_>>()?;
            let file = folder.join("bank.json");
            fs::write(&file, json!({ "puzzles": puzzles }).to_string())?;
            output_of(site.command().arg("import").arg(&file))?;
        }
        output_of(site.command().args(["run", "publish", "--daily-quota", "1000000"]))?;
        let tag = fetch(&site.start(None)?, &Demand::get(site.answer()))?.headers.remove(ETAG);
        site.tag = tag.context("an answer has a tag")?.to_str()?.to_owned();
        Ok(site)
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).arg("--database").arg(&self.database);
        command.env("FENCEPOST_ADMIN_TOKEN", TOKEN).args(["--log", "error"]);
        command
    }

    fn serve(&self, address: SocketAddr, cache_megabytes: Option<u32>) -> Command {
        let mut command = self.command();
        command.arg("serve").arg("--listen").arg(address.to_string()).arg("--no-cron");
        // Pages name their origin, and are to be the same wherever the server listens.
        command.args(["--origin", "https://prices.example"]);
        if let Some(megabytes) = cache_megabytes {
            command.arg("--cache-megabytes").arg(megabytes.to_string());
        }
        command
    }

    /// Starts it, with as much of a cache as it has by itself, or with so much.
    pub(super) fn start(&self, cache_megabytes: Option<u32>) -> anyhow::Result<Server> {
        Server::start(&mut self.serve(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), cache_megabytes))
    }

    /// How long it takes from the start of a process to its first answer.
    pub(super) fn start_ms(&self) -> anyhow::Result<f64> {
        let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?;
        let started = now();
        let child = self.serve(address, None).stdout(Stdio::null()).spawn()?;
        let server = Server::at(child, address);
        while ask(&server, "/readyz", &[]).is_err() {
            ensure!(started.elapsed().as_secs() < 10, "the server does not answer");
        }
        Ok(started.elapsed().as_secs_f64() * 1_000.0)
    }

    /// The file.
    pub(super) fn database(&self) -> &Path {
        &self.database
    }

    /// The addresses of all answers.
    pub(super) fn answers(&self) -> Vec<String> {
        self.answers.clone()
    }

    /// The address of one answer.
    pub(super) fn answer(&self) -> &str {
        self.answers.last().map_or("/answers/1", String::as_str)
    }

    /// The tag of that answer.
    pub(super) fn tag(&self) -> &str {
        &self.tag
    }

    /// What the server says of its cache; `None` for what is no such server.
    pub(super) fn cache_uses(&self, server: &Server, subject: &str) -> anyhow::Result<Option<CacheUses>> {
        if subject != "fencepost" {
            return Ok(None);
        }
        let bearer = [("authorization", format!("Bearer {TOKEN}"))];
        let metrics = ask(server, "/metrics", &bearer)?;
        let text = std::str::from_utf8(&metrics.body)?;
        let count = |wanted: &dyn Fn(&str) -> bool| -> f64 {
            let lines = text.lines().filter_map(|line| line.strip_prefix("fencepost_cache_answers_total{"));
            let counts = lines.filter(|line| wanted(line)).filter_map(|line| line.rsplit(' ').next());
            counts.filter_map(|count| count.parse::<f64>().ok()).sum()
        };
        let is_hit = |line: &str| line.contains("\"hit\"");
        Ok(Some(CacheUses { hits: count(&is_hit), others: count(&|line| !is_hit(line)) }))
    }

    /// Makes sure that what was to be a hit was one.
    pub(super) fn check(
        &self,
        demand: &Demand,
        before: Option<CacheUses>,
        after: Option<CacheUses>,
    ) -> anyhow::Result<()> {
        let (Some(before), Some(after)) = (before, after) else { return Ok(()) };
        let (hits, others) = (after.hits - before.hits, after.others - before.others);
        // Midnight, and the end of a minute for the home page, make one anew now and then.
        let as_wanted = if demand.is_hit { hits > others * 20.0 } else { hits == 0.0 && others > 0.0 };
        ensure!(as_wanted, "{demand:?}: the cache had {hits} and had not {others}");
        Ok(())
    }
}

/// A puzzle whose page has about 8 KB, played so many days before the year 2022.
fn puzzle(id: usize) -> anyhow::Result<serde_json::Value> {
    let day = UtcDay::new(19_000 - i64::try_from(id)?);
    let paragraph = format!("Thing number {id} is *well made*, and measured with care. ").repeat(20);
    Ok(json!({
        "id": id,
        "play_date": PlayDate::from_utc_day(day)?.to_string(),
        "name": format!("Thing {id}"),
        "price_cents": 1_000 + id,
        "description": vec![paragraph; 5].join("\n\n"),
    }))
}
