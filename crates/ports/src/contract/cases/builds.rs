//! Who ran a job: the owner by which a receipt names its run, and the build.

use fencepost_domain::{
    id::RunId,
    job::{RECENT_MS, RECENT_RUNS},
    time::UnixMillis,
};

use crate::{
    Job, RecentBuild,
    contract::{
        Fixture,
        steps::{DAILY_QUOTA, ok, owner},
    },
};

pub(super) async fn the_runs_of_some_owners_are_found(f: &Fixture) {
    for (name, of) in [("z", "ada"), ("y", "bob"), ("x", "ada"), ("w", "eve")] {
        ok(f.stores.runs.start(&RunId::new(name), Job::Publish, &owner(of), "1.0", None).await);
        f.clock.advance(-1_000);
    }
    let check = async |owners: &[&str], expected: &[&str]| {
        let owners: Vec<_> = owners.iter().map(|name| owner(name)).collect();
        let mut found = f.keeps(f.stores.runs.runs_of(&owners)).await;
        found.sort_by_key(|logged| logged.number);
        let names: Vec<_> = found.iter().map(|logged| logged.run.run_id.as_str()).collect();
        assert_eq!(names, expected);
        let all = ok(f.stores.runs.runs(None, 9).await);
        assert!(found.iter().all(|run| all.contains(run)), "as the list of all runs has them");
    };
    check(&[], &[]).await;
    check(&["nobody"], &[]).await;
    check(&["ada", "bob", "nobody", "ada"], &["z", "y", "x"]).await;
}

pub(super) async fn the_overview_tells_which_builds_have_run_each_job_within_a_day(f: &Fixture) {
    let run = async |name: &str, job, build: &str| {
        ok(f.stores.runs.start(&RunId::new(name), job, &owner("ada"), build, None).await);
    };
    let check = async |expected: &[(Job, &str, UnixMillis)]| {
        let found = f.keeps(f.stores.runs.overview(DAILY_QUOTA)).await.recent_builds;
        let expected = expected.iter().map(|(job, build, ran_at)| RecentBuild {
            job: *job,
            build: Some((*build).to_owned()),
            ran_at: *ran_at,
        });
        assert_eq!(found, expected.collect::<Vec<_>>());
    };
    let begin = f.clock.now();
    run("r1", Job::Publish, "old").await;
    run("r2", Job::Compensate, "old").await;
    check(&[(Job::Compensate, "old", begin), (Job::Publish, "old", begin)]).await;
    let later = f.clock.advance(1_000);
    run("r3", Job::Compensate, "new").await;
    run("r4", Job::Compensate, "old").await;
    f.clock.advance(-500);
    run("r5", Job::Compensate, "old").await;
    let compensate = [(Job::Compensate, "new", later), (Job::Compensate, "old", later)];
    check(&[compensate[0], compensate[1], (Job::Publish, "old", begin)]).await;
    f.clock.set(begin.plus(RECENT_MS - 1));
    check(&[compensate[0], compensate[1], (Job::Publish, "old", begin)]).await;
    f.clock.set(begin.plus(RECENT_MS));
    check(&compensate).await;
    f.clock.set(later.plus(RECENT_MS));
    check(&[]).await;
}

pub(super) async fn the_newest_runs_tell_which_builds_are_at_work(f: &Fixture) {
    let begin = f.clock.now();
    let run = async |number: usize, build: &str| {
        let run = RunId::new(format!("r{number}"));
        ok(f.stores.runs.start(&run, Job::Compensate, &owner("ada"), build, None).await);
    };
    let builds = async || {
        let recent = ok(f.stores.runs.overview(DAILY_QUOTA).await).recent_builds;
        recent.into_iter().map(|recent| (recent.build.unwrap_or_default(), recent.ran_at)).collect::<Vec<_>>()
    };
    run(0, "old").await;
    for number in 1..RECENT_RUNS {
        run(number, "new").await;
    }
    assert_eq!(builds().await, [("new".to_owned(), begin), ("old".to_owned(), begin)]);
    run(RECENT_RUNS, "new").await;
    assert_eq!(builds().await, [("new".to_owned(), begin)]);
}
