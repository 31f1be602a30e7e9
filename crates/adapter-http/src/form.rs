//! What a browser sends when somebody plays: a form.
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
    extract::{FromRequest, Request},
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use url::form_urlencoded;

use crate::{
    cache_headers::{NO_STORE, html},
    view::Notice,
};

/// By whom a browser was led to a request.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The form of the game. Empty fields count as none.
#[derive(Debug, Default)]
pub(crate) struct GameForm {
    /// What was typed as a guess.
    pub(crate) guess: Option<String>,
    /// The token of the game so far.
    pub(crate) game: Option<String>,
    /// The name that the browser has drawn for a game that begins.
    pub(crate) session_id: Option<String>,
}

impl<S: Send + Sync> FromRequest<S> for GameForm {
    type Rejection = Response;

    async fn from_request(request: Request, state: &S) -> Result<Self, Response> {
        if !is_own(request.headers()) {
            return Err(refused(StatusCode::FORBIDDEN));
        }
        let declared = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let essence = declared.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            return Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE));
        }
        let body = Bytes::from_request(request, state).await;
        body.map(|body| Self::read(&body)).map_err(|rejection| refused(rejection.status()))
    }
}

impl GameForm {
    fn read(body: &[u8]) -> Self {
        let mut form = Self::default();
        for (name, value) in form_urlencoded::parse(body) {
            let field = match &*name {
                "guess" => &mut form.guess,
                "game" => &mut form.game,
                "session_id" => &mut form.session_id,
                _ => continue,
            };
            if field.is_none() && !value.trim().is_empty() {
                *field = Some(value.into_owned());
            }
        }
        form
    }
}

/// Whether a form was sent by this site, or by nobody but the reader: as when they load its
/// answer again.
fn is_own(headers: &HeaderMap) -> bool {
    headers.get(SEC_FETCH_SITE).is_none_or(|site| site == "same-origin" || site == "none")
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
        let form = GameForm::read(b"guess=+18.99&game=&x=1&guess=2&session_id=a%20b");
        assert_eq!(form.guess.as_deref(), Some(" 18.99"));
        assert_eq!(form.game, None);
        assert_eq!(form.session_id.as_deref(), Some("a b"));
        assert_eq!(GameForm::read(b"\xff\xfe&=&&%").guess, None);
    }
}
