//! What a page may do: show its own photos and use its own style sheet, and where the game
//! is played, run its own script.
//!
//! Names and descriptions come from a bank that other people fill. They are escaped and
//! made safe before they get here; the policy is the second lock on the same door. It goes
//! out with every answer, JSON and photos included, since any of them can be opened as a
//! document.

use axum::{
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::Response,
};

const PERMISSIONS_POLICY: HeaderName = HeaderName::from_static("permissions-policy");
const CROSS_ORIGIN_OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; img-src 'self'; style-src 'self'; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'",
);

/// The same, and one file of script that may talk to its own site: the game.
const POLICY_WITH_SCRIPT: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; style-src 'self'; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
);

/// Lets a page run the site's own script. Only where the game is: answers, which show what
/// other people have written, run none at all, and an address of nothing is like any other.
pub(crate) fn allow_script(response: &mut Response) {
    if response.status() != StatusCode::NOT_FOUND {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, POLICY_WITH_SCRIPT);
    }
}

/// Adds the policy to an answer.
pub(crate) fn secure(response: &mut Response) {
    let headers = response.headers_mut();
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(POLICY);
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
}
