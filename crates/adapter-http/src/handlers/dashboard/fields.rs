//! The fields of a form of the dashboard.

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};

use fencepost_domain::action::{Actor, ActorError};

use super::Operator;
use crate::{
    asked::{Asked, Told},
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

impl Told for Sent {
    type Refusal = Response;

    const IS_OF_BODY: bool = true;

    fn read(asked: &mut Asked) -> Result<Self, Response> {
        let operator = Operator::read(asked)?;
        let fields = asked.take_fields();
        let (app, headers) = (asked.app(), asked.headers());
        let refused = |status, why| {
            html(status, Page::new(app, &operator.session, "That was not done").refusal(why)).into_response()
        };
        let incomplete = |status| refused(status, "It did not arrive in full, or is too long.");
        if !Form::is_in_parts(headers) && !Form::is_declared(headers) {
            return Err(refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "It was not sent as a form."));
        }
        let body = asked.body().map_err(incomplete)?;
        let form = match fields {
            None => Form::read(&body),
            Some(read) => read.map_err(|invalid| match invalid {
                InvalidParts::Incomplete => incomplete(StatusCode::BAD_REQUEST),
                InvalidParts::NoText => refused(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    "The file is no text in UTF-8. Go back, and save it as one.",
                ),
            })?,
        };
        if !operator.has_sent(app, form.first("mark"), headers) {
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
