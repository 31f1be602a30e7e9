//! What may be kept of an answer, by whom, and for how long.
//!
//! A withdrawal must be seen by the next request, everywhere, and nobody's copy can be
//! purged. So nothing that depends on the store may be *used* without asking first:
//! `max-age=0, must-revalidate`, and an `ETag` that makes asking cheap. The tag is a hash
//! of the content, not of the revision: a publication elsewhere leaves a reader's copy of
//! this page valid.
//!
//! Errors carry no tag. A condition applies only to a request that would otherwise succeed,
//! so there is nothing that `304` could say about them.

use std::convert::Infallible;

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};
use fencepost_application::Served;
use futures_util::stream;

/// Kept, but asked about before every use.
pub(crate) const REVALIDATE: HeaderValue = HeaderValue::from_static("public, max-age=0, must-revalidate");
/// Its address changes with its content.
pub(crate) const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// For whoever asked, and not kept at all.
const FOR_ONE: HeaderValue = HeaderValue::from_static("private, no-store");
/// Not kept at all.
pub(crate) const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");

/// The revision that came with the content.
pub(crate) const X_PUBLICATION_REVISION: HeaderName = HeaderName::from_static("x-publication-revision");
/// Says `noindex` where no HTML does, and again where HTML does.
pub(crate) const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// How many headers an answer has when it leaves, at most: room is made for them once.
const HEADERS: usize = 16;

/// How long a reader of a page that could not be read is told to wait, in seconds.
pub(crate) const STORE_RETRY_SECONDS: i64 = 5;

/// A strong entity tag, quotes included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EntityTag(String);

impl EntityTag {
    /// A tag that is spelled out: visible ASCII without quotes.
    pub(crate) fn spelled(tag: &str) -> Self {
        Self(format!("\"{tag}\""))
    }

    fn header(self) -> HeaderValue {
        HeaderValue::try_from(self.0).expect("a tag is visible ASCII")
    }

    /// Whether the client has this already, by its `If-None-Match`. Compared weakly, as
    /// RFC 9110 wants it: a tag that a proxy marked `W/` still names the same content.
    pub(crate) fn is_held_by(&self, request: &HeaderMap) -> bool {
        let values = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        values.into_iter().any(|list| list.trim() == "*" || listed_tags(list).any(|tag| tag == self.0))
    }
}

/// The tags of an `If-None-Match`, quotes included and `W/` left out, up to the first thing
/// that is none. A tag may contain commas, so the list cannot simply be split.
fn listed_tags(list: &str) -> impl Iterator<Item = &str> {
    let mut rest = list;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let tag = rest.strip_prefix("W/").unwrap_or(rest);
        let inner = tag.strip_prefix('"')?;
        let length = inner.find('"')? + 2;
        let (tag, after) = tag.split_at(length);
        rest = after;
        Some(tag)
    })
}

/// The answer to a request with these headers.
pub(crate) fn respond(served: Served, request: &HeaderMap) -> Response {
    let Served { reply, now, .. } = served;
    let tag = reply.tag.as_deref().map(EntityTag::spelled);
    let mut response = match &tag {
        Some(tag) if tag.is_held_by(request) => not_modified(),
        _ => {
            let mut response = Response::new(Body::from(reply.body.clone()));
            *response.status_mut() = StatusCode::from_u16(reply.status).expect("views use known statuses");
            let content_type = HeaderValue::try_from(&reply.content_type);
            response
                .headers_mut()
                .insert(header::CONTENT_TYPE, content_type.expect("content types are visible ASCII"));
            response
        }
    };
    let headers = response.headers_mut();
    headers.reserve(HEADERS);
    headers.insert(header::CACHE_CONTROL, REVALIDATE);
    headers.insert(X_PUBLICATION_REVISION, reply.revision.get().into());
    if let Some(tag) = tag {
        headers.insert(header::ETAG, tag.header());
    }
    if !reply.indexable {
        headers.insert(X_ROBOTS_TAG, HeaderValue::from_static("noindex"));
    }
    if let Some(retry) = reply.retry {
        headers.insert(header::RETRY_AFTER, retry.seconds(now).into());
    }
    response
}

/// The answer to the holder of an address that is a secret: kept by nobody, and the address
/// told to no other site. No condition applies to what is not kept.
pub(crate) fn respond_to_holder(served: Served) -> Response {
    let mut response = respond(served, &HeaderMap::new());
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, FOR_ONE);
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}

/// A file, kept as `kept` says; `None` for somebody who has it.
pub(crate) fn file(
    tag: &EntityTag,
    content_type: &'static str,
    content: Option<Bytes>,
    kept: HeaderValue,
) -> Response {
    let mut response = content.map_or_else(not_modified, |content| with_type(content_type, content));
    response.headers_mut().insert(header::CACHE_CONTROL, kept);
    response.headers_mut().insert(header::ETAG, tag.clone().header());
    response
}

/// HTML without any promise about how long it is true.
pub(crate) fn html(status: StatusCode, html: String) -> Response {
    let mut response = with_type("text/html; charset=utf-8", html);
    *response.status_mut() = status;
    response
}

/// A body and what it is.
pub(crate) fn with_type(content_type: &'static str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Without a `Content-Length`: it would have to be that of the content which is not sent,
/// and axum writes the length of every body that it can see the end of. So it sees none.
fn not_modified() -> Response {
    let mut response = Response::new(Body::from_stream(stream::empty::<Result<Bytes, Infallible>>()));
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[&str], held: bool) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::IF_NONE_MATCH, value.parse().unwrap());
        }
        assert_eq!(EntityTag::spelled("abc").is_held_by(&headers), held, "{values:?}");
    }

    #[test]
    fn if_none_match_takes_a_star_a_list_and_weak_tags() {
        check(&[], false);
        check(&["\"abc\""], true);
        check(&["W/\"abc\""], true);
        check(&["*"], true);
        check(&[" * "], true);
        check(&["\"x\", \"abc\""], true);
        check(&["\"x\",\"y\" ,W/\"abc\""], true);
        check(&["\"x\"", "\"abc\""], true);
        check(&["\"a,b\", \"abc\""], true);
        check(&["\"abd\""], false);
        check(&["abc"], false);
        check(&["\"abc"], false);
        check(&["w/\"abc\""], false);
        check(&["\"x, \"abc\""], false);
        check(&["\"ABC\""], false);
        check(&[""], false);
        check(&["\"\""], false);
    }
}
