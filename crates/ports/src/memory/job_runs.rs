//! The heartbeat, and the overview for people.

use std::{cmp::Reverse, collections::BTreeMap};

use async_trait::async_trait;
use fencepost_domain::{
    action::{ActionKind, Actor},
    id::{CommitToken, OwnerId, RunId},
    job::{RECENT_MS, RECENT_RUNS, RecentBuild},
    lease::LeaseKey,
    ledger::ItemState,
    outcome::Outcome,
    retention::Pruning,
    time::UnixMillis,
};

use super::{
    MemoryStore, State,
    action_log::{details, word},
    state::StoredLease,
};
use crate::{
    FinishedRun, Heartbeat, HeldLease, Job, JobRun, JobRuns, LoggedRun, Overview, StoreError, Vitals,
};

#[async_trait]
impl JobRuns for MemoryStore {
    async fn start<'a>(
        &self,
        run_id: &RunId,
        job: Job,
        owner: &OwnerId,
        build: &str,
        by: Option<&'a Actor>,
    ) -> Result<UnixMillis, StoreError> {
        self.write(|state, now| {
            if let Some(begun) = state.runs.iter().find(|begun| begun.run.run_id == *run_id) {
                return Ok(begun.run.started_at);
            }
            let number = state.runs.last().map_or(1, |newest| newest.number + 1);
            let run = JobRun {
                run_id: run_id.clone(),
                job,
                owner_id: owner.clone(),
                build: Some(build.to_owned()),
                utc_day: now.utc_day(),
                started_at: now,
                finished_at: None,
                counts: BTreeMap::new(),
                error: None,
            };
            state.runs.push(LoggedRun { number, run });
            if let Some(actor) = by {
                let token = CommitToken::new(run_id.as_str());
                let detail = details([("job", word(job.as_str()))]);
                state.trace(&token, &actor.does(ActionKind::Run), None, detail, now);
            }
            Ok(now)
        })
    }

    async fn finish(
        &self,
        run_id: &RunId,
        counts: &BTreeMap<Outcome, u32>,
        error: Option<&'static str>,
        pruning: Option<Pruning>,
    ) -> Result<FinishedRun, StoreError> {
        self.write(|state, now| {
            if let Some(LoggedRun { run, .. }) = state.runs.iter_mut().find(|it| it.run.run_id == *run_id) {
                run.finished_at = Some(now);
                run.counts.clone_from(counts);
                run.error = error.map(str::to_owned);
                if let Some(pruning) = pruning {
                    state.prune(run_id, pruning, now);
                }
            }
            Ok(FinishedRun {
                finished_at: now,
                revision: state.publication_revision,
                left: state.free_work(now),
            })
        })
    }

    async fn runs(&self, before: Option<i64>, limit: u32) -> Result<Vec<LoggedRun>, StoreError> {
        Ok(self.read(|state, _| {
            let earlier = |run: &&LoggedRun| before.is_none_or(|before| run.number < before);
            state.runs.iter().rev().filter(earlier).take(limit as usize).cloned().collect()
        }))
    }

    async fn runs_of(&self, owners: &[OwnerId]) -> Result<Vec<LoggedRun>, StoreError> {
        Ok(self.read(|state, _| {
            let theirs = state.runs.iter().filter(|logged| owners.contains(&logged.run.owner_id));
            theirs.cloned().collect()
        }))
    }

    async fn overview(&self, daily_quota: i64) -> Result<Overview, StoreError> {
        Ok(self.read(|state, now| state.overview(now, daily_quota)))
    }
}

impl State {
    /// What alerts are made of.
    pub(super) fn vitals(&self, now: UnixMillis) -> Vitals {
        self.overview(now, 0).vitals()
    }

