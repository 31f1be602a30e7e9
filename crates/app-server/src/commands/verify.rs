//! `verify`: is anything half published?

use std::process::ExitCode;

use fencepost_ports::Violation;
use serde::Serialize;

use crate::{
    compose::{self, Composed},
    failure::Failure,
    options::CommonOptions,
    output::{plural, print, print_json, table},
};

/// Checks the whole database and the photos it refers to.
pub(crate) async fn verify(options: &CommonOptions, json: bool) -> Result<ExitCode, Failure> {
    #[derive(Serialize)]
    struct Report {
        ok: bool,
        violations: Vec<Violation>,
    }
    let Composed { site, store } = compose::open_existing(options).await?;
    let violations = site.verify().await?;
    let overview = site.status().await?;
    store.close().await;
    let code = if violations.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if json {
        print_json(&Report { ok: violations.is_empty(), violations })?;
    } else if violations.is_empty() {
        print(&format!(
            "nothing wrong: {} public, {} withdrawn, revision {}",
            plural(overview.published, "page"),
            overview.withdrawn,
            overview.publication_revision
        ))?;
    } else {
        print(&words(violations))?;
    }
    Ok(code)
}

fn words(violations: Vec<Violation>) -> String {
    let count = plural(violations.len(), "violation");
    let head = ["rule", "subject", "detail"].map(str::to_owned).to_vec();
    let rows = violations.into_iter().map(|found| vec![found.rule, found.subject, found.detail]);
    let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
    format!("{}\n{count} found; keep a copy of the database before you mend anything", table(&rows))
}
