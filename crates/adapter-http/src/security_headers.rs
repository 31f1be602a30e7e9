//! What a page may do: show its own photos and use its own style sheet.
//!
//! Names and descriptions come from a bank that other people fill. They are escaped and
//! made safe before they get here; the policy is the second lock on the same door. It goes
//! out with every answer, JSON and photos included, since any of them can be opened as a
//! document.

use axum::{
    http::{HeaderName, HeaderValue, header},
    response::Response,
};

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const CROSS_ORIGIN_OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; img-src 'self'; style-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'",
);

/// Adds the policy to an answer.
pub(crate) async fn secure(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    // An address that is itself a secret has said already that it is told to nobody.
    headers
        .entry(header::REFERRER_POLICY)
        .or_insert(HeaderValue::from_static("strict-origin-when-cross-origin"));
    headers.insert(
        PERMISSIONS_POLICY,
        HeaderValue::from_static("camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    );
    headers.insert(CROSS_ORIGIN_OPENER_POLICY, HeaderValue::from_static("same-origin"));
    response
}
