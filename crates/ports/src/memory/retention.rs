//! Forgetting what is old.

use fencepost_domain::{
    id::RunId,
    job::{Job, JobRun},
    outbox::EventState,
    retention::{AT_ONCE, OPEN_RUN_MS, Perishable, Pruning},
    time::UnixMillis,
};

use super::State;

impl State {
    /// Forgets what is old at the end of a run, at `now`.
    pub(super) fn prune(&mut self, run_id: &RunId, pruning: Pruning, now: UnixMillis) {
        let old = now.plus(-pruning.keep_ms);
        match pruning.what {
            Perishable::Runs => self.prune_runs(run_id, old),
            Perishable::Edits => self.prune_edits(old),
            Perishable::Events => self.prune_events(old),
        }
    }

    fn prune_runs(&mut self, run_id: &RunId, old: UnixMillis) {
        if self.runs.get(1).is_none_or(|second| second.run.started_at >= old) {
            return;
        }
        let newest = Job::ALL.map(|job| {
            let of_job = || self.runs.iter().rev().filter(move |it| it.run.job == job);
            [of_job().next(), of_job().find(|it| it.run.finished_at.is_some())]
        });
        let kept: Vec<_> = newest.into_iter().flatten().flatten().map(|it| it.number).collect();
        let oldest = self.runs.iter().skip(1).take(AT_ONCE);
        let is_old = |run: &JobRun| {
            let longer = if run.finished_at.is_none() { OPEN_RUN_MS } else { 0 };
            run.started_at.plus(longer) < old && run.run_id != *run_id
        };
        let forgotten = oldest.filter(|it| is_old(&it.run) && !kept.contains(&it.number));
        let forgotten: Vec<_> = forgotten.map(|it| it.number).collect();
        self.runs.retain(|it| !forgotten.contains(&it.number));
    }

    fn prune_edits(&mut self, old: UnixMillis) {
        let mut numbered: Vec<_> = self.bank_edits.values().map(|it| (it.number, it.edited_at)).collect();
        numbered.sort_unstable();
        if numbered.get(1).is_none_or(|(_, edited_at)| *edited_at >= old) {
            return;
        }
        let oldest = numbered.into_iter().skip(1).take(AT_ONCE);
        let forgotten: Vec<_> = oldest.filter(|(_, at)| *at < old).map(|(number, _)| number).collect();
        self.bank_edits.retain(|_, it| !forgotten.contains(&it.number));
    }

    fn prune_events(&mut self, old: UnixMillis) {
        let newest = self.outbox.last().map(|it| it.entry.number);
        let delivered = self.outbox.iter().filter(|it| it.entry.state == EventState::Delivered);
        let mut delivered: Vec<_> =
            delivered.filter_map(|it| it.entry.delivered_at.map(|at| (at, it.entry.number))).collect();
        delivered.sort_unstable();
        let forgotten: Vec<_> = delivered
            .into_iter()
            .filter(|(at, _)| *at < old)
            .take(AT_ONCE)
            .map(|(_, number)| number)
            .filter(|number| Some(*number) != newest)
            .collect();
        self.outbox.retain(|it| !forgotten.contains(&it.entry.number));
    }
}
