//! Links to previews: an address, until when it works, and a signature of both.
//!
//! A link says itself what it may show, so nothing has to be remembered about it, and none
//! can be taken back but by changing the secret, which takes them all. A page and the photo
//! on it are signed for separately: the link to a photo, passed on, shows no price.
//!
//! The path has one spelling, and so has each of the two values once the query is decoded.
//! What is spelled otherwise is an address of nothing, as on every other page; parameters that
//! mean nothing here are nobody's business.

use axum::http::Uri;
use fencepost_application::PreviewAddress;
use fencepost_domain::time::UnixMillis;
use url::form_urlencoded;

use crate::config::App;

/// The path and query of a link that works until `expires_at`; `None` without a secret.
pub(crate) fn link(app: &App, address: &PreviewAddress, expires_at: UnixMillis) -> Option<String> {
    let secret = app.secret.as_ref()?;
    let path = match &address.photo {
        None => format!("/preview/{}", address.puzzle_id),
        Some(key) => format!("/preview/{}/image/{key}", address.puzzle_id),
    };
    let (purpose, parts) = signed(address, expires_at);
    let signature = secret.sign(&app.environment, purpose, &parts);
    Some(format!("{path}?expires={}&signature={signature}", expires_at.get()))
}

/// Where a link leads, and until when, if this site has signed it.
pub(crate) fn read(app: &App, uri: &Uri) -> Option<(PreviewAddress, UnixMillis)> {
    let secret = app.secret.as_ref()?;
    let address = address(uri.path())?;
    let query = uri.query().unwrap_or_default();
    let expires = only(query, "expires")?;
    let expires_at = UnixMillis::new(expires.parse().ok()?);
    if expires_at.get().to_string() != expires {
        return None;
    }
    let (purpose, parts) = signed(&address, expires_at);
    secret
        .has_signed(&app.environment, purpose, &parts, &only(query, "signature")?)
        .then_some((address, expires_at))
}

/// What is signed, and for what purpose.
fn signed(address: &PreviewAddress, expires_at: UnixMillis) -> (&'static str, [String; 3]) {
    let (purpose, photo) = match &address.photo {
        None => ("preview page", String::new()),
        Some(key) => ("preview photo", key.to_string()),
    };
    (purpose, [address.puzzle_id.to_string(), expires_at.get().to_string(), photo])
}

fn address(path: &str) -> Option<PreviewAddress> {
    let rest = path.strip_prefix("/preview/")?;
    let (id, photo) = match rest.split_once("/image/") {
        None => (rest, None),
        Some((id, key)) => (id, Some(key.parse().ok()?)),
    };
    Some(PreviewAddress { puzzle_id: id.parse().ok()?, photo })
}

/// The one value of a parameter. Two would leave open which one counts.
fn only(query: &str, name: &str) -> Option<String> {
    let mut values = form_urlencoded::parse(query.as_bytes()).filter(|(found, _)| found == name);
    let (Some((_, value)), None) = (values.next(), values.next()) else { return None };
    Some(value.into_owned())
}
