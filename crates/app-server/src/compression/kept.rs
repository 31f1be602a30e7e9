//! Texts that are compressed once.
//!
//! To compress a page takes longer than everything else that is done for it when it comes
//! from the cache. So its compressed form is kept, under its tag and its type: the tag is a
//! hash of the page, and by asking for it the page was made or found as for everybody else.
//! Only then is its compressed form looked for. Nothing is decided here that could be old.
//!
//! This is for what is usual, in front of the library that compresses everything else: a
//! text that is known by a strong tag and lies in memory as a whole, for a client that names
//! `gzip` and says no more about it. Such a client would be given it by the library too,
//! whatever else it names. As the whole is known, so is its length, and it is told.

use std::{io::Write as _, sync::Arc};

use axum::{
    body::{Body, HttpBody as _, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use fencepost_adapter_native::{CompressedTexts, TextName};
use flate2::{Compression, write::GzEncoder};
use tower_http::compression::Predicate as _;

use super::worthwhile;

/// Answers with what is kept, and keeps what is not. Without `texts`, as if it were not there.
pub(super) async fn hand_out(
    State(texts): State<Option<Arc<CompressedTexts>>>,
    request: Request,
    next: Next,
) -> Response {
    let texts = texts.filter(|_| takes_gzip(request.method(), request.headers()));
    let response = next.run(request).await;
    match texts {
        Some(texts) => compressed(&texts, response).await,
        None => response,
    }
}

/// Whether this client plainly takes gzip: it names it, without a weight. Whoever gives
/// weights is left to the library.
fn takes_gzip(method: &Method, headers: &HeaderMap) -> bool {
    let values = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    matches!(*method, Method::GET | Method::HEAD)
        && values.flat_map(|list| list.split(',')).any(|coding| coding.trim().eq_ignore_ascii_case("gzip"))
}

/// The same answer, compressed, if it is one that can be kept in this form.
async fn compressed(texts: &CompressedTexts, response: Response) -> Response {
    let length = response.body().size_hint().exact().and_then(|length| usize::try_from(length).ok());
    let (Some(length), true) = (length, is_usual(&response)) else { return response };
    let (mut parts, body) = response.into_parts();
    let Some(name) = name(&parts.headers) else { return Response::from_parts(parts, body) };
    let kept = match texts.get(&name) {
        Some(kept) => kept,
        None => match to_bytes(body, length).await {
            Ok(plain) => texts.keep(&name, &gzip(&plain)),
            Err(error) => {
                tracing::error!("an answer that was complete could not be read: {error}");
                return StatusCode::INTERNAL_SERVER_ERROR.into_response();
            }
        },
    };
    parts.headers.insert(header::CONTENT_LENGTH, kept.len().into());
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.append(header::VARY, header::ACCEPT_ENCODING.into());
    Response::from_parts(parts, Body::from(kept))
}

/// Whether the library would compress it, and it is a whole page.
fn is_usual(response: &Response) -> bool {
    response.status() == StatusCode::OK
        && [header::CONTENT_ENCODING, header::CONTENT_RANGE, header::ACCEPT_RANGES, header::VARY]
            .iter()
            .all(|unusual| !response.headers().contains_key(unusual))
        && worthwhile().should_compress(response)
}

/// What a text is known by. A weak tag may stand for several.
fn name(headers: &HeaderMap) -> Option<TextName<'_>> {
    let value = |name: HeaderName| headers.get(name)?.to_str().ok();
    let tag = value(header::ETAG).filter(|tag| tag.starts_with('"'))?;
    Some(TextName { tag, content_type: value(header::CONTENT_TYPE)? })
}

/// As the library compresses, at the level that it takes by itself.
fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(plain).and_then(|()| encoder.finish()).expect("memory takes whatever is written to it")
}

#[cfg(test)]
mod tests {
    use std::{convert::Infallible, io::Read as _};

    use axum::{Router, body::Bytes, routing::any};
    use flate2::read::GzDecoder;
    use futures_util::stream;

    use super::*;
    use crate::compression::{
        self,
        tests::{HTML, PUBLIC, ask},
    };

