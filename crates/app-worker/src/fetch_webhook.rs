//! Events, sent to a receiver by the platform's `fetch`.
//!
//! As with photos, a receiver whose name can only be a private one is visited if the operator
//! says so, and what is said of that in [`named_hosts`] holds here as well. A delivery is one
//! request and one call of the invocation's budget. No redirect is followed, and when the
//! deadline passes the request is aborted: a connection that nobody reads from would be held
//! until the platform ends it, and a Worker has six.

use std::{pin::pin, time::Duration};

use async_trait::async_trait;
use fencepost_domain::outbox::ANSWER_MS;
use fencepost_ports::{Budget, Notice, Webhook, WebhookError};
use futures_util::future::{Either, select};
use url::Url;
use worker::{AbortController, AbortSignal, Delay, Fetch, Headers, Request};

use crate::{fetch_images::Hosts, named_hosts, outgoing_request::outgoing_request};

/// A receiver at an address.
#[derive(Clone)]
pub(crate) struct FetchWebhook {
    address: Url,
    hosts: Hosts,
    budget: Budget,
}

impl FetchWebhook {
    /// The receiver at `address`, if it is one of `hosts`, asked within `budget`.
    pub(crate) const fn new(address: Url, hosts: Hosts, budget: Budget) -> Self {
        Self { address, hosts, budget }
    }

    #[worker::send]
    async fn post_in_time(&self, notice: &Notice) -> Result<u16, WebhookError> {
        if self.hosts == Hosts::Named {
            named_hosts::admit(&self.address).map_err(|reason| {
                WebhookError::Unanswered(format!("the receiver was not connected to: {reason}"))
            })?;
        }
        let controller = AbortController::default();
        let signal = controller.signal();
        let answered = pin!(self.send(notice, &signal));
        let deadline = pin!(Delay::from(Duration::from_millis(ANSWER_MS)));
        let end = match select(answered, deadline).await {
            Either::Left((end, _)) => end,
            Either::Right(_) => {
                let seconds = ANSWER_MS / 1_000;
                Err(WebhookError::Unanswered(format!("the receiver did not answer within {seconds} s")))
            }
        };
        // What the receiver has to say besides its status is not read.
        controller.abort();
        end
    }

    async fn send(&self, notice: &Notice, signal: &AbortSignal) -> Result<u16, WebhookError> {
        let broke_off = |problem: worker::Error| {
            WebhookError::Unanswered(format!("the receiver was not reached ({problem})"))
        };
        let request = self.request(notice).map_err(broke_off)?;
        self.budget.spend(1)?;
        let response = Fetch::Request(request).send_with_signal(signal).await.map_err(broke_off)?;
        Ok(response.status_code())
    }

    fn request(&self, notice: &Notice) -> worker::Result<Request> {
        let headers = Headers::new();
        headers.set("content-type", "application/json")?;
        headers.set("user-agent", concat!("fencepost/", env!("CARGO_PKG_VERSION")))?;
        for (name, value) in &notice.headers {
            headers.set(name, value)?;
        }
        outgoing_request(self.address.as_str(), &headers, Some(&notice.body))
    }
}

#[async_trait]
impl Webhook for FetchWebhook {
    async fn post(&self, notice: &Notice) -> Result<u16, WebhookError> {
        self.post_in_time(notice).await
    }
}
