//! The crons, as `wrangler.toml` lists them.

use fencepost_application::{RunReport, Stop};
use fencepost_ports::Job;
use worker::Env;

use crate::{compose, config::Config};

/// Runs what a cron stands for. Whatever goes wrong is in the log, and is caught up by
/// the next cron: nothing here may end the instance, with which other requests would end.
pub(crate) async fn run(cron: &str, env: &Env) {
    let job = job_of(cron);
    let site = match Config::of(env).and_then(|config| compose::site(env, &config, config.budget())) {
        Ok(site) => site,
        Err(problem) => {
            tracing::error!(job = job.as_str(), "{problem}; no job can run");
            return;
        }
    };
    match site.run_job(job, &Stop::default()).await {
        Ok(report) => tell(&report),
        Err(error) => tracing::error!(job = job.as_str(), "the job failed: {error}; the next one catches up"),
    }
}

/// What a run did, in one line.
pub(crate) fn tell(report: &RunReport) {
    let counts = report.counts.iter().map(|(outcome, count)| format!("{outcome}: {count}"));
    let budget = report.budget;
    tracing::info!(
        job = report.job.as_str(),
        run = %report.run_id,
        revision = report.revision.get(),
        photos = report.images.prepared,
        interrupted = report.interrupted,
        left = report.left,
        spent = budget.map(|budget| budget.spent),
        limit = budget.map(|budget| budget.limit),
        "due items: {} ({})",
        report.items.len(),
        counts.collect::<Vec<_>>().join(", ")
    );
}

/// The job of a cron. A cron that is not known was added by somebody who wants something
/// done at that time, and catching up is never wrong.
fn job_of(cron: &str) -> Job {
    match cron {
        "10 0 * * *" => Job::Publish,
        "25 * * * *" => Job::Compensate,
        unknown => {
            tracing::warn!(cron = unknown, "no job belongs to this cron; compensating");
            Job::Compensate
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cron_of_the_configuration_has_its_job_and_any_other_catches_up() {
        let wrangler = include_str!("../wrangler.toml");
        for (cron, job) in [("10 0 * * *", Job::Publish), ("25 * * * *", Job::Compensate)] {
            assert_eq!(job_of(cron), job);
            assert!(wrangler.contains(&format!("\"{cron}\"")), "{cron} is not in wrangler.toml");
        }
        assert_eq!(job_of("0 12 * * *"), Job::Compensate);
    }
}