    /// A page: so many times a word, with these headers.
    #[derive(Clone, Copy)]
    struct Page {
        status: u16,
        word: &'static str,
        times: usize,
        tag: &'static str,
        content_type: &'static str,
        cache_control: &'static str,
        is_streamed: bool,
    }

    const PAGE: Page = Page {
        status: 200,
        word: "well ",
        times: 1_000,
        tag: "\"a\"",
        content_type: HTML,
        cache_control: PUBLIC,
        is_streamed: false,
    };

    impl Page {
        fn text(self) -> String {
            self.word.repeat(self.times)
        }

        fn response(self) -> Response {
            let body = match self.is_streamed {
                true => Body::from_stream(stream::iter([Ok::<_, Infallible>(self.text())])),
                false => Body::from(self.text()),
            };
            let mut response = Response::new(body);
            *response.status_mut() = StatusCode::from_u16(self.status).unwrap();
            for (name, value) in [
                (header::ETAG, self.tag),
                (header::CONTENT_TYPE, self.content_type),
                (header::CACHE_CONTROL, self.cache_control),
            ] {
                if !value.is_empty() {
                    response.headers_mut().insert(name, HeaderValue::from_static(value));
                }
            }
            response
        }

        /// A site that has this page and no other.
        fn site(self, texts: Option<&Arc<CompressedTexts>>) -> Router {
            let router = Router::new().route("/", any(async move || self.response()));
            compression::compressed(router, texts.cloned())
        }
    }

    fn texts() -> Arc<CompressedTexts> {
        Arc::new(CompressedTexts::new(1_000_000))
    }

    async fn get(site: Router, accepted: &[&str]) -> (HeaderMap, Bytes) {
        ask_for(site, Method::GET, accepted).await
    }

    async fn ask_for(site: Router, method: Method, accepted: &[&str]) -> (HeaderMap, Bytes) {
        let headers: Vec<_> = accepted.iter().map(|value| ("accept-encoding", *value)).collect();
        let (parts, body) = ask(site, method, &headers).await.into_parts();
        (parts.headers, to_bytes(body, usize::MAX).await.unwrap())
    }

    fn unpacked(body: &[u8]) -> String {
        let mut text = String::new();
        GzDecoder::new(body).read_to_string(&mut text).unwrap();
        text
    }

    #[tokio::test]
    async fn it_is_what_the_library_sends_and_has_a_length() {
        let texts = texts();
        let (of_library, sent_by_library) = get(PAGE.site(None), &["gzip"]).await;
        for case in ["made", "kept"] {
            let (mut headers, body) = get(PAGE.site(Some(&texts)), &["gzip"]).await;
            assert_eq!(unpacked(&body), PAGE.text(), "{case}");
            assert_eq!(body.len(), sent_by_library.len(), "{case}: at the same level");
            assert_eq!(headers.remove("content-length"), Some(body.len().into()), "{case}");
            assert_eq!(headers, of_library, "{case}");
        }
    }

    #[tokio::test]
    async fn a_text_is_compressed_once() {
        let texts = texts();
        let (_, first) = get(PAGE.site(Some(&texts)), &["gzip"]).await;
        // No other text has this tag. If one had, to compress it would show.
        let other = Page { word: "otherwise ", ..PAGE };
        let (_, second) = get(other.site(Some(&texts)), &["gzip"]).await;
        assert_eq!(second, first);
        let (_, plain) = get(other.site(Some(&texts)), &[]).await;
        assert_eq!(plain, other.text());
    }

    #[tokio::test]
    async fn texts_of_other_tags_and_types_are_not_mixed_up() {
        let texts = texts();
        let pages = [
            PAGE,
            Page { word: "b ", tag: "\"b\"", ..PAGE },
            Page { word: "c ", content_type: "text/css; charset=utf-8", ..PAGE },
            Page { word: "d ", content_type: "text/css; charset=utf-8", tag: "\"b\"", ..PAGE },
        ];
        for page in pages.into_iter().chain(pages) {
            let (headers, body) = get(page.site(Some(&texts)), &["gzip"]).await;
            assert_eq!(unpacked(&body), page.text());
            assert_eq!(headers["content-type"], page.content_type);
            assert_eq!(headers["etag"], format!("W/{}", page.tag));
        }
    }

