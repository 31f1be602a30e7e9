//! Compression, which is the edge's business on Cloudflare and this server's here.
//!
//! Texts become a third of their size, photos do not become smaller, and below a packet's
//! length nothing is gained. A compressed text is another representation of the same page,
//! so a strong tag cannot be that of both: it goes out as a weak one. Tags are compared
//! weakly, so whoever shows the weak one gets `304` as before, with the tag that it knows.
//!
//! What is not to be stored is not compressed either. That is every answer with something
//! secret in it: the admin API's, and previews, whose photos have signed addresses. Whoever
//! sees how long a compressed text is, and can have words of their own put beside a secret,
//! can find the secret out word by word. It is also every answer that is too short or too
//! rare to matter.
//!
//! What has a strong tag is compressed once and not for every client: see [`kept`].

mod kept;

use std::sync::Arc;

use axum::{
    Router,
    extract::Request,
    http::{Extensions, HeaderMap, HeaderValue, StatusCode, Version, header},
    middleware::{self, Next},
    response::Response,
};
use fencepost_adapter_native::CompressedTexts;
use tower_http::compression::{CompressionLayer, Predicate, predicate::SizeAbove};

/// Below this, a text and its headers fit into one packet anyway.
const SHORTEST_BYTES: u16 = 1_024;

/// The same router, for clients that take compressed answers. What was compressed is kept in
/// `texts`, if there are any.
pub(crate) fn compressed(router: Router, texts: Option<Arc<CompressedTexts>>) -> Router {
    let tell_apart = middleware::from_fn(tell_representations_apart);
    let compression = CompressionLayer::new().compress_when(worthwhile());
    let kept = middleware::from_fn_with_state(texts, kept::hand_out);
    // As one layer: each of its own would put every route behind another pointer.
    router.layer((tell_apart, compression, kept))
}

/// What is compressed at all.
fn worthwhile() -> impl Predicate {
    SizeAbove::new(SHORTEST_BYTES).and(is_public_text)
}

fn is_public_text(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    let value = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let content_type = value(header::CONTENT_TYPE);
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    let is_text = essence.starts_with("text/")
        || ["json", "xml"].iter().any(|format| essence.ends_with(format))
        || essence == "application/javascript";
    is_text && !value(header::CACHE_CONTROL).contains("no-store")
}

