//! Events of what an operator has just done.
//!
//! A job delivers at its end, and a server besides. A Worker has nothing that would wake it
//! before its next cron, and a withdrawal should not wait an hour to be told. So whoever
//! changes something over the API or the dashboard starts a delivery behind the answer.

use futures_util::FutureExt;

use crate::config::App;

/// Delivers what is due, behind the answer, if somebody is told anything.
pub(crate) fn deliver_soon(app: &App) {
    if let (Some(spawner), Some(_)) = (&app.spawner, &app.site.outlet) {
        let (site, stop) = (app.site.clone(), app.stop.clone());
        spawner.spawn(async move { site.deliver_events_if_possible(&stop).await }.map(drop).boxed());
    }
}
