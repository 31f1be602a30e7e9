//! `verify`: is anything half published?

use std::{path::Path, process::ExitCode};

use fencepost_adapter_sqlite::FileForm;
use fencepost_ports::Violation;
use serde::Serialize;

use crate::{
    compose::{self, Composed},
    failure::Failure,
    options::{CommonOptions, Places},
    output::{plural, print, print_json, table},
};

/// The rule about photos that are not where they should be.
const MISSING_PHOTO: &str = "missing_photo";
/// What a check leaves out that is not told where photos are.
const PHOTOS: &str = "photos";

/// What was found.
#[derive(Serialize)]
struct Report {
    ok: bool,
    violations: Vec<Violation>,
    /// What was left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unchecked: Vec<&'static str>,
}

/// Checks a whole database and the photos it refers to: the one in use, or a copy in a file.
///
/// A copy is seldom taken together with its photos. So they are looked up if it was said
/// where they are, and the report says so if not.
pub(crate) async fn verify(
    options: &CommonOptions,
    file: Option<&Path>,
    json: bool,
) -> Result<ExitCode, Failure> {
    let places = options.places(false);
    let (composed, of_file) = match file {
        None => (compose::open_existing(options, &places).await?, None),
        Some(file) => {
            let (composed, form) = compose::inspect(options, file, &places).await?;
            (composed, Some((file, form)))
        }
    };
    let with_photos = file.is_none() || options.blobs.is_some();
    let checked = check(&composed, &places, with_photos, of_file).await;
    composed.store.runner().close().await;
    let (report, fine) = checked?;
    let code = if report.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if json {
        print_json(&report)?;
    } else {
        let not_checked = match report.unchecked.is_empty() {
            true => "",
            false => "\nnot checked: whether the photos are there; say where with --blobs",
        };
        print(&format!("{}{not_checked}", fine.unwrap_or_else(|| words(report.violations))))?;
    }
    Ok(code)
}

/// The report, and what is said if nothing is wrong.
async fn check(
    composed: &Composed,
    places: &Places,
    with_photos: bool,
    of_file: Option<(&Path, FileForm)>,
) -> Result<(Report, Option<String>), Failure> {
    let site = &composed.site;
    let (violations, unchecked) = if with_photos {
        (without_folder(site.verify().await?, &places.blobs), Vec::new())
    } else {
        (site.verify_without_photos().await?, vec![PHOTOS])
    };
    let report = Report { ok: violations.is_empty(), violations, unchecked };
    if !report.ok {
        return Ok((report, None));
    }
    let overview = site.status().await?;
    let place = match of_file {
        None => String::new(),
        Some((file, FileForm::Database)) => format!(" in the database {}", file.display()),
        Some((file, FileForm::Export)) => format!(" in the export {}", file.display()),
    };
    let fine = format!(
        "nothing wrong{place}: {} public, {} withdrawn, revision {}",
        plural(overview.published, "page"),
        overview.withdrawn,
        overview.publication_revision
    );
    Ok((report, Some(fine)))
}

/// One violation in place of those of every photo, when the folder itself is not there:
/// most likely, it is another one.
fn without_folder(mut violations: Vec<Violation>, folder: &Path) -> Vec<Violation> {
    if folder.is_dir() {
        return violations;
    }
    let missing: Vec<_> = violations.extract_if(.., |found| found.rule == MISSING_PHOTO).collect();
    if !missing.is_empty() {
        violations.push(Violation {
            rule: MISSING_PHOTO.to_owned(),
            subject: folder.display().to_string(),
            detail: format!(
                "the photos' folder does not exist, and {} should be in it; name the right one with --blobs",
                plural(missing.len(), "photo")
            ),
            rows: missing.into_iter().flat_map(|found| found.rows).collect(),
        });
    }
    violations
}

fn words(violations: Vec<Violation>) -> String {
    let count = plural(violations.len(), "violation");
    let head = ["rule", "subject", "rows", "detail"].map(str::to_owned).to_vec();
    let rows = violations.into_iter().map(|found| {
        let rows = shortened(&found);
        vec![found.rule, found.subject, rows, found.detail]
    });
    let rows: Vec<_> = std::iter::once(head).chain(rows).collect();
    format!("{}\n{count} found; keep a copy of the database before you mend anything", table(&rows))
}

/// The rows concerned, as far as they fit into a line; the report in JSON has all of them.
fn shortened(found: &Violation) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<_> = found.rows.iter().take(SHOWN).map(ToString::to_string).collect();
    let more = match found.rows.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", shown.join(", "))
}
