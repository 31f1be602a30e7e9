//! The loop that runs jobs: asks the store, asks the agenda, and does what it says.
//!
//! It never ends by itself. A store that cannot be asked is asked again, less and less
//! often, and that is told once and not every second.

use std::time::Duration;

use fencepost_application::{RunReport, Site};
use fencepost_domain::outcome::Outcome;
use fencepost_ports::StoreError;

use crate::{
    agenda::{Agenda, Step},
    shutdown::Shutdown,
    standstill::{News, Reason, Standstill},
};

const FIRST_RETRY: Duration = Duration::from_secs(1);
const LAST_RETRY: Duration = Duration::from_secs(30);
/// How often photos are looked after.
const PHOTOS_EVERY: Duration = Duration::from_secs(1);
/// How long a process that was asked to end waits for the receiver of an event.
const LAST_DELIVERY: Duration = Duration::from_secs(5);
/// How often events are looked after.
const DELIVERIES_EVERY: Duration = Duration::from_secs(1);

/// Makes photos of open and coming puzzles ready, apart from the jobs: a slow download
/// keeps no answer waiting that falls due meanwhile.
pub(crate) async fn prepare_photos(site: Site, shutdown: Shutdown) {
    while !shutdown.is_requested() {
        site.prepare_photos(shutdown.stop()).await;
        sleep(PHOTOS_EVERY, &shutdown).await;
    }
}

/// Tells others what happened, apart from the jobs: a receiver that hangs keeps no answer
/// waiting that falls due meanwhile.
///
/// The store is asked every second, and told nothing unless there is something to tell. So
/// what another process commits is told as well, whichever of them comes first.
pub(crate) async fn deliver(site: Site, shutdown: Shutdown) {
    let patience = async {
        shutdown.requested().await;
        tokio::time::sleep(LAST_DELIVERY).await;
    };
    let deliveries = async {
        while !shutdown.is_requested() {
            site.deliver_events_if_possible(shutdown.stop()).await;
            sleep(DELIVERIES_EVERY, &shutdown).await;
        }
    };
    tokio::select! {
        () = deliveries => {}
        () = patience => tracing::info!("the receiver of events hangs; what it was sent is sent again"),
    }
}

/// Runs what is due, one run at a time, until the process is asked to end.
///
/// A panic is a fault of this program. It must not leave a server behind that answers
/// readers and silently publishes nothing, so it is told, and the loop begins anew.
pub(crate) async fn run(site: Site, shutdown: Shutdown) {
    while !shutdown.is_requested() {
        let jobs = tokio::spawn(run_until_panic(site.clone(), shutdown.clone()));
        if let Err(error) = jobs.await {
            tracing::error!(
                "a job broke off: {error}; please report this; jobs go on in {} s",
                LAST_RETRY.as_secs()
            );
            sleep(LAST_RETRY, &shutdown).await;
        }
    }
}

async fn run_until_panic(site: Site, shutdown: Shutdown) {
    let mut agenda = Agenda::new();
    let mut standstill = Standstill::default();
    let mut trouble = Trouble::default();
    while !shutdown.is_requested() {
        let pause = match step(&site, &shutdown, &mut agenda, &mut standstill).await {
            Ok(pause) => {
                trouble.is_over();
                pause
            }
            Err(error) => trouble.note(&error),
        };
        sleep(pause, &shutdown).await;
    }
}

async fn sleep(pause: Duration, shutdown: &Shutdown) {
    tokio::select! {
        () = tokio::time::sleep(pause) => {}
        () = shutdown.requested() => {}
    }
}

/// One look at the store, and the run that it asks for. Returns how long to wait then.
async fn step(
    site: &Site,
    shutdown: &Shutdown,
    agenda: &mut Agenda,
    standstill: &mut Standstill,
) -> Result<Duration, StoreError> {
    let wake = site.next_wake().await?;
    tell_standstill(standstill.at(wake.now));
    if standstill.is_pause() && !site.status().await?.paused {
        tell_standstill(standstill.over());
    }
    match agenda.next(wake) {
        Step::Wait(ms) => Ok(Duration::from_millis(ms)),
        Step::Run(job) => {
            let report = site.run_job_alone(job, shutdown.stop()).await?;
            let is_news = agenda.ran(&report);
            tell(&report, is_news);
            tell_standstill(standstill.ran(&report, wake.overdue.is_some()));
            Ok(Duration::ZERO)
        }
    }
}

/// Items that were published are told one by one by the run itself, and a standstill
/// apart.
fn tell(report: &RunReport, left_something: bool) {
    let job = report.job.as_str();
    let left: u32 =
        report.counts.iter().filter(|(outcome, _)| is_left(**outcome)).map(|(_, count)| count).sum();
    if left_something && left > 0 {
        tracing::info!("{job}: {left} due and left alone ({}); trying again by and by", words(report));
    } else {
        tracing::debug!("{job}: {} looked at ({})", report.items.len(), words(report));
    }
}

fn is_left(outcome: Outcome) -> bool {
    use Outcome::{LeaseHeld, Paused, Published, QuotaExhausted};
    !matches!(outcome, Published | LeaseHeld | QuotaExhausted | Paused)
}

fn tell_standstill(news: Option<News>) {
    match news {
        None => {}
        Some(News::Begun(Reason::QuotaUsedUp(_))) => tracing::warn!(
            "today's quota is used up: what else is due is left alone until 00:00 UTC; \
             start with a higher --daily-quota to let more out today"
        ),
        Some(News::Begun(Reason::Paused)) => tracing::warn!(
            "the site is paused: what is due is left alone until somebody resumes it (POST /admin/api/resume)"
        ),
        Some(News::Over(Reason::QuotaUsedUp(_))) => {
            tracing::info!("the quota has room again: publishing goes on");
        }
        Some(News::Over(Reason::Paused)) => tracing::info!("the pause is over: publishing goes on"),
    }
}

fn words(report: &RunReport) -> String {
    let counts = report.counts.iter().map(|(outcome, count)| format!("{outcome}: {count}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// A store that cannot be asked.
#[derive(Default)]
struct Trouble {
    told: Option<String>,
    retry: Option<Duration>,
}

impl Trouble {
    /// Tells it, unless it was told already. Returns how long to wait.
    fn note(&mut self, error: &StoreError) -> Duration {
        let text = error.to_string();
        if self.told.as_ref() != Some(&text) {
            tracing::warn!("no job can run: {text}; trying again until it works");
            self.told = Some(text);
        } else {
            tracing::debug!("still no job can run");
        }
        let pause = self.retry.unwrap_or(FIRST_RETRY);
        self.retry = Some((pause * 2).min(LAST_RETRY));
        pause
    }

    fn is_over(&mut self) {
        if self.told.take().is_some() {
            tracing::info!("the store answers again");
        }
        self.retry = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trouble_is_met_with_patience_and_forgotten_when_over() {
        let mut trouble = Trouble::default();
        let error = StoreError::unknown("the disk is gone");
        let waits: Vec<_> = (0..7).map(|_| trouble.note(&error).as_secs()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30]);
        trouble.is_over();
        assert_eq!(trouble.note(&error), FIRST_RETRY);
    }
}