    #[tokio::test]
    async fn head_tells_what_get_tells_whichever_comes_first() {
        for first in [Method::GET, Method::HEAD] {
            let texts = texts();
            for method in [first, Method::HEAD, Method::GET, Method::HEAD] {
                let (headers, body) = ask_for(PAGE.site(Some(&texts)), method.clone(), &["gzip"]).await;
                let (of_get, body_of_get) = get(PAGE.site(Some(&texts)), &["gzip"]).await;
                assert_eq!(headers, of_get);
                assert_eq!(body.len(), if method == Method::GET { body_of_get.len() } else { 0 });
            }
        }
    }

    #[tokio::test]
    async fn what_is_not_usual_is_not_kept_and_sent_as_the_library_sends_it() {
        for page in [
            Page { cache_control: "no-store", ..PAGE },
            Page { cache_control: "private, no-store", ..PAGE },
            Page { tag: "", ..PAGE },
            Page { tag: "W/\"a\"", ..PAGE },
            Page { content_type: "", ..PAGE },
            Page { content_type: "image/webp", ..PAGE },
            Page { times: 200, ..PAGE },
            Page { status: 404, ..PAGE },
            Page { is_streamed: true, ..PAGE },
        ] {
            let texts = texts();
            let got = get(page.site(Some(&texts)), &["gzip"]).await;
            assert_eq!(got, get(page.site(None), &["gzip"]).await);
            assert_eq!(texts.bytes(), 0, "{got:?}");
        }
    }

    #[tokio::test]
    async fn who_does_not_plainly_take_gzip_is_left_to_the_library() {
        for (accepted, is_compressed, is_kept) in [
            (&["gzip"][..], true, true),
            (&["gzip, deflate, br, zstd"], true, true),
            (&["br,\tGZip "], true, true),
            (&["br", "gzip"], true, true),
            (&["br;q=1.0, gzip, *;q=0"], true, true),
            (&["gzip;q=0.5"], true, false),
            (&["gzip;q=1"], true, false),
            (&["x-gzip"], true, false),
            (&["gzip;q=0"], false, false),
            (&["gzip; q=0.000, br"], false, false),
            (&["gzip;q=0", "br"], false, false),
            (&["*"], false, false),
            (&["gzipped"], false, false),
            (&["gzip gzip"], false, false),
            (&["identity"], false, false),
            (&[""], false, false),
            (&[], false, false),
        ] {
            let texts = texts();
            let (mut headers, body) = get(PAGE.site(Some(&texts)), accepted).await;
            let (mut of_library, body_of_library) = get(PAGE.site(None), accepted).await;
            assert_eq!(texts.bytes() > 0, is_kept, "{accepted:?}");
            assert_eq!(headers.contains_key("content-encoding"), is_compressed, "{accepted:?}");
            assert_eq!(body.len(), body_of_library.len(), "{accepted:?}");
            headers.remove("content-length");
            of_library.remove("content-length");
            assert_eq!(headers, of_library, "{accepted:?}");
        }
    }

    #[tokio::test]
    async fn only_what_is_asked_for_by_get_and_head_is_kept() {
        let texts = texts();
        let (headers, _) = ask_for(PAGE.site(Some(&texts)), Method::POST, &["gzip"]).await;
        assert_eq!((&headers["content-encoding"], texts.bytes()), (&HeaderValue::from_static("gzip"), 0));
    }

    #[tokio::test]
    async fn without_room_everything_is_sent_and_nothing_kept() {
        let texts = Arc::new(CompressedTexts::new(10));
        for _ in 0..2 {
            let (_, body) = get(PAGE.site(Some(&texts)), &["gzip"]).await;
            assert_eq!((unpacked(&body), texts.bytes()), (PAGE.text(), 0));
        }
    }
}
