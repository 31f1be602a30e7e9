//! An export as a file to be kept: for programs at `/admin/api/export/{export}`, and for
//! people at `/admin/export/{export}`.
//!
//! One answer holds as much as an invocation can read and keep in memory. What does not fit is
//! not left out in silence: the answer says where to go on.

use axum::{
    http::{HeaderValue, header},
    response::Response,
};
use fencepost_application::{ExportFormat, ExportPart};
use fencepost_domain::export::Export;
use url::form_urlencoded;

use super::row_number::row_number;
use crate::cache_headers::{NO_STORE, with_type};

/// After how many bytes an answer is long enough: a Worker has 128 MB, in which the answer
/// stands up to three times.
pub(crate) const ROOM: usize = 8 * 1024 * 1024;

const ALL_THAT_THERE_IS: &str = "ask for format= and after=, and nothing else";

/// How an export is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// How it is to be written.
    pub(crate) format: ExportFormat,
    /// The key behind which it is to begin; 0 is before all of them.
    pub(crate) after: i64,
    /// Whether a part of it is welcome as such. A page of the dashboard asks so; a program is
    /// told of the rest by a header, and has no need to.
    pub(crate) is_part: bool,
}

impl Wanted {
    /// What a query asks for. One that is not understood as a whole is refused: it would lead
    /// to a file that is another one than somebody believes.
    ///
    /// # Errors
    /// The parameter that is not understood, and what it may be.
    pub(crate) fn read(query: Option<&str>) -> Result<Self, (String, &'static str)> {
        let mut wanted = Self { format: ExportFormat::JsonLines, after: 0, is_part: false };
        let mut read = Vec::new();
        for (name, value) in form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            if read.contains(&name) {
                return Err((name.into_owned(), "ask for it once"));
            }
            match (&*name, &*value) {
                ("format", "jsonl") => wanted.format = ExportFormat::JsonLines,
                ("format", "csv") => wanted.format = ExportFormat::Csv,
                ("after", "0") => wanted.after = 0,
                ("after", number) if row_number(number).is_some() => {
                    wanted.after = row_number(number).unwrap_or_default();
                }
                ("part", "yes") => wanted.is_part = true,
                ("format", _) => return Err((name.into_owned(), "the format is jsonl or csv")),
                ("after", _) => return Err((name.into_owned(), "after is a whole number, as told by Link")),
                _ => return Err((name.into_owned(), ALL_THAT_THERE_IS)),
            }
            read.push(name);
        }
        Ok(wanted)
    }

    /// What the query of a program asks for.
    ///
    /// # Errors
    /// As [`Wanted::read`], and for what only a page of the dashboard asks for.
    pub(crate) fn read_api(query: Option<&str>) -> Result<Self, (String, &'static str)> {
        match Self::read(query)? {
            wanted if wanted.is_part => Err(("part".to_owned(), ALL_THAT_THERE_IS)),
            wanted => Ok(wanted),
        }
    }

    /// The same, from somewhere else on.
    pub(crate) fn query_after(self, after: i64) -> String {
        format!("format={}&after={after}", extension(self.format))
    }
}

/// The part as a file, which nobody keeps on the way. `place` is the address that it was
/// asked for at, for whoever wants the next one.
pub(crate) fn file(place: &str, export: Export, wanted: Wanted, part: ExportPart) -> Response {
    let content_type = match wanted.format {
        // What everybody calls it; nothing is registered for it.
        ExportFormat::JsonLines => "application/jsonl",
        ExportFormat::Csv => "text/csv; charset=utf-8; header=present",
    };
    let mut response = with_type(content_type, part.text);
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, NO_STORE);
    let behind = if wanted.after > 0 { format!("-after-{}", wanted.after) } else { String::new() };
    let up_to = part.next.map(|last| format!("-up-to-{last}")).unwrap_or_default();
    let name = format!("fencepost-{export}{behind}{up_to}.{}", extension(wanted.format));
    headers.insert(header::CONTENT_DISPOSITION, text(&format!("attachment; filename=\"{name}\"")));
    if let Some(last) = part.next {
        headers.insert(header::LINK, text(&format!("<{place}?{}>; rel=\"next\"", wanted.query_after(last))));
    }
    response
}

const fn extension(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::JsonLines => "jsonl",
        ExportFormat::Csv => "csv",
    }
}

fn text(value: &str) -> HeaderValue {
    HeaderValue::try_from(value).expect("words and numbers are visible ASCII")
}
