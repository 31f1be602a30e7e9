//! Who is signed in at the dashboard: a cookie that says so, signed.
//!
//! A browser cannot send the admin token with every click, and is not to keep it either. So
//! whoever shows the token once gets a cookie with their name, an instant at which it ends,
//! and a signature. The site remembers nothing. Signed along is the digest of the token: with
//! another token, every session is over.
//!
//! A cookie goes out with requests that other sites cause, too. Against that stand
//! `SameSite=Strict`, a mark that every form carries and that only the session knows, and
//! `Sec-Fetch-Site`, by which browsers say where a request comes from.

use axum::http::{HeaderMap, HeaderValue, header};
use fencepost_domain::{action::ActorName, time::UnixMillis};

use crate::{config::App, form::Form, hex};

/// What sessions are signed for, and what the marks on their forms.
const SESSION: &str = "admin session";
const FORM: &str = "admin form";

/// How long somebody stays signed in, in milliseconds: a working day and some.
pub(crate) const SESSION_MS: i64 = 12 * 3_600_000;

/// Somebody who is signed in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    /// Who.
    pub(crate) operator: ActorName,
    expires_at: UnixMillis,
}

impl Session {
    /// A session that begins now.
    pub(crate) const fn begin(operator: ActorName, now: UnixMillis) -> Self {
        Self { operator, expires_at: now.plus(SESSION_MS) }
    }

    /// The session of a request, if this site has signed it and it has not ended.
    pub(crate) fn of(app: &App, request: &HeaderMap, now: UnixMillis) -> Option<Self> {
        let value = only_cookie(request, cookie_name(app))?;
        let [expires, name, signature] = value.split('.').collect::<Vec<_>>().try_into().ok()?;
        let session = Self {
            operator: ActorName::read(&String::from_utf8(hex::decode(name)?).ok()?)?,
            expires_at: UnixMillis::new(expires.parse().ok()?),
        };
        let parts = session.parts(app)?;
        let is_own = parts[0] == expires
            && parts[1] == name
            && app.secret.as_ref()?.has_signed(&app.environment, SESSION, &parts, signature);
        (is_own && now < session.expires_at).then_some(session)
    }

    /// The header that lets a browser keep the session.
    pub(crate) fn cookie(&self, app: &App) -> Option<HeaderValue> {
        let parts = self.parts(app)?;
        let signature = app.secret.as_ref()?.sign(&app.environment, SESSION, &parts);
        let value = format!("{}.{}.{signature}", parts[0], parts[1]);
        Some(cookie(app, &value, SESSION_MS / 1_000))
    }

    /// The mark of this session's forms.
    pub(crate) fn form_mark(&self, app: &App) -> String {
        let parts = self.parts(app).unwrap_or_default();
        let secret = app.secret.as_ref();
        secret.map(|secret| secret.sign(&app.environment, FORM, &parts)).unwrap_or_default()
    }

    /// Whether a form was sent from a page of this session.
    pub(crate) fn has_sent(&self, app: &App, mark: &str, request: &HeaderMap) -> bool {
        let parts = self.parts(app).unwrap_or_default();
        let is_own =
            app.secret.as_ref().is_some_and(|secret| secret.has_signed(&app.environment, FORM, &parts, mark));
        is_own && Form::is_own(request)
    }

    /// What is signed: the end, the name in hexadecimal, and the digest of the admin token.
    fn parts(&self, app: &App) -> Option<[String; 3]> {
        let name = hex::encode(self.operator.as_str().as_bytes());
        Some([self.expires_at.get().to_string(), name, app.admin_token.as_ref()?.fingerprint()])
    }
}

/// The header that lets a browser forget the session.
pub(crate) fn forget(app: &App) -> HeaderValue {
    cookie(app, "", 0)
}

/// Where the site is known to be served with encryption, the cookie says so in its name,
/// which browsers then hold it to.
fn cookie_name(app: &App) -> &'static str {
    if is_encrypted(app) { "__Secure-fencepost-admin" } else { "fencepost-admin" }
}

fn is_encrypted(app: &App) -> bool {
    app.origin.as_ref().is_some_and(|origin| origin.starts_with("https://"))
}

fn cookie(app: &App, value: &str, max_age_seconds: i64) -> HeaderValue {
    let secure = if is_encrypted(app) { "; Secure" } else { "" };
    let text = format!(
        "{}={value}; Path=/admin; Max-Age={max_age_seconds}; HttpOnly; SameSite=Strict{secure}",
        cookie_name(app)
    );
    HeaderValue::try_from(text).expect("the value of a session is hexadecimal digits and points")
}

/// The one cookie of this name. Two would leave open which one counts.
fn only_cookie<'a>(request: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let values = request.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut found = values
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(found, _)| *found == name);
    let (Some((_, value)), None) = (found.next(), found.next()) else { return None };
    Some(value)
}
