//! The one thing that an actor ever waits for: that it is its turn again.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use crate::world::Sim;

impl Sim {
    /// Goes on at `at`.
    pub(crate) fn until(&self, at: i64) -> Until {
        Until { sim: self.clone(), at, wait: None }
    }

    /// Goes on in `ms` milliseconds.
    pub(crate) fn pass(&self, ms: i64) -> Until {
        let at = self.world().now + ms;
        self.until(at)
    }
}

/// Ready when the world wakes it.
pub(crate) struct Until {
    sim: Sim,
    at: i64,
    wait: Option<u64>,
}

impl Future for Until {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        match self.wait {
            None => {
                let wait = self.sim.world().wake_at(self.at);
                self.wait = Some(wait);
                Poll::Pending
            }
            Some(wait) if self.sim.world().woken == wait => Poll::Ready(()),
            Some(_) => Poll::Pending,
        }
    }
}
