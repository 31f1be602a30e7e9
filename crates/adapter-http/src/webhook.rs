//! How a receiver of events is configured: the words that every target reads the same way.
//!
//! The address belongs to the operator, and may hold a secret in its path or its query, as
//! many services' do. So nothing here shows it.

use std::{fmt, sync::Arc};

use fencepost_application::Outlet;
use fencepost_domain::outbox::EventKind;
use fencepost_ports::Webhook;
use url::Url;

use crate::Secret;

/// A receiver of events, as it is configured.
#[derive(Clone)]
pub struct WebhookSettings {
    /// Where it is.
    pub url: Url,
    /// Whether it may be in a private network.
    pub allow_private: bool,
    secret: Secret,
    kinds: Vec<EventKind>,
}

impl WebhookSettings {
    /// The receiver at `url`, if one is given. Without a secret it could not tell whether it is
    /// this site that speaks; with that of the `site` it could sign games and previews; without
    /// a list of events it is told all of them.
    ///
    /// # Errors
    /// What is missing, or cannot be read, and what to write instead.
    pub fn read(
        url: Option<&str>,
        secret: Option<&str>,
        events: Option<&str>,
        allow_private: bool,
        site: Option<&Secret>,
    ) -> Result<Option<Self>, InvalidWebhook> {
        let Some(url) = url else { return Ok(None) };
        let url = address(url).map_err(InvalidWebhook::Url)?;
        let secret = secret.ok_or(InvalidWebhook::NoSecret)?;
        let secret = Secret::new(secret).map_err(|error| InvalidWebhook::Secret(error.to_string()))?;
        if site.is_some_and(|site| site.is_same(&secret)) {
            return Err(InvalidWebhook::SharedSecret);
        }
        let kinds = match events {
            Some(events) => self::kinds(events).map_err(InvalidWebhook::Events)?,
            None => EventKind::ALL.to_vec(),
        };
        Ok(Some(Self { url, allow_private, secret, kinds }))
    }

    /// The way to this receiver, for a site with this public address.
    pub fn outlet(self, webhook: Arc<dyn Webhook>, origin: Option<String>) -> Outlet {
        Outlet { webhook, sign: self.secret.into_signer(), kinds: self.kinds, origin }
    }
}

impl fmt::Debug for WebhookSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookSettings").field("kinds", &self.kinds).finish_non_exhaustive()
    }
}

/// A receiver that cannot be used. Shows no value that may be secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidWebhook {
    /// The address is none.
    #[error("the webhook's URL cannot be used: {0}")]
    Url(String),
    /// There is no secret.
    #[error(
        "there is a webhook's URL and no secret of its own to sign with; set the webhook's secret, such as to the output of `openssl rand -hex 32`"
    )]
    NoSecret,
    /// The secret is none.
    #[error("the webhook's secret cannot be used: {0}")]
    Secret(String),
    /// The secret is that of the site as well.
    #[error(
        "the webhook's secret is that of the site as well, with which the receiver could sign games and previews; set another one for the webhook, such as the output of `openssl rand -hex 32`"
    )]
    SharedSecret,
    /// The events are none.
    #[error("the webhook's events cannot be used: {0}")]
    Events(String),
}

/// The address of a receiver of events. It may hold a secret in its path or its query.
///
/// # Errors
/// What to write instead; never the address.
fn address(text: &str) -> Result<Url, String> {
    let refuse = || "write an address, such as https://receiver.example/events".to_owned();
    let url = Url::parse(text).map_err(|_| refuse())?;
    let is_plain = matches!(url.scheme(), "http" | "https")
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if is_plain { Ok(url) } else { Err(refuse()) }
}

/// The kinds of event that are told, such as `published,withdrawn`.
///
/// # Errors
/// What to write instead.
fn kinds(text: &str) -> Result<Vec<EventKind>, String> {
    let words = EventKind::ALL.map(EventKind::as_str).join(",");
    let refuse = || format!("write some of {words}, each once, with commas between them");
    let kinds: Result<Vec<EventKind>, ()> = text.split(',').map(str::parse).collect();
    let kinds = kinds.map_err(|()| refuse())?;
    let is_twice = |kind: &EventKind| kinds.iter().filter(|other| *other == kind).count() > 1;
    if kinds.iter().any(is_twice) { Err(refuse()) } else { Ok(kinds) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn a_receiver_has_an_address_that_is_not_shown() {
        for good in ["https://a.example/hook?key=1", "http://127.0.0.1:9000/", "https://a.example"] {
            assert!(address(good).is_ok(), "{good}");
        }
        for bad in
            ["", "a.example/hook", "ftp://a.example/", "https://me:pw@a.example/", "https://a.example/#x"]
        {
            let complaint = address(bad).unwrap_err();
            assert!(bad.is_empty() || !complaint.contains(bad), "{bad}");
        }
    }

    #[test]
    fn events_are_some_of_those_that_there_are() {
        use EventKind::{Published, Withdrawn};
        assert_eq!(kinds("withdrawn,published"), Ok(vec![Withdrawn, Published]));
        assert_eq!(kinds("published,updated,withdrawn,reinstated"), Ok(EventKind::PAGES.to_vec()));
        assert_eq!(kinds("alert_raised"), Ok(vec![EventKind::AlertRaised]));
        for bad in ["", "alert", "publish", "published,", "published, updated", "published,published", "all"]
        {
            assert!(kinds(bad).is_err(), "{bad:?} was accepted");
        }
    }

    #[test]
    fn a_receiver_needs_a_secret_and_is_told_everything_unless_it_is_said_what() {
        let read = |url, secret, events| WebhookSettings::read(url, secret, events, false, None);
        let url = Some("https://a.example/hook");
        assert!(read(None, Some(SECRET), Some("published")).unwrap().is_none());
        assert_eq!(read(url, None, None).map(drop), Err(InvalidWebhook::NoSecret));
        for (secret, events) in [(Some("hunter2"), None), (Some(SECRET), Some("hunter2"))] {
            let complaint = read(url, secret, events).unwrap_err().to_string();
            assert!(!complaint.contains("hunter2"), "{complaint}");
        }
        let all = read(url, Some(SECRET), None).unwrap().unwrap();
        assert_eq!(all.kinds, EventKind::ALL);
        assert!(!format!("{all:?}").contains("a.example"), "{all:?}");
        let some = read(url, Some(SECRET), Some("withdrawn")).unwrap().unwrap();
        assert_eq!(some.kinds, [EventKind::Withdrawn]);
    }

    #[test]
    fn the_secret_of_a_receiver_is_not_that_of_the_site() {
        let site = Secret::new(SECRET).unwrap();
        let read = |secret: &str| {
            let url = Some("https://a.example/hook");
            WebhookSettings::read(url, Some(secret), None, false, Some(&site)).map(|read| read.is_some())
        };
        assert_eq!(read(SECRET), Err(InvalidWebhook::SharedSecret));
        assert_eq!(read(&SECRET.replace('0', "1")), Ok(true));
        assert!(!InvalidWebhook::SharedSecret.to_string().contains(SECRET));
    }
}
