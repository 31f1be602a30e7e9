//! `verify`: is anything half published?

use std::{path::Path, process::ExitCode};

use fencepost_ports::Violation;
use serde::Serialize;

use crate::{
    compose::{self, Composed},
    failure::Failure,
    options::CommonOptions,
    output::{plural, print, print_json, table},
};

/// The rule about photos that are not where they should be.
const MISSING_PHOTO: &str = "missing_photo";

/// Checks the whole database and the photos it refers to.
pub(crate) async fn verify(options: &CommonOptions, json: bool) -> Result<ExitCode, Failure> {
    #[derive(Serialize)]
    struct Report {
        ok: bool,
        violations: Vec<Violation>,
    }
    let places = options.places(false);
    let Composed { site, store } = compose::open_existing(options, &places).await?;
    let violations = without_folder(site.verify().await?, &places.blobs);
    let overview = site.status().await?;
    store.runner().close().await;
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

/// One violation in place of those of every photo, when the folder itself is not there:
/// most likely, it is another one.
fn without_folder(mut violations: Vec<Violation>, folder: &Path) -> Vec<Violation> {
    let before = violations.len();
    if !folder.is_dir() {
        violations.retain(|found| found.rule != MISSING_PHOTO);
    }
    let photos = before - violations.len();
    if photos > 0 {
        violations.push(Violation {
            rule: MISSING_PHOTO.to_owned(),
            subject: folder.display().to_string(),
            detail: format!(
                "the photos' folder does not exist, and {} should be in it; name the right one with --blobs",
                plural(photos, "photo")
            ),
        });
    }
    violations
}

fn words(violations: Vec<Violation>) -> String {
    let count = plural(violations.len(), "violation");
    let head = ["rule", "subject", "detail"].map(str::to_owned).to_vec();
    let rows = violations.into_iter().map(|found| vec![found.rule, found.subject, found.detail]);
    let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
    format!("{}\n{count} found; keep a copy of the database before you mend anything", table(&rows))
}
