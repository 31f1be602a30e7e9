//! Reading a form in parts, which is how a browser sends a file.
//!
//! A platform may know how to do that by itself, as that of a Worker does; so whoever builds
//! the router says who does it, and a Worker does without the library, with its tables of
//! encodings.

use async_trait::async_trait;
use axum::{body::Bytes, http::HeaderValue};

/// Reads forms in parts.
#[async_trait]
pub trait FormParts: Send + Sync {
    /// Name and content of every part, in their order; `None` for a body that is no such form.
    /// `content_type` is how it was declared, and names what stands between the parts; `body`
    /// MUST be UTF-8, and so is every part.
    async fn read(&self, content_type: &HeaderValue, body: Bytes) -> Option<Vec<(String, String)>>;
}

/// Reads them by the library.
#[cfg(feature = "self-contained")]
#[derive(Clone, Copy, Debug)]
pub struct LibraryParts;

#[cfg(feature = "self-contained")]
#[async_trait]
impl FormParts for LibraryParts {
    async fn read(&self, content_type: &HeaderValue, body: Bytes) -> Option<Vec<(String, String)>> {
        use axum::{
            body::Body,
            extract::{DefaultBodyLimit, FromRequest, Multipart, Request},
            http::header,
        };

        let mut request = Request::new(Body::from(body));
        request.headers_mut().insert(header::CONTENT_TYPE, content_type.clone());
        // How long it may be was said before it was read.
        DefaultBodyLimit::disable().apply(&mut request);
        let mut parts = Multipart::from_request(request, &()).await.ok()?;
        let mut read = Vec::new();
        while let Some(part) = parts.next_field().await.ok()? {
            let name = part.name().unwrap_or_default().to_owned();
            read.push((name, String::from_utf8(part.bytes().await.ok()?.into()).ok()?));
        }
        Some(read)
    }
}
