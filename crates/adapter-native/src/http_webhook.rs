//! Events, sent to a receiver by HTTP and HTTPS.
//!
//! The receiver's address is the operator's own. Its name is looked up by whoever runs the
//! name server, though, and could one day lead to what only this machine can reach. So a
//! connection may lead where one for a photo may, see [`Reachable`], and to a receiver in a
//! private network when the operator says so.
//!
//! A delivery is one request. The client repeats nothing: whether an event is sent again is
//! for the outbox to say, which counts. No redirect is followed, for a signed notice is not
//! handed on to where its receiver points.
//!
//! The address may hold a secret, as many services' do, so no error and no log names it.

use std::{fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use fencepost_domain::outbox::ANSWER_MS;
use fencepost_ports::{Notice, Webhook, WebhookError};
use reqwest::{
    Client,
    header::{CONTENT_TYPE, HeaderMap, HeaderValue},
};
use url::Url;

use crate::{
    causes::{causes, root_cause, trouble},
    reachable::{Reachable, RefusedAddress, guarded_client},
};

/// How long a connection may take to be made, TLS included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A receiver at an address.
#[derive(Clone)]
pub struct HttpWebhook {
    client: Client,
    address: Url,
    reachable: Arc<Reachable>,
    patience: Duration,
}

impl HttpWebhook {
    /// The receiver at `address`, if connections to it are allowed.
    ///
    /// Reads the machine's certificates, so it belongs at the start of a process.
    pub fn new(address: Url, reachable: Reachable) -> Self {
        let reachable = Arc::new(reachable);
        let json = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        let client = guarded_client(&reachable, CONNECT_TIMEOUT, json);
        Self { client, address, reachable, patience: Duration::from_millis(ANSWER_MS) }
    }

    /// The same receiver, waited for at most as long.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }
}

impl fmt::Debug for HttpWebhook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HttpWebhook(..)")
    }
}

#[async_trait]
impl Webhook for HttpWebhook {
    async fn post(&self, notice: &Notice) -> Result<u16, WebhookError> {
        if let Some(refused) = self.reachable.refusal(&self.address) {
            return Err(out_of_reach(&refused));
        }
        let headers = notice.headers.iter();
        let request = headers.fold(self.client.post(self.address.clone()), |request, (name, value)| {
            request.header(*name, value.as_str())
        });
        // The status is the answer; what else the receiver has to say is not waited for.
        let sent = request.body(notice.body.clone()).send();
        match tokio::time::timeout(self.patience, sent).await {
            Ok(Ok(response)) => Ok(response.status().as_u16()),
            Ok(Err(problem)) => Err(unanswered(&problem)),
            Err(_) => {
                let seconds = self.patience.as_secs_f32();
                Err(WebhookError::Unanswered(format!("the receiver did not answer within {seconds} s")))
            }
        }
    }
}

fn out_of_reach(refused: &RefusedAddress) -> WebhookError {
    WebhookError::Unanswered(format!("the receiver was not connected to: {refused}"))
}

/// A request without an answer.
fn unanswered(problem: &reqwest::Error) -> WebhookError {
    if let Some(refused) = causes(problem).find_map(|cause| cause.downcast_ref::<RefusedAddress>()) {
        return out_of_reach(refused);
    }
    WebhookError::Unanswered(format!("the receiver {} ({})", trouble(problem), root_cause(problem)))
}
