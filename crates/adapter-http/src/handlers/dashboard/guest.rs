//! Who asks: somebody who is signed in, or nobody in particular.

use axum::{
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use fencepost_domain::time::UnixMillis;

use crate::{
    asked::{Asked, Told},
    cache_headers::html,
    config::App,
    fault::Fault,
    session::Session,
    view::dashboard::{SignInNote, SignInPage},
};

/// Somebody who is signed in.
#[derive(Clone)]
pub(crate) struct Operator {
    /// Their session.
    pub(crate) session: Session,
    /// The instant of the request, by the store's clock.
    pub(crate) now: UnixMillis,
}

/// Lets a request pass of somebody who is signed in. Runs before anything else of the
/// dashboard looks at the request.
pub(crate) async fn require_operator(asked: &mut Asked) -> Result<(), Response> {
    if let Some(page) = switched_off(asked.app()) {
        return Err(page);
    }
    // A session ends by the store's clock, the only one that there is.
    let app = asked.app().clone();
    let moment = app.site.moment().await;
    let now = moment.map_err(|error| Fault::from(error).into_response())?.now;
    let session = Session::of(&app, asked.headers(), now).ok_or_else(|| asked_to_sign_in(None))?;
    asked.let_in(Operator { session, now });
    Ok(())
}

impl Told for Operator {
    type Refusal = Response;

    fn read(asked: &mut Asked) -> Result<Self, Response> {
        // Everything that asks stands behind `require_operator`.
        asked.operator().cloned().ok_or_else(|| asked_to_sign_in(None))
    }
}

impl Operator {
    /// Whether a form with this mark came from one of this session's pages.
    pub(crate) fn has_sent(&self, app: &App, mark: Option<&str>, request: &HeaderMap) -> bool {
        mark.is_some_and(|mark| self.session.has_sent(app, mark, request))
    }
}

/// The form to sign in, with what was wrong with the last try.
pub(crate) fn asked_to_sign_in(note: Option<SignInNote>) -> Response {
    html(StatusCode::UNAUTHORIZED, SignInPage::new(note).html())
}

/// What is said instead of everything else on a site that cannot let anybody in.
pub(crate) fn switched_off(app: &App) -> Option<Response> {
    let missing = match (&app.admin_token, &app.secret) {
        (None, _) => "an admin token (--admin-token, FENCEPOST_ADMIN_TOKEN)",
        (_, None) => "a secret (--secret, FENCEPOST_SECRET)",
        _ => return None,
    };
    Some(html(StatusCode::FORBIDDEN, SignInPage::switched_off(missing)))
}
