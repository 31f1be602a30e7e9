//! Signing in and out.

use std::convert::Infallible;

use axum::{
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse, Redirect, Response},
};

use super::{
    fields::Sent,
    guest::{asked_to_sign_in, switched_off},
};
use crate::{
    asked::{Asked, Told},
    config::App,
    fault::Fault,
    form::Form,
    session::{self, Session},
    view::dashboard::SignInNote,
};

/// What was typed to sign in; nothing of a form that is none, or of another site's.
pub(crate) struct Typed(Form);

impl Told for Typed {
    type Refusal = Infallible;

    const IS_OF_BODY: bool = true;

    fn read(asked: &mut Asked) -> Result<Self, Infallible> {
        let is_acceptable = Form::is_declared(asked.headers()) && Form::is_own(asked.headers());
        let body = asked.body().ok().filter(|_| is_acceptable);
        Ok(Self(body.map(|body| Form::read(&body)).unwrap_or_default()))
    }
}

/// Signs somebody in who knows the token.
pub(crate) async fn sign_in(State(app): State<App>, Typed(form): Typed) -> Result<Response, Fault> {
    if let Some(page) = switched_off(&app) {
        return Ok(page);
    }
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
