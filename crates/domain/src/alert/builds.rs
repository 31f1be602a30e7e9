//! Several builds at once: what stands side by side during a migration, and nothing to be
//! woken up for.

use super::{Alert, AlertKind, alert};
use crate::job::{Job, RecentBuild};

/// What a build is called from before builds were recorded.
pub const UNNAMED_BUILD: &str = "one that does not say";

/// The jobs that more than one build has run of late, as while an old and a new Worker stand
/// side by side.
pub(super) fn several(recent: &[RecentBuild]) -> impl Iterator<Item = Alert> {
    Job::ALL.into_iter().filter_map(|job| {
        let builds = recent.iter().filter(|recent| recent.job == job);
        let names: Vec<_> = builds.map(|recent| recent.build.as_deref().unwrap_or(UNNAMED_BUILD)).collect();
        let [_, _, ..] = names[..] else { return None };
        let (count, names, job_name) = (names.len(), names.join(", "), job.as_str());
        let meaning =
            format!("{count} builds have run `{job_name}` within a day, the last one first: {names}.");
        let remedy = "While one build takes over from another, that is as it should be: it passes by itself \
            within a day. If it lasts, look which process or Worker still fires its crons.";
        Some(Alert { job: Some(job), ..alert(AlertKind::SeveralBuilds, meaning, remedy) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::UnixMillis;

    fn recent(job: Job, build: Option<&str>) -> RecentBuild {
        RecentBuild { job, build: build.map(str::to_owned), ran_at: UnixMillis::new(0) }
    }

    #[test]
    fn two_builds_of_one_job_are_told_and_one_of_each_is_not() {
        let told = |builds: &[RecentBuild]| several(builds).collect::<Vec<_>>();
        assert_eq!(told(&[recent(Job::Publish, Some("old")), recent(Job::Compensate, Some("new"))]), []);
        let both = told(&[recent(Job::Compensate, Some("new")), recent(Job::Compensate, None)]);
        assert_eq!(both.iter().map(|it| it.job).collect::<Vec<_>>(), [Some(Job::Compensate)]);
        assert_eq!(
            both[0].meaning,
            "2 builds have run `compensate` within a day, the last one first: new, one that does not say."
        );
        assert!(both[0].remedy.ends_with('.'));
    }
}
