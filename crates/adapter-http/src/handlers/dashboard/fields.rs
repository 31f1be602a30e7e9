//! The fields of a form of the dashboard.

use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Request},
    http::StatusCode,
    response::{IntoResponse, Response},
};

use fencepost_domain::action::{Actor, ActorError};

use super::Operator;
use crate::{
    cache_headers::html,
    config::App,
    form::{Form, InvalidParts},
    view::dashboard::Page,
};

/// A form that somebody has sent who is signed in, from one of the pages of their session.
pub(crate) struct Sent {
    /// Who.
    pub(crate) operator: Operator,
    form: Form,
}

impl FromRequest<App> for Sent {
    type Rejection = Response;

    async fn from_request(request: Request, app: &App) -> Result<Self, Response> {
        let (mut parts, body) = request.into_parts();
        let operator = Operator::from_request_parts(&mut parts, app).await?;
        let headers = parts.headers.clone();
        let refused = |status, why| {
            html(status, Page::new(app, &operator.session, "That was not done").refusal(why)).into_response()
        };
        let incomplete = |status| refused(status, "It did not arrive in full, or is too long.");
        let in_parts = Form::is_in_parts(&headers);
        if !in_parts && !Form::is_declared(&headers) {
            return Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "It was not sent as a form."));
        }
        let body = Bytes::from_request(Request::from_parts(parts, body), app).await;
        let body = body.map_err(|rejection| incomplete(rejection.status()))?;
        let form = if in_parts {
            let read = Form::read_parts(&*app.form_parts, &headers, body).await;
            read.map_err(|invalid| match invalid {
                InvalidParts::Incomplete => incomplete(StatusCode::BAD_REQUEST),
                InvalidParts::NoText => refused(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    "The file is no text in UTF-8. Go back, and save it as one.",
                ),
            })?
        } else {
            Form::read(&body)
        };
        if !operator.has_sent(app, form.first("mark"), &headers) {
            let why =
                "The form was not sent from a page of this session. Go back, reload the page, and try again.";
            return Err(refused(StatusCode::FORBIDDEN, why));
        }
        Ok(Self { operator, form })
    }
}

impl Sent {
    /// Whoever is signed in, and why they do this, if they say so.
    pub(crate) fn actor(&self) -> Result<Actor, ActorError> {
        let reason = self.field("reason").map(str::parse).transpose()?;
        Ok(Actor { name: self.operator.session.operator.clone(), reason })
    }

    /// The same, or the page that says what is wrong with the reason.
    pub(crate) fn actor_or_refuse(&self, app: &App) -> Result<Actor, Box<Response>> {
        self.actor().map_err(|_| {
            let page = Page::new(app, &self.operator.session, "That was not done");
            let why = "A reason has at most 500 characters, on one line. Go back, and shorten it.";
            Box::new(html(StatusCode::UNPROCESSABLE_ENTITY, page.refusal(why)).into_response())
        })
    }

    /// The first field of this name that holds anything.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        self.form.first(name)
    }
}
