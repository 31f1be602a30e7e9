//! A request as handlers are told of it.
//!
//! Nothing of it has to be waited for: the body has arrived before anything is told, if the
//! handler takes something of it. So a part is an ordinary function of the request, and a
//! handler is a future of what it does itself, and of nothing else.

use std::{convert::Infallible, mem};

use axum::{
    body::Bytes,
    extract::{DefaultBodyLimit, FromRequest, RawQuery, Request, State},
    http::{HeaderMap, Method, StatusCode, Uri},
    response::{IntoResponse, Response},
};

use crate::{
    RateLimit,
    config::App,
    form::{Form, InvalidParts},
    handlers::dashboard::Operator,
    json::MAX_PLAYER_BODY_BYTES,
};

/// A request.
pub(crate) struct Asked {
    app: App,
    request: Request,
    /// As it arrived, or the status of one that did not.
    body: Result<Bytes, StatusCode>,
    /// How long the body may be, in bytes.
    longest: usize,
    /// The fields of a form in parts, as they were read off the body.
    fields: Option<Result<Form, InvalidParts>>,
    /// Who asks, if they have passed the door of the dashboard.
    operator: Option<Operator>,
}

impl Asked {
    pub(crate) fn new(app: App, request: Request) -> Self {
        Self {
            app,
            request,
            body: Ok(Bytes::new()),
            longest: MAX_PLAYER_BODY_BYTES,
            fields: None,
            operator: None,
        }
    }

    /// Reads the body, in full. A form in parts is taken apart here as well, since a platform may
    /// take its time for that.
    pub(crate) async fn read_body(&mut self) {
        let mut sent = Request::new(mem::take(self.request.body_mut()));
        DefaultBodyLimit::max(self.longest).apply(&mut sent);
        self.body = Bytes::from_request(sent, &()).await.map_err(|rejection| rejection.status());
        if let Ok(body) = self.body()
            && Form::is_in_parts(self.headers())
        {
            self.fields = Some(Form::read_parts(&*self.app.form_parts, self.request.headers(), body).await);
        }
    }

    pub(crate) fn app(&self) -> &App {
        &self.app
    }

    pub(crate) fn uri(&self) -> &Uri {
        self.request.uri()
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        self.request.headers()
    }

    pub(crate) fn method(&self) -> &Method {
        self.request.method()
    }

    /// Takes a body of other than a player's length.
    pub(crate) fn take_at_most(&mut self, bytes: usize) {
        self.longest = bytes;
    }

    /// Lets somebody in who is signed in.
    pub(crate) fn let_in(&mut self, operator: Operator) {
        self.operator = Some(operator);
    }

    /// Whoever was let in.
    pub(crate) fn operator(&self) -> Option<&Operator> {
        self.operator.as_ref()
    }

    /// Has the request counted: in how many seconds it may come again, if it is one too many.
    pub(crate) async fn let_count(&mut self, limit: &dyn RateLimit) -> Option<u64> {
        let (head, body) = mem::take(&mut self.request).into_parts();
        let seconds = limit.seconds_to_wait(&head).await;
        self.request = Request::from_parts(head, body);
        seconds
    }

    /// The body, or the status of one that is too long, or did not arrive in full.
    pub(crate) fn body(&self) -> Result<Bytes, StatusCode> {
        self.body.clone()
    }

    /// The fields of a form in parts that has arrived, for the one who takes them; `None` of any
    /// other body.
    pub(crate) fn take_fields(&mut self) -> Option<Result<Form, InvalidParts>> {
        self.fields.take()
    }
}

/// What a handler takes of a request.
pub(crate) trait Told: Sized {
    /// What is said if it cannot be told.
    type Refusal: IntoResponse;

    /// Whether it is read off the body, which is to arrive before.
    const IS_OF_BODY: bool = false;

    /// Reads it off the request.
    fn read(asked: &mut Asked) -> Result<Self, Self::Refusal>;

    /// The same, with the refusal as the answer that it is.
    fn told(asked: &mut Asked) -> Result<Self, Refused> {
        Self::read(asked).map_err(|refusal| Refused(Box::new(refusal.into_response())))
    }
}

/// The answer to a request of which something cannot be told. In a box, since whoever passes it
/// on has room for what is told otherwise.
pub(crate) struct Refused(pub(crate) Box<Response>);

impl Told for State<App> {
    type Refusal = Infallible;

    fn read(asked: &mut Asked) -> Result<Self, Infallible> {
        Ok(Self(asked.app.clone()))
    }
}

impl Told for RawQuery {
    type Refusal = Infallible;

    fn read(asked: &mut Asked) -> Result<Self, Infallible> {
        Ok(Self(asked.uri().query().map(str::to_owned)))
    }
}

impl Told for Uri {
    type Refusal = Infallible;

    fn read(asked: &mut Asked) -> Result<Self, Infallible> {
        Ok(asked.uri().clone())
    }
}

impl Told for HeaderMap {
    type Refusal = Infallible;

    fn read(asked: &mut Asked) -> Result<Self, Infallible> {
        Ok(asked.headers().clone())
    }
}

/// All that is left of it: whoever takes it takes it last.
impl Told for Request {
    type Refusal = Infallible;

    fn read(asked: &mut Asked) -> Result<Self, Infallible> {
        Ok(mem::take(&mut asked.request))
    }
}
