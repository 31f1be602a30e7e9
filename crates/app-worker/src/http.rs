//! Between the Worker's requests and the router's.
//!
//! The platform's crate can convert both, but not as a site wants it. It answers a request
//! that has any header beyond ASCII, such as a `Referer` with an umlaut, with an error;
//! here such a header is passed on as the bytes that it is. And it sends every body in
//! pieces of unknown length; bodies of this site are whole in memory, and are sent whole.

use axum::{
    body::{Body, to_bytes},
    http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, header},
};
use worker::{Headers, ResponseBuilder};

/// The request as the router takes it; `None` for one that is none.
pub(crate) fn incoming(request: worker::Request) -> Option<Request<Body>> {
    let body = match request.inner().body() {
        Some(stream) => Body::new(worker::Body::new(stream)),
        None => Body::empty(),
    };
    let method = request.inner().method();
    let mut incoming =
        Request::builder().method(method.as_bytes()).uri(request.inner().url()).body(body).ok()?;
    *incoming.headers_mut() = headers(request.headers().entries());
    Some(incoming)
}

fn headers(entries: impl Iterator<Item = (String, String)>) -> HeaderMap {
    let read = |(name, value): (String, String)| {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        Some((name, HeaderValue::from_bytes(value.as_bytes()).ok()?))
    };
    let mut headers = HeaderMap::new();
    for (name, value) in entries.filter_map(read) {
        headers.append(name, value);
    }
    headers
}

/// The router's answer as the platform takes it.
pub(crate) async fn outgoing(response: Response<Body>) -> worker::Result<worker::Response> {
    let (head, body) = response.into_parts();
    let body =
        to_bytes(body, usize::MAX).await.map_err(|error| worker::Error::RustError(error.to_string()))?;
    let headers = Headers::new();
    for (name, value) in &head.headers {
        let value = value.to_str().map_err(|error| worker::Error::RustError(format!("{name}: {error}")))?;
        headers.append(name.as_str(), value)?;
    }
    let outgoing = ResponseBuilder::new().with_status(head.status.as_u16()).with_headers(headers);
    // A body of no bytes is still one, which some statuses may not have.
    Ok(if body.is_empty() { outgoing.empty() } else { outgoing.fixed(body.into()) })
}

/// The answer of a Worker that cannot be a site. Its log says what to correct.
pub(crate) fn not_set_up() -> Response<Body> {
    plain(
        StatusCode::INTERNAL_SERVER_ERROR,
        "This site is not set up correctly. Its log says which setting to correct.\n",
    )
}

/// The answer to what is no request.
pub(crate) fn unreadable() -> Response<Body> {
    plain(StatusCode::BAD_REQUEST, "This request cannot be read.\n")
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_arrive_as_the_bytes_that_they_are() {
        let sent =
            [("referer", "https://a.example/ü"), ("accept", "*/*"), ("accept", "text/html"), ("b c", "x")];
        let got = headers(sent.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(got[header::REFERER].as_bytes(), "https://a.example/ü".as_bytes());
        assert_eq!(got.get_all(header::ACCEPT).iter().collect::<Vec<_>>(), ["*/*", "text/html"]);
        assert_eq!(got.keys_len(), 2);
    }
}
