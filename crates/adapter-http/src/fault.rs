//! What a reader is told when the store misbehaves: that it did, and no more.
//!
//! The message of a store names tables, files and machines. It goes to the log, once, from
//! here. The reader gets a page that says when to come back, and that is never kept.

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use fencepost_ports::{StoreError, StoreErrorKind};

use crate::{
    cache_headers::{NO_STORE, STORE_RETRY_SECONDS, html},
    view::Notice,
};

/// A page that could not be read.
#[derive(Debug)]
pub(crate) struct Fault(StoreError);

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Self {
        Self(error)
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let Self(error) = self;
        let mut response = if error.kind() == StoreErrorKind::Corrupt {
            tracing::error!("a page wants repair of its data: {error}");
            html(StatusCode::INTERNAL_SERVER_ERROR, Notice::broken().html())
        } else {
            tracing::error!(kind = ?error.kind(), "a page could not be read: {error}");
            let mut response = html(StatusCode::SERVICE_UNAVAILABLE, Notice::unavailable().html());
            response.headers_mut().insert(header::RETRY_AFTER, STORE_RETRY_SECONDS.into());
            response
        };
        response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
        response
    }
}
