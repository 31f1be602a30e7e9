//! Progress, for whoever sits at a terminal.
//!
//! It is shown on standard error, and only there: where that leads into a file or a pipe, and
//! where a report is wanted as JSON, nobody is told anything but what came of it.

use std::{
    io::{self, IsTerminal},
    time::Duration,
};

use fencepost_application::Counters;
use indicatif::{ProgressBar, ProgressStyle};
use tokio::{task::JoinHandle, time::interval};

/// How often a look is taken at what others count.
const LOOK: Duration = Duration::from_millis(100);

/// Whether progress is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Progress {
    is_shown: bool,
}

impl Progress {
    /// Progress of a command, which may have to print JSON.
    pub(crate) fn of_command(json: bool) -> Self {
        Self { is_shown: !json && io::stderr().is_terminal() }
    }

    /// Whether anybody sees it, so that it may cost something.
    pub(crate) const fn is_shown(self) -> bool {
        self.is_shown
    }

    /// So many things that are done one by one.
    pub(crate) fn bar(self, count: u64, doing: &'static str) -> ProgressBar {
        if !self.is_shown {
            return ProgressBar::hidden();
        }
        let style = ProgressStyle::with_template("{msg} {bar:40} {pos}/{len}")
            .expect("the template is constant and well formed");
        ProgressBar::new(count).with_style(style).with_message(doing)
    }

    /// One thing that takes a while.
    pub(crate) fn spinner(self, doing: &'static str) -> ProgressBar {
        if !self.is_shown {
            return ProgressBar::hidden();
        }
        let spinner = ProgressBar::new_spinner().with_message(doing);
        spinner.enable_steady_tick(LOOK);
        spinner
    }

    /// A run of a job that finds about so many items, of which the site counts each as it ends.
    pub(crate) fn watch(self, count: u64, counters: Counters) -> Watch {
        let bar = self.bar(count, "publishing");
        let shown = bar.clone();
        let looking = self.is_shown.then(|| {
            tokio::spawn(async move {
                let mut looks = interval(LOOK);
                loop {
                    looks.tick().await;
                    let ended: u64 = counters.outcomes().iter().map(|(_, count)| count).sum();
                    shown.set_length(count.max(ended));
                    shown.set_position(ended);
                }
            })
        });
        Watch { bar, looking }
    }
}

/// Progress that is shown as long as this value lives.
pub(crate) struct Watch {
    bar: ProgressBar,
    looking: Option<JoinHandle<()>>,
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(looking) = &self.looking {
            looking.abort();
        }
        self.bar.finish_and_clear();
    }
}