    fn overview(&self, now: UnixMillis, daily_quota: i64) -> Overview {
        Overview {
            now,
            publication_revision: self.publication_revision,
            bank_revision: self.bank_revision,
            paused: self.paused,
            scheduled: self.count_items(|state, _| state == ItemState::Scheduled),
            overdue: self.count_items(|state, due_at| {
                (state.is_runnable() || state == ItemState::Blocked) && due_at <= now
            }),
            outstanding: self.count_items(|item, due_at| self.is_outstanding(item, due_at, now)),
            outstanding_since: self.outstanding_since(now),
            left_alone: self.count_items(|item, due_at| self.is_left_alone(item, due_at, now)),
            left_alone_since: self.left_alone_since(now),
            processing: self.count_items(|state, _| state == ItemState::Processing),
            blocked: self.count_items(|state, _| state == ItemState::Blocked),
            published: self.count_items(|state, _| state == ItemState::Published),
            withdrawn: self.count_items(|state, _| state == ItemState::Withdrawn),
            quota: self.quota(now),
            catch_up: self.catch_up,
            recent_builds: self.recent_builds(now),
            next_wake: self.next_wake(now, daily_quota).first(),
            last_runs: Job::ALL.into_iter().filter_map(|job| self.last_run(job)).cloned().collect(),
            heartbeats: Job::ALL.into_iter().filter_map(|job| self.heartbeat(job)).collect(),
            known_since: self.known_since(),
            leases: self.held_leases(now),
        }
    }

    fn count_items(&self, which: impl Fn(ItemState, UnixMillis) -> bool) -> i64 {
        let count = self.items.values().filter(|item| which(item.state, item.due_at)).count();
        i64::try_from(count).expect("items fit into memory")
    }

    fn held_leases(&self, now: UnixMillis) -> Vec<HeldLease> {
        let held = |(key, stored): (&LeaseKey, &StoredLease)| HeldLease {
            key: *key,
            owner_id: stored.row.owner.clone(),
            fence: stored.row.fence,
            held_since: stored.updated_at,
            expires_at: stored.row.expires_at,
        };
        let mut leases: Vec<_> =
            self.leases.iter().filter(|(_, stored)| stored.row.is_live(now)).map(held).collect();
        leases.sort_by_key(|lease| lease.key.to_string());
        leases
    }

    fn is_outstanding(&self, item: ItemState, due_at: UnixMillis, now: UnixMillis) -> bool {
        item.is_runnable() && due_at <= now && self.catch_up.still_wants(due_at, now)
    }

    fn is_left_alone(&self, item: ItemState, due_at: UnixMillis, now: UnixMillis) -> bool {
        item.is_runnable() && !self.catch_up.still_wants(due_at, now)
    }

    fn left_alone_since(&self, now: UnixMillis) -> Option<UnixMillis> {
        let late = self.items.values().filter(|item| self.is_left_alone(item.state, item.due_at, now));
        late.map(|item| item.due_at).min()
    }

    fn outstanding_since(&self, now: UnixMillis) -> Option<UnixMillis> {
        let items = self.items.values();
        let outstanding = items.filter(|item| self.is_outstanding(item.state, item.due_at, now));
        outstanding.map(|item| item.due_at).min()
    }

    fn heartbeat(&self, job: Job) -> Option<Heartbeat> {
        let ended = |run: &&LoggedRun| run.run.job == job && run.run.finished_at.is_some();
        let newest = &self.runs.iter().rfind(ended)?.run;
        let unknown = newest.counts.get(&Outcome::Unknown).copied().map_or(0, i64::from);
        newest.finished_at.map(|ended_at| Heartbeat { job, ended_at, unknown })
    }

    /// The first import, run and commit are those with the smallest instants, unless a clock
    /// jumped back.
    fn known_since(&self) -> Option<UnixMillis> {
        let first_edit = self.bank_edits.values().min_by_key(|edit| edit.number);
        let edit = first_edit.map(|edit| edit.edited_at);
        let run = self.runs.first().map(|first| first.run.started_at);
        let commit = self.receipts.first().map(|receipt| receipt.committed_at);
        [edit, run, commit].into_iter().flatten().min()
    }

    fn recent_builds(&self, now: UnixMillis) -> Vec<RecentBuild> {
        let mut newest: BTreeMap<(&str, &Option<String>), RecentBuild> = BTreeMap::new();
        let recent = self.runs.iter().rev().take(RECENT_RUNS);
        for run in recent.map(|run| &run.run).filter(|run| run.started_at > now.plus(-RECENT_MS)) {
            let (job, build) = (run.job, run.build.clone());
            let seen = newest.entry((job.as_str(), &run.build));
            let seen = seen.or_insert(RecentBuild { job, build, ran_at: run.started_at });
            seen.ran_at = seen.ran_at.max(run.started_at);
        }
        let mut builds: Vec<_> = newest.into_values().collect();
        builds.sort_by_key(|recent| (recent.job.as_str(), Reverse(recent.ran_at)));
        builds
    }

    fn last_run(&self, job: Job) -> Option<&JobRun> {
        self.runs.iter().map(|it| &it.run).rfind(|run| run.job == job)
    }
}
