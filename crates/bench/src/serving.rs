//! What a request costs on the native server.
//!
//! The site is a real one: a database with a thousand answers that the program
//! published itself, in a process of its own. So is the load: `wrk`, in another process, with
//! as many connections as the case says, each of which asks again as soon as it is answered.
//! On a machine of two cores they take them from each other, which is the same for all
//! subjects.
//!
//! Beside it stand, with the same bytes, and but for nginx, which adds its own, with the same
//! headers:
//!
//! - *axum*, the limit: a handler that returns them from memory;
//! - *axum with the read*: the same, and the one query without which no answer can be known
//!   to be fresh, by SQLite's own interface ([`mod@limit`]);
//! - *nginx, from disk* and *nginx, from its cache*, where it is installed.
//!
//! Every subject is asked once before it is measured, and has to give the same bytes; and
//! whether a hit was one, the site's own counters tell.

mod site;

mod limit;
pub(crate) use limit::{LimitOptions, limit};

mod nginx;

mod wrk;

use std::path::Path;

use anyhow::{Context, ensure};

use crate::figures::{Form, Samples};
use site::{Demand, Site};

/// How many connections ask at once.
const CONNECTIONS: [u32; 3] = [1, 32, 256];
/// The number of connections of the case that everything else is measured at as well.
const USUAL: u32 = 32;

/// A page that is asked for.
struct Case {
    name: &'static str,
    demand: Demand,
    /// Measured beside the others, and at every number of connections even in the short form.
    in_full: bool,
}

impl Case {
    /// How long it is asked for: what a goal is about, for longer.
    fn seconds(&self, form: &Form) -> u32 {
        form.choose(1, if self.in_full { 3 } else { 2 })
    }
}

/// Measures all cases.
pub(crate) fn measure(server: &Path, form: &Form) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let site = Site::stock(server, folder.path(), form)?;
    let hits = site.start(None)?;
    let misses = site.start(Some(0))?;
    let mut samples = Samples::default();

    let page = site::fetch(&hits, &Demand::get(site.answer()))?;
    let read = limit::start(&page, Some(site.database()), folder.path())?;
    let bare = limit::start(&page, None, folder.path())?;
    let nginx = nginx::start(&page, &bare, folder.path())?;
    let mut beside = vec![("axum with the read", &read), ("axum", &bare)];
    match &nginx {
        Some(nginx) => {
            beside.extend([("nginx, from its cache", &nginx.cache), ("nginx, from disk", &nginx.disk)])
        }
        None => println!("nginx is not installed, and is left out"),
    }
    for (name, other) in &beside {
        let given = site::fetch(other, &Demand::get(site.answer()))?;
        ensure!(given.body == page.body, "{name} gives other bytes than the site");
    }

    for case in cases(&site) {
        site::fetch(if case.demand.is_miss { &misses } else { &hits }, &case.demand)?;
    }
    let rounds = form.choose(1, 5);
    for round in 1..=rounds {
        println!("round {round} of {rounds}");
        for case in cases(&site) {
            let server = if case.demand.is_miss { &misses } else { &hits };
            let subjects = std::iter::once(("fencepost", server)).chain(
                case.in_full.then_some(&beside).into_iter().flatten().map(|(name, server)| (*name, *server)),
            );
            let mut subjects: Vec<_> = subjects.collect();
            // Whoever comes first meets another machine than whoever comes last.
            let turn = (round - 1) % subjects.len();
            subjects.rotate_left(turn);
            for connections in CONNECTIONS {
                if connections != USUAL && !case.in_full && form.short {
                    continue;
                }
                for (subject, server) in &subjects {
                    let before = site.cache_uses(server, subject)?;
                    let load =
                        wrk::run(server, &case.demand, connections, case.seconds(form), folder.path())?;
                    site.check(&case.demand, before, site.cache_uses(server, subject)?)?;
                    let name = format!("{}, {}", case.name, wrk::connections(connections));
                    samples.add(&name, subject, "requests/s", load.per_second);
                    samples.add(&name, subject, "ms p50", load.p50_ms);
                    samples.add(&name, subject, "ms p99", load.p99_ms);
                }
            }
        }
    }
    for (case, server) in [("memory of hits", &hits), ("memory of misses", &misses)] {
        let [now, highest] = server.memory().context("cannot read how much memory the server takes")?;
        samples.add(case, "fencepost", "MB now", now);
        samples.add(case, "fencepost", "MB at its highest", highest);
    }
    drop((hits, misses));
    for _ in 0..form.choose(1, 9) {
        samples.add("start to first answer", "fencepost", "ms", site.start_ms()?);
    }
    samples.into_part("serving").write(&form.output)
}

fn cases(site: &Site) -> Vec<Case> {
    let of = |name, demand, in_full| Case { name, demand, in_full };
    vec![
        of("answer hit", Demand::get(site.answer()), true),
        of("answer hit, gzip", Demand::compressed(site.answer()), false),
        of("any answer hit", Demand::gets(site.answers()), false),
        of("answer miss", Demand::misses(site.answers()), false),
        of("home", Demand::get("/"), false),
        of("feed", Demand::get("/feed.xml"), false),
        of("304", Demand::held(site.answer(), site.tag()), false),
        of("404", Demand::nothing("/answers/999999"), false),
    ]
}
