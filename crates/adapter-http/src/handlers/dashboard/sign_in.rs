//! Signing in and out.

use axum::{
    body::Bytes,
    extract::{FromRequest, Request, State},
    http::{HeaderValue, header},
    response::{IntoResponse, Redirect, Response},
};

use super::{
    fields::Sent,
    guest::{asked_to_sign_in, switched_off},
};
use crate::{
    config::App,
    fault::Fault,
    form::Form,
    json::MAX_PLAYER_BODY_BYTES,
    session::{self, Session},
    view::dashboard::SignInNote,
};

/// Signs somebody in who knows the token.
pub(crate) async fn sign_in(State(app): State<App>, request: Request) -> Result<Response, Fault> {
    if let Some(page) = switched_off(&app) {
        return Ok(page);
    }
    let is_acceptable = Form::is_declared(request.headers()) && Form::is_own(request.headers());
    let body = Bytes::from_request(request, &app).await.unwrap_or_default();
    let form = if is_acceptable && body.len() <= MAX_PLAYER_BODY_BYTES {
        Form::read(&body)
    } else {
        Form::default()
    };
    // The token first: whoever has not got it learns nothing about names.
    let presented = form.first("token").unwrap_or_default();
    if !app.admin_token.as_ref().is_some_and(|token| token.matches(presented)) {
        return Ok(asked_to_sign_in(Some(SignInNote::WrongToken)));
    }
    let Some(operator) = form.first("name").and_then(fencepost_domain::action::ActorName::read) else {
        return Ok(asked_to_sign_in(Some(SignInNote::NoName)));
    };
    let now = app.site.moment().await?.now;
    tracing::info!(operator = operator.as_str(), "signed in at the dashboard");
    let cookie = Session::begin(operator, now).cookie(&app);
    Ok(onward(cookie))
}

/// The form, for whoever comes without having sent it.
pub(crate) async fn door(State(app): State<App>) -> Response {
    switched_off(&app).unwrap_or_else(|| asked_to_sign_in(None))
}

/// Signs somebody out, on this device.
pub(crate) async fn sign_out(State(app): State<App>, sent: Sent) -> Response {
    tracing::info!(operator = sent.operator.session.operator.as_str(), "signed out of the dashboard");
    onward(Some(session::forget(&app)))
}

fn onward(cookie: Option<HeaderValue>) -> Response {
    let mut response = Redirect::to("/admin").into_response();
    if let Some(cookie) = cookie {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}
