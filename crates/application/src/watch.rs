//! Noticing that an alert begins, or ends, so that others can be told.
//!
//! Whatever still works has to notice what does not. A server looks every second, whether it
//! runs jobs or not. A Worker has no hand free but in its crons and behind the answers to its
//! operators, and a cron that does not fire is noticed by the other one, and by the runs that
//! readers set off. A run looks when it has begun and not only when it is at its end: what it
//! finds then is what has gone wrong until now, and at its end that is mended.
//!
//! No request of a reader looks, since a look may write. And where nothing at all is fired
//! any more, nobody is there to notice: that wants a monitor outside, which asks.

use fencepost_domain::outbox::Topic;
use fencepost_ports::{StoreError, Turned};

use crate::{Outlet, Site, cost};

impl Site {
    /// Looks for alerts that begin or end, and enqueues what others are told of them. Where
    /// nothing has changed, it reads one row and writes none; where nobody is told of alerts,
    /// it does nothing.
    ///
    /// # Errors
    /// A store that misbehaves. What was not written down is seen by the next look.
    pub async fn watch_alerts(&self) -> Result<Turned, StoreError> {
        let Some(outlet) = self.outlet.as_ref().filter(|outlet| outlet.tells_of_alerts()) else {
            return Ok(Turned::default());
        };
        let look = self.persistently(|| self.stores.alerts.look()).await?;
        let turns = look.turns(self.settings.daily_quota);
        if turns.is_empty() {
            return Ok(Turned::default());
        }
        let owner = self.new_owner();
        let turned = self.persistently(|| self.stores.alerts.turn(&turns, &outlet.kinds, &owner)).await?;
        if turned != Turned::default() {
            tracing::info!(raised = turned.raised, cleared = turned.cleared, "alerts began or ended");
        }
        Ok(turned)
    }

    /// The same for whoever has something else to do: a store that misbehaves is only logged.
    /// What is left of the budget has to suffice for `besides` as well.
    pub(crate) async fn watch_alerts_if_possible(&self, besides: u32) {
        if !self.budget.affords(cost::LOOK_FOR_ALERTS + cost::TELL_ALERTS + besides) {
            return;
        }
        if let Err(error) = self.watch_alerts().await {
            tracing::warn!(%error, "could not look for alerts; the next look will");
        }
    }
}

impl Outlet {
    /// Whether anybody is told when an alert begins or ends.
    fn tells_of_alerts(&self) -> bool {
        self.kinds.iter().any(|kind| matches!(kind.topic(), Topic::Alert(_)))
    }
}
