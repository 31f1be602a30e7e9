//! How a process ends.
//!
//! The first SIGTERM or Ctrl-C asks: a running job finishes the item that it has in
//! hand, requests that have arrived are answered, and nothing new begins. Whoever does not want
//! to wait sends a second one, and the process is gone at once. Either is safe: an item
//! that was cut off is claimable as soon as its lease ends.

use fencepost_application::Stop;
use tokio::sync::watch;

/// What the shell expects of a process that was interrupted.
const INTERRUPTED: i32 = 130;

/// The wish to end. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Shutdown {
    stop: Stop,
    wish: watch::Receiver<bool>,
}

impl Shutdown {
    /// Listens for signals from now on.
    pub(crate) fn on_signals() -> Self {
        let stop = Stop::default();
        let (sender, wish) = watch::channel(false);
        let asked = stop.clone();
        // Listened for from here on and without a gap, so that none gets lost: neither one
        // that comes at once, nor a second one on the heels of the first.
        let mut signals = Signals::listen();
        tokio::spawn(async move {
            signals.next().await;
            tracing::info!("stopping: finishing what is in hand; a second signal ends it at once");
            asked.request();
            sender.send_replace(true);
            signals.next().await;
            std::process::exit(INTERRUPTED);
        });
        Self { stop, wish }
    }

    /// Takes place when a test wishes so.
    #[cfg(test)]
    pub(crate) fn on_wish() -> (watch::Sender<bool>, Self) {
        let (sender, wish) = watch::channel(false);
        (sender, Self { stop: Stop::default(), wish })
    }

    /// The flag that jobs look at between two items.
    pub(crate) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Whether the process was asked to end.
    pub(crate) fn is_requested(&self) -> bool {
        self.stop.is_requested()
    }

    /// Returns once the process is asked to end.
    pub(crate) async fn requested(&self) {
        let mut wish = self.wish.clone();
        // An error means that the listener is gone, which only an ending process does.
        let _ = wish.wait_for(|wished| *wished).await;
    }
}

#[cfg(unix)]
use unix::Signals;

#[cfg(unix)]
mod unix {
    use tokio::signal::unix::{Signal, SignalKind, signal};

    /// SIGINT and SIGTERM. `None` if they cannot be listened for.
    pub(super) struct Signals(Option<(Signal, Signal)>);

    impl Signals {
        pub(super) fn listen() -> Self {
            match (signal(SignalKind::interrupt()), signal(SignalKind::terminate())) {
                (Ok(interrupt), Ok(terminate)) => Self(Some((interrupt, terminate))),
                _ => {
                    tracing::warn!("cannot listen for signals; a signal ends the process at once");
                    Self(None)
                }
            }
        }

        pub(super) async fn next(&mut self) {
            let Some((interrupt, terminate)) = &mut self.0 else { return std::future::pending().await };
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        }
    }
}

#[cfg(not(unix))]
use elsewhere::Signals;

#[cfg(not(unix))]
mod elsewhere {
    /// Ctrl-C.
    pub(super) struct Signals;

    impl Signals {
        pub(super) fn listen() -> Self {
            Self
        }

        pub(super) async fn next(&mut self) {
            if tokio::signal::ctrl_c().await.is_err() {
                tracing::warn!("cannot listen for Ctrl-C; it ends the process at once");
                std::future::pending().await
            }
        }
    }
}
