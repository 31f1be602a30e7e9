//! What a browser sends: a form.
//!
//! Fields that are not known are left alone, and so are all but the first of a name: what a
//! form has, this site has written. What was typed is judged by the handler, which can say
//! something better about it than that it was refused.
//!
//! Any site may have a form that is sent here, and what comes of it is a page of this one.
//! The script takes the game on such a page for its player's own: it would go on with a
//! stranger's game, and put its end into the record. So a form is refused of which the browser
//! says that another site has sent it. One that says nothing, as old ones do, is believed.

use axum::{
    body::Bytes,
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use url::form_urlencoded;

use crate::{
    FormParts,
    asked::{Asked, Told},
    cache_headers::{NO_STORE, html},
    view::Notice,
};

/// By whom a browser was led to a request.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The fields of a form.
#[derive(Debug, Default)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Whether a body says that it is one.
    pub(crate) fn is_declared(headers: &HeaderMap) -> bool {
        content_type(headers).eq_ignore_ascii_case("application/x-www-form-urlencoded")
    }

    /// Whether a body says that it is one in parts, as a form with a file comes.
    pub(crate) fn is_in_parts(headers: &HeaderMap) -> bool {
        content_type(headers).eq_ignore_ascii_case("multipart/form-data")
    }

    /// Whether it was sent by this site, or by nobody but the reader: as when they load its
    /// answer again.
    pub(crate) fn is_own(headers: &HeaderMap) -> bool {
        headers.get(SEC_FETCH_SITE).is_none_or(|site| site == "same-origin" || site == "none")
    }

    /// The fields of a body.
    pub(crate) fn read(body: &[u8]) -> Self {
        Self(form_urlencoded::parse(body).into_owned().collect())
    }

    /// The fields of a body in parts: a file is a field with what is in it.
    ///
    /// # Errors
    /// A body that is not all there, and a file that is no text: with its letters replaced,
    /// it would say something else than it does.
    pub(crate) async fn read_parts(
        reader: &dyn FormParts,
        headers: &HeaderMap,
        body: Bytes,
    ) -> Result<Self, InvalidParts> {
        if std::str::from_utf8(&body).is_err() {
            return Err(InvalidParts::NoText);
        }
        let declared = headers.get(header::CONTENT_TYPE).ok_or(InvalidParts::Incomplete)?;
        reader.read(declared, body).await.map(Self).ok_or(InvalidParts::Incomplete)
    }

    /// The first field of this name that holds anything.
    pub(crate) fn first(&self, name: &str) -> Option<&str> {
        let mut fields = self.0.iter().filter(|(found, value)| found == name && !value.trim().is_empty());
        fields.next().map(|(_, value)| value.as_str())
    }
}

/// Why a form in parts was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InvalidParts {
    /// It is not all there.
    Incomplete,
    /// A part of it is no text in UTF-8.
    NoText,
}

fn content_type(headers: &HeaderMap) -> &str {
    let declared = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    declared.unwrap_or_default().split(';').next().unwrap_or_default().trim()
}

/// The form of the game.
#[derive(Debug, Default)]
pub(crate) struct GameForm {
    /// What was typed as a guess.
    pub(crate) guess: Option<String>,
    /// The token of the game so far.
    pub(crate) game: Option<String>,
    /// The name that the browser has drawn for a game that begins.
    pub(crate) session_id: Option<String>,
}

impl Told for GameForm {
    type Refusal = Response;

    const IS_OF_BODY: bool = true;

    fn read(asked: &mut Asked) -> Result<Self, Response> {
        if !Form::is_own(asked.headers()) {
            return Err(refused(StatusCode::FORBIDDEN));
        }
        if !Form::is_declared(asked.headers()) {
            return Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        let form = Form::read(&asked.body().map_err(refused)?);
        let field = |name| form.first(name).map(str::to_owned);
        Ok(Self { guess: field("guess"), game: field("game"), session_id: field("session_id") })
    }
}

fn refused(status: StatusCode) -> Response {
    let mut response = html(status, Notice::unreadable_form(status).html()).into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_field_of_a_name_counts_if_it_holds_anything() {
        let form = Form::read(b"guess=+18.99&game=&x=1&guess=2&session_id=a%20b");
        assert_eq!(form.first("guess"), Some(" 18.99"));
        assert_eq!(form.first("game"), None);
        assert_eq!(form.first("session_id"), Some("a b"));
        assert_eq!(Form::read(b"\xff\xfe&=&&%").first("guess"), None);
    }
}