/// Weakens the tag of a compressed answer, and of the `304` to somebody who has one.
async fn tell_representations_apart(request: Request, next: Next) -> Response {
    let held: Vec<_> = request.headers().get_all(header::IF_NONE_MATCH).iter().cloned().collect();
    let mut response = next.run(request).await;
    let not_modified = response.status() == StatusCode::NOT_MODIFIED;
    let headers = response.headers_mut();
    if not_modified {
        // It has no body that could tell whether another client would get it compressed.
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    let is_compressed = headers.contains_key(header::CONTENT_ENCODING);
    if !is_compressed && !not_modified {
        return response;
    }
    let Some(weak) = headers.get(header::ETAG).and_then(weakened) else { return response };
    if is_compressed || held.iter().any(|list| contains(list.as_bytes(), weak.as_bytes())) {
        headers.insert(header::ETAG, weak);
    }
    response
}

/// The weak form of a strong tag.
fn weakened(tag: &HeaderValue) -> Option<HeaderValue> {
    let strong = tag.to_str().ok().filter(|tag| tag.starts_with('"'))?;
    HeaderValue::try_from(format!("W/{strong}")).ok()
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::{
        body::{Body, to_bytes},
        http::Method,
        routing::get,
    };
    use hyper_util::service::TowerToHyperService;

    use super::*;

    const TAG: &str = "\"abc\"";

    /// A site with one answer: so many bytes, of a type, that may be kept or not.
    fn site(bytes: usize, content_type: &'static str, cache_control: &'static str) -> Router {
        compressed(plain(bytes, content_type, cache_control), None)
    }

    fn plain(bytes: usize, content_type: &'static str, cache_control: &'static str) -> Router {
        let answer = async move |request: HeaderMap| {
            let held = request.get(header::IF_NONE_MATCH).is_some();
            let mut response =
                Response::new(if held { Body::empty() } else { Body::from("x".repeat(bytes)) });
            if held {
                *response.status_mut() = StatusCode::NOT_MODIFIED;
            } else {
                response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
            }
            response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(cache_control));
            response.headers_mut().insert(header::ETAG, HeaderValue::from_static(TAG));
            response
        };
        Router::new().route("/", get(answer))
    }

    pub(super) async fn ask(router: Router, method: Method, headers: &[(&str, &str)]) -> Response {
        let mut request = Request::builder().method(method).uri("/");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::empty()).unwrap();
        let answered: Result<Response, Infallible> =
            hyper::service::Service::call(&TowerToHyperService::new(router), request).await;
        let Ok(response) = answered;
        response
    }

    const GZIP: [(&str, &str); 1] = [("accept-encoding", "gzip, br")];
    pub(super) const PUBLIC: &str = "public, max-age=0, must-revalidate";
    pub(super) const HTML: &str = "text/html; charset=utf-8";

    fn told(response: &Response) -> [String; 4] {
        ["content-encoding", "vary", "etag", "content-length"]
            .map(|name| response.headers().get(name).map_or("-", |value| value.to_str().unwrap()).to_owned())
    }

    #[tokio::test]
    async fn public_texts_of_some_length_are_compressed_and_nothing_else() {
        for (bytes, content_type, cache_control, compressed) in [
            (5_000, HTML, PUBLIC, true),
            (1_024, HTML, PUBLIC, true),
            (1_023, HTML, PUBLIC, false),
            (5_000, "text/css; charset=utf-8", "public, max-age=31536000, immutable", true),
            (5_000, "image/svg+xml", PUBLIC, true),
            (5_000, "application/atom+xml", PUBLIC, true),
            (5_000, "image/webp", PUBLIC, false),
            (5_000, "image/jpeg", PUBLIC, false),
            (5_000, "application/json", "no-store", false),
            (5_000, HTML, "private, no-store", false),
        ] {
            let router = site(bytes, content_type, cache_control);
            let got = told(&ask(router.clone(), Method::GET, &GZIP).await);
            let plain = told(&ask(router, Method::GET, &[]).await);
            let length = bytes.to_string();
            let case = format!("{bytes} {content_type} {cache_control}");
            if compressed {
                assert_eq!(got, ["gzip", "accept-encoding", "W/\"abc\"", "-"], "{case}");
                assert_eq!(plain, ["-", "accept-encoding", TAG, &length], "{case}");
            } else {
                assert_eq!(got, ["-", "-", TAG, &length], "{case}");
                assert_eq!(plain, got, "{case}");
            }
        }
    }

    #[tokio::test]
    async fn a_compressed_answer_is_shorter_and_its_head_is_that_of_head() {
        let router = site(5_000, HTML, PUBLIC);
        let get = ask(router.clone(), Method::GET, &GZIP).await;
        let head = ask(router, Method::HEAD, &GZIP).await;
        assert_eq!((head.status(), head.headers()), (get.status(), get.headers()));
        let bytes = async |response: Response| to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let (head, get) = (bytes(head).await, bytes(get).await);
        assert!(head.is_empty());
        assert_eq!((&get[..2], get.len() < 500), (&[0x1f, 0x8b][..], true), "{} bytes", get.len());
    }

    #[tokio::test]
    async fn who_has_it_compressed_gets_304_with_the_tag_that_it_knows() {
        for (held, tag) in [
            ("W/\"abc\"", "W/\"abc\""),
            ("\"x\", W/\"abc\"", "W/\"abc\""),
            (TAG, TAG),
            ("*", TAG),
            ("W/\"x\", \"abc\"", TAG),
        ] {
            let headers = [GZIP[0], ("if-none-match", held)];
            for texts in [None, Some(Arc::new(CompressedTexts::new(1_000_000)))] {
                let router = compressed(plain(5_000, HTML, PUBLIC), texts);
                ask(router.clone(), Method::GET, &GZIP).await;
                let response = ask(router, Method::GET, &headers).await;
                assert_eq!(response.status(), StatusCode::NOT_MODIFIED);
                let [encoding, vary, etag, length] = told(&response);
                assert_eq!([encoding.as_str(), &vary, &etag], ["-", "accept-encoding", tag], "{held}");
                assert_eq!(length, "0", "{held}");
            }
        }
    }
}
