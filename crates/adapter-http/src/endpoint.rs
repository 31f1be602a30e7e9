//! What answers an address: the handlers of all of them as one type.
//!
//! The router is generic over its handlers, and some ten small functions of it are compiled
//! for each type of them. Here every handler is put behind one pointer first, so they are
//! compiled once: there are more than fifty handlers, and the size of a Worker counts.

use std::{pin::Pin, sync::Arc};

use axum::{
    extract::Request,
    handler::Handler,
    response::Response,
    routing::{self, MethodRouter},
};

use crate::config::App;

type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A handler, whichever it is.
#[derive(Clone)]
pub(crate) struct Endpoint(Arc<dyn Fn(Request, App) -> Answer + Send + Sync>);

impl Handler<(), App> for Endpoint {
    type Future = Answer;

    fn call(self, request: Request, app: App) -> Answer {
        self.0(request, app)
    }
}

/// Forgets which handler this is.
pub(crate) fn endpoint<H, T>(handler: H) -> Endpoint
where
    H: Handler<T, App, Future = Answer> + Sync,
{
    Endpoint(Arc::new(move |request, app| handler.clone().call(request, app)))
}

/// Answers `GET`, and `HEAD` without a body.
pub(crate) fn get<H, T>(handler: H) -> MethodRouter<App>
where
    H: Handler<T, App, Future = Answer> + Sync,
{
    routing::get(endpoint(handler))
}

/// Answers `POST`.
pub(crate) fn post<H, T>(handler: H) -> MethodRouter<App>
where
    H: Handler<T, App, Future = Answer> + Sync,
{
    routing::post(endpoint(handler))
}
