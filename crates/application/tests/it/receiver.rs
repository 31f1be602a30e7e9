//! A receiver of events, which misbehaves as it is told.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use fencepost_application::Outlet;
use fencepost_domain::outbox::EventKind;
use fencepost_ports::{Budget, Notice, Webhook, WebhookError};
use tokio::sync::Notify;

/// How a receiver answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It takes the notice, or not, and says so.
    Status(u16),
    /// It takes the notice, and the answer gets lost, or comes too late.
    AnswerLost,
    /// It cannot be reached.
    Unreachable,
    /// It takes the notice and never answers, until whoever waits is killed.
    Hanging,
}

/// A receiver. It behaves once in each manner that it was told, and then well.
pub(crate) struct Receiver {
    manners: Mutex<VecDeque<Manner>>,
    notices: Mutex<Vec<Notice>>,
    reached: Notify,
    budget: Budget,
}

impl Receiver {
    pub(crate) fn new(manners: impl IntoIterator<Item = Manner>) -> Arc<Self> {
        Self::within(Budget::unlimited(), manners)
    }

    /// One that can be asked as often as this budget allows.
    pub(crate) fn within(budget: Budget, manners: impl IntoIterator<Item = Manner>) -> Arc<Self> {
        Arc::new(Self {
            manners: Mutex::new(manners.into_iter().collect()),
            notices: Mutex::default(),
            reached: Notify::new(),
            budget,
        })
    }

    /// A site's way to this receiver, which is told of pages. Its signatures are the text that
    /// they sign.
    pub(crate) fn outlet(self: &Arc<Self>) -> Option<Outlet> {
        self.outlet_of(&EventKind::PAGES)
    }

    /// The same for a receiver that is told of these kinds.
    pub(crate) fn outlet_of(self: &Arc<Self>, kinds: &[EventKind]) -> Option<Outlet> {
        Some(Outlet {
            webhook: self.clone(),
            sign: Arc::new(|text| format!("<{text}>")),
            kinds: kinds.to_vec(),
            origin: Some("https://prices.example".to_owned()),
        })
    }

    /// Everything that arrived.
    pub(crate) fn notices(&self) -> Vec<Notice> {
        self.notices.lock().unwrap().clone()
    }

    /// The keys of everything that arrived.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.notices().iter().map(|notice| header(notice, "idempotency-key").to_owned()).collect()
    }

    /// Returns when something has arrived.
    pub(crate) async fn reached(&self) {
        self.reached.notified().await;
    }
}

pub(crate) fn header<'a>(notice: &'a Notice, name: &str) -> &'a str {
    let found = notice.headers.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| value.as_str()).unwrap()
}

#[async_trait]
impl Webhook for Receiver {
    async fn post(&self, notice: &Notice) -> Result<u16, WebhookError> {
        self.budget.spend(1)?;
        let manner = self.manners.lock().unwrap().pop_front().unwrap_or(Manner::Status(200));
        if manner != Manner::Unreachable {
            self.notices.lock().unwrap().push(notice.clone());
            self.reached.notify_one();
        }
        match manner {
            Manner::Status(status) => Ok(status),
            Manner::AnswerLost => Err(WebhookError::Unanswered("it broke off".to_owned())),
            Manner::Unreachable => Err(WebhookError::Unanswered("it could not be connected to".to_owned())),
            Manner::Hanging => std::future::pending().await,
        }
    }
}
