//! Reads of time and revision that several requests share.
//!
//! Every request begins with that read, and freshness hangs on it: what a request learns
//! must be read after it was made. It need not be read *for* it. A read that begins after
//! ten requests have arrived is as fresh for each of them as one of its own would be. So one
//! read runs at a time, and whoever arrives meanwhile waits for the next one, together with
//! all others who do.
//!
//! The one mistake would be to join a read that is already running: it may have seen the
//! store before a commit, of whose end the request was told. Therefore whoever waits stands
//! in a line, and a read is for those who stood there *before* it began. There is no time in
//! this argument, and no number: nothing is kept from one read to the next.
//!
//! Nor is there a task that reads for others, which a lone request would have to wait for.
//! The first one to arrive reads by itself, once it has let those go first who are ready to
//! arrive as well: under load a read is for some ten of them, although it is over sooner than
//! the next of them could come. Its right to do so is a value, the [`Lead`]:
//! whoever drops it, at the end of the read or because its own client has gone, hands it to
//! the next in the line, and hands back to the line those whom it has not told. Others wait
//! for whoever has it, so a call must be awaited or dropped, and not be put aside.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use fencepost_domain::revision::SiteMoment;
use fencepost_ports::{RevisionSource, StoreError};
use tokio::{sync::oneshot, task::yield_now};

/// A source that is asked by one request at a time, for all that were waiting.
pub struct SharedRevisions {
    source: Arc<dyn RevisionSource>,
    desk: Arc<Desk>,
}

impl SharedRevisions {
    /// Shares the reads of `source`.
    pub fn new(source: Arc<dyn RevisionSource>) -> Self {
        Self { source, desk: Arc::default() }
    }
}

#[async_trait]
impl RevisionSource for SharedRevisions {
    async fn moment(&self) -> Result<SiteMoment, StoreError> {
        let mut lead = match self.desk.arrive() {
            Arrival::First(lead) => lead,
            // The line holds who waits until it is their turn: nobody is sent away from it.
            Arrival::Behind(turn) => match turn.await.expect("whoever waits in line gets a turn") {
                Turn::Told(told) => return told,
                Turn::Lead(lead) => lead,
            },
        };
        // Whoever is about to arrive on this thread arrives before the read that way.
        yield_now().await;
        lead.begin();
        let told = self.source.moment().await;
        lead.tell(&told);
        told
    }
}

type Told = Result<SiteMoment, StoreError>;

/// What ends a wait.
enum Turn {
    /// A read that began after the wait did has told this.
    Told(Told),
    /// It is now upon the one who waited to read.
    Lead(Lead),
}

enum Arrival {
    First(Lead),
    Behind(oneshot::Receiver<Turn>),
}

/// Where requests arrive.
#[derive(Default)]
struct Desk(Mutex<Line>);

#[derive(Default)]
struct Line {
    /// Whether somebody has the lead.
    is_led: bool,
    /// Those for whom no read has begun, in the order of their arrival.
    waiting: VecDeque<oneshot::Sender<Turn>>,
}

impl Desk {
    fn line(&self) -> MutexGuard<'_, Line> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn arrive(self: &Arc<Self>) -> Arrival {
        let mut line = self.line();
        if line.is_led {
            let (sender, turn) = oneshot::channel();
            line.waiting.push_back(sender);
            return Arrival::Behind(turn);
        }
        line.is_led = true;
        Arrival::First(Lead::at(self))
    }

    /// The next in line who is still there; or nobody, and then the lead is free.
    fn next(&self) -> Option<oneshot::Sender<Turn>> {
        let mut line = self.line();
        let next = std::iter::from_fn(|| line.waiting.pop_front()).find(|waiting| !waiting.is_closed());
        line.is_led = next.is_some();
        next
    }
}

/// The right to read, of which there is one.
struct Lead {
    desk: Arc<Desk>,
    /// For whom the read is that has begun.
    followers: VecDeque<oneshot::Sender<Turn>>,
}

impl Lead {
    fn at(desk: &Arc<Desk>) -> Self {
        Self { desk: Arc::clone(desk), followers: VecDeque::new() }
    }

    /// A read is about to begin. It is for all who wait now, and for nobody who comes later.
    fn begin(&mut self) {
        self.followers = std::mem::take(&mut self.desk.line().waiting);
    }

    /// Tells them what came of it, a failure as well: a store in trouble is not asked the
    /// same by each of them.
    fn tell(&mut self, told: &Told) {
        for follower in self.followers.drain(..) {
            // Nobody waits there if the client has gone.
            let _ = follower.send(Turn::Told(told.clone()));
        }
    }
}

impl Drop for Lead {
    fn drop(&mut self) {
        if !self.followers.is_empty() {
            let mut line = self.desk.line();
            let arrived_later = std::mem::replace(&mut line.waiting, std::mem::take(&mut self.followers));
            line.waiting.extend(arrived_later);
        }
        if let Some(next) = self.desk.next() {
            // If its client goes in this very moment, the lead comes back, and is dropped once more.
            let _ = next.send(Turn::Lead(Self::at(&self.desk)));
        }
    }
}
