//! A job: everything that is due, oldest first, then the photos of coming puzzles. What
//! happened is told to others when the run is at its end: a receiver that hangs keeps nothing
//! waiting.
//!
//! Both jobs do the same work. `publish` is fired at the instant at which the grace
//! window usually ends, `compensate` every hour, and either may be fired any number of
//! times at once: what one run has in hand, the others skip.
//!
//! Where calls are limited, a run ends before they are used up. It begins nothing that it
//! could not finish, and keeps what its end will take. What it leaves is counted, and the
//! next run goes on there.

use std::collections::BTreeMap;

use fencepost_domain::{
    action::Actor, guard::Predicate, id::OwnerId, outcome::Outcome, quota::DailyQuota, retention::Pruning,
    visibility::IMAGE_LEAD_MS,
};
use fencepost_ports::{Job, Position, RunnableItem, SiteNames as _, StoreError, StoreErrorKind};

use crate::{
    BudgetReport, Counters, ImagesReport, ItemReport, RunReport, Site, Stop, boxed::Boxed, cost,
    prepare_image::ImageOutcome, rehearse::Earlier,
};

/// How many due items are listed at once.
const PAGE: u32 = 50;
/// After how many items a run that takes its time says how far it is.
const TOLD_EVERY: usize = 100;
/// How many photos of coming puzzles one run makes ready.
const IMAGES_PER_RUN: u32 = 10;

impl Site {
    /// Runs a job once: what is due, then the photos of coming puzzles, then what others are
    /// to be told.
    ///
    /// # Errors
    /// A store that does not even tell what is due. What goes wrong with one item is
    /// part of its report and keeps no other item waiting.
    pub async fn run_job(&self, job: Job, stop: &Stop) -> Result<RunReport, StoreError> {
        self.run(job, stop, true, None).await
    }

    /// Runs a job once because somebody wants it, which is traced. It does what it would do
    /// by itself.
    ///
    /// # Errors
    /// As [`Self::run_job`].
    pub async fn run_job_for(&self, by: &Actor, job: Job, stop: &Stop) -> Result<RunReport, StoreError> {
        self.run(job, stop, true, Some(by)).await
    }

    /// Runs a job once, for a process that looks after photos and events by itself, with
    /// [`Self::prepare_photos`] and [`Self::deliver_events`].
    ///
    /// # Errors
    /// As [`Self::run_job`].
    pub async fn run_job_alone(&self, job: Job, stop: &Stop) -> Result<RunReport, StoreError> {
        self.run(job, stop, false, None).await
    }

    fn run<'a>(
        &self,
        job: Job,
        stop: &'a Stop,
        with_errands: bool,
        by: Option<&'a Actor>,
    ) -> Boxed<'a, Result<RunReport, StoreError>> {
        let counted = Self { resolutions: self.resolutions.part(), ..self.clone() };
        Box::pin(async move { counted.run_counted(job, stop, with_errands, by).await })
    }

    /// A run of a site that counts resolutions for this run alone.
    async fn run_counted(
        &self,
        job: Job,
        stop: &Stop,
        with_errands: bool,
        by: Option<&Actor>,
    ) -> Result<RunReport, StoreError> {
        let run_id = self.tokens.run_id();
        let owner = self.new_owner();
        let runs = &self.stores.runs;
        let build = &self.settings.build;
        let started_at = self.persistently(|| runs.start(&run_id, job, &owner, build, by)).await?;
        if with_errands {
            self.watch_alerts_if_possible(cost::LEAST_BUDGET - cost::START_RUN).await;
        }
        let kept = self.budget.keep(cost::CLOSING);
        let published = self.publish_due(&owner, stop, &mut Mode::Real).await;
        let images = match &published {
            Ok(_) if with_errands => self.prepare_coming_images(&owner, stop).await,
            _ => ImagesReport::default(),
        };
        let (items, interrupted, error) = match published {
            Ok((items, interrupted)) => (items, interrupted, None),
            Err(error) => (Vec::new(), true, Some(error)),
        };
        let counts = count(&items);
        let failure = error.as_ref().map(|_| "the store did not tell what is due");
        drop(kept);
        let affords_it = self.budget.affords(2 * (cost::FINISH_RUN + cost::PRUNE));
        let pruning = Pruning::at(started_at, self.settings.keep_days).filter(|_| affords_it);
        let finished = self.persistently(|| runs.finish(&run_id, &counts, failure, pruning)).await;
        if let Some(error) = error {
            return Err(error);
        }
        let finished = finished?;
        let deliveries = match &self.outlet {
            Some(_) if with_errands => Some(self.deliver_events_if_possible(stop).await),
            _ => None,
        };
        Ok(RunReport {
            run_id,
            job,
            utc_day: started_at.utc_day(),
            started_at,
            finished_at: finished.finished_at,
            revision: finished.revision,
            items,
            counts,
            ambiguous: self.resolutions.counts(),
            images,
            interrupted,
            left: finished.left,
            deliveries,
            budget: BudgetReport::of(&self.budget),
        })
    }

    /// Publishes due items until none is left, the quota or the budget is used up, the site
    /// is paused or the run is asked to stop. The flag tells whether due items were left.
    ///
    /// Of the items that are listed at once, those whose photo is stored come first: a
    /// slow photo host keeps no finished answer waiting.
    pub(crate) fn publish_due<'a>(
        &'a self,
        owner: &'a OwnerId,
        stop: &'a Stop,
        mode: &'a mut Mode,
    ) -> Boxed<'a, Result<(Vec<ItemReport>, bool), StoreError>> {
        Box::pin(self.publish_all_due(owner, stop, mode))
    }

    async fn publish_all_due(
        &self,
        owner: &OwnerId,
        stop: &Stop,
        mode: &mut Mode,
    ) -> Result<(Vec<ItemReport>, bool), StoreError> {
        let mut reports = Vec::new();
        let mut after: Option<Position> = None;
        loop {
            let due = self.persistently(|| self.stores.ledger.runnable(after, PAGE)).await?;
            for problem in &due.unreadable {
                tracing::error!("an item wants repair of its data: {problem}");
            }
            let quota = match mode {
                Mode::Real => due.quota,
                Mode::Dry(earlier) => earlier.quota(due.quota, due.now, self.settings.daily_quota),
            };
            let standstill = self.standstill(due.paused, quota);
            if !standstill.is_empty() {
                // Nothing may come out, so nothing is even claimed.
                let first = due.items.first().map(|item| item.position.puzzle_id);
                let refused = first.map(|puzzle_id| ItemReport::refused(puzzle_id, standstill));
                reports.extend(refused.inspect(|report| mode.count(&self.counters, report)));
                return Ok((reports, !due.items.is_empty()));
            }
            let (ready, unready): (Vec<_>, Vec<_>) = due.items.iter().partition(|item| item.photo_ready);
            for item in ready.into_iter().chain(unready) {
                if stop.is_requested() {
                    return Ok((reports, true));
                }
                if !self.affords(item, mode) {
                    self.tell_if_nothing_was_affordable(&reports);
                    return Ok((reports, true));
                }
                let Some(report) = self.publish_listed(item, owner, mode).await? else {
                    return Ok((reports, true));
                };
                match mode {
                    Mode::Real => log(&report),
                    Mode::Dry(_) => log_rehearsed(&report),
                }
                mode.count(&self.counters, &report);
                let ends_run = matches!(report.outcome, Outcome::QuotaExhausted | Outcome::Paused);
                reports.push(report);
                if reports.len().is_multiple_of(TOLD_EVERY) {
                    tracing::info!(items = reports.len(), "the run goes on");
                }
                if ends_run {
                    return Ok((reports, true));
                }
            }
            let listed = due.items.len() + due.unreadable.len();
            match due.items.last() {
                Some(last) if listed == PAGE as usize => after = Some(last.position),
                _ => return Ok((reports, false)),
            }
            if !self.budget.affords(cost::LIST + mode.cost(true)) {
                return Ok((reports, true));
            }
        }
    }

    /// Why nothing at all may come out at present: predicates of every publication that do
    /// not hold.
    pub(crate) fn standstill(&self, paused: bool, quota: Option<DailyQuota>) -> Vec<Predicate> {
        let has_left = DailyQuota::under(quota, self.settings.daily_quota).has_left();
        let holds = [(Predicate::QuotaLeft, has_left), (Predicate::NotPaused, !paused)];
        holds.into_iter().filter(|(_, holds)| !holds).map(|(predicate, _)| predicate).collect()
    }

    /// Whether a listed item can be taken in hand and brought to its end.
    fn affords(&self, item: &RunnableItem, mode: &Mode) -> bool {
        item.leased || self.budget.affords(mode.cost(item.photo_ready))
    }

    /// A run that could not take a single item in hand is likely not the last of its kind.
    fn tell_if_nothing_was_affordable(&self, reports: &[ItemReport]) {
        if reports.iter().all(|report| report.outcome == Outcome::LeaseHeld) {
            let (spent, limit) = (self.budget.spent(), self.budget.limit());
            tracing::warn!(spent, limit, "the budget does not suffice for a single item; raise it");
        }
    }

    /// `None` for an item that stands as it stood, because the budget is used up.
    ///
    /// # Errors
    /// A store that kept what was only to be tried.
    async fn publish_listed(
        &self,
        item: &RunnableItem,
        owner: &OwnerId,
        mode: &mut Mode,
    ) -> Result<Option<ItemReport>, StoreError> {
        let puzzle_id = item.position.puzzle_id;
        if item.leased {
            // Seen in the list already: no write is spent on asking again.
            let report = ItemReport::new(puzzle_id, Outcome::LeaseHeld).blocked_by(Predicate::LeaseOwner);
            return Ok(Some(report.because("somebody else has the item in hand")));
        }
        let attempted = match mode {
            Mode::Real => self.publish_item(puzzle_id, owner).await,
            Mode::Dry(earlier) => self.rehearse_item(puzzle_id, owner, earlier).await,
        };
        match attempted {
            Ok(report) => Ok(Some(report)),
            Err(error) if error.is_over_budget() => {
                tracing::warn!(puzzle = %puzzle_id, "left to the next run: {error}");
                Ok(None)
            }
            Err(error) if error.kind() == StoreErrorKind::NotUndone => Err(error),
            Err(error) => Ok(Some(ItemReport::new(puzzle_id, Outcome::Unknown).because(error.to_string()))),
        }
    }

    /// Makes photos ready before they are needed, without a run: for a server that finds
    /// out between two runs that today's puzzle was imported or corrected.
    pub async fn prepare_photos(&self, stop: &Stop) -> ImagesReport {
        self.prepare_coming_images(&self.new_owner(), stop).await
    }

    /// Nothing depends on it: a photo that is missing when its answer is due is fetched
    /// then.
    async fn prepare_coming_images(&self, owner: &OwnerId, stop: &Stop) -> ImagesReport {
        let mut report = ImagesReport::default();
        if !self.budget.affords(cost::LOOK_FOR_PHOTOS + cost::PHOTO) {
            return report;
        }
        let coming = match self.stores.images.unprepared(IMAGE_LEAD_MS, IMAGES_PER_RUN).await {
            Ok(coming) => coming,
            Err(error) => {
                tracing::warn!(%error, "could not look for photos to prepare; the next run will");
                return report;
            }
        };
        for puzzle_id in coming {
            if stop.is_requested() || !self.budget.affords(cost::PHOTO) {
                return report;
            }
            match self.prepare_image(puzzle_id, owner).await {
                Ok(ImageOutcome::Ready(key)) => {
                    tracing::info!(puzzle = %puzzle_id, %key, "photo is ready");
                    report.prepared += 1;
                }
                Ok(ImageOutcome::Failed(failure)) => {
                    tracing::warn!(puzzle = %puzzle_id, "no photo yet: {}", failure.message);
                    report.failed += 1;
                }
                Ok(ImageOutcome::Held | ImageOutcome::Changed | ImageOutcome::NotWanted) => {}
                Err(error) if error.is_over_budget() => {
                    tracing::warn!(puzzle = %puzzle_id, "no photo yet: {error}");
                    return report;
                }
                Err(error) => {
                    tracing::warn!(puzzle = %puzzle_id, %error, "preparing a photo failed");
                    report.failed += 1;
                }
            }
        }
        report
    }
}

/// Whether a run does what it tells.
#[derive(Debug)]
pub(crate) enum Mode {
    /// It does.
    Real,
    /// It tries everything and undoes it, and remembers what would have become of the items
    /// before.
    Dry(Earlier),
}

impl Mode {
    /// Counts what became of an item, if anything became of it.
    fn count(&self, counters: &Counters, report: &ItemReport) {
        if matches!(self, Self::Real) {
            counters.outcome(report.outcome);
        }
    }

    /// What an item costs whose photo is stored, or is not.
    const fn cost(&self, photo_ready: bool) -> u32 {
        match (self, photo_ready) {
            (Self::Real, true) => cost::ITEM,
            (Self::Real, false) => cost::ITEM_WITH_PHOTO,
            (Self::Dry(_), _) => cost::REHEARSED_ITEM,
        }
    }
}

pub(crate) fn count(items: &[ItemReport]) -> BTreeMap<Outcome, u32> {
    items.iter().fold(BTreeMap::new(), |mut counts, item| {
        *counts.entry(item.outcome).or_default() += 1;
        counts
    })
}

fn log_rehearsed(report: &ItemReport) {
    let (puzzle, outcome, blocked_by) = (report.puzzle_id, report.outcome, report.blocked_by_words());
    let detail = report.detail.as_deref().unwrap_or_default();
    tracing::debug!(%puzzle, %outcome, %blocked_by, "a dry run, which changes nothing: {detail}");
}

fn log(report: &ItemReport) {
    let puzzle = report.puzzle_id;
    let detail = report.detail.as_deref().unwrap_or_default();
    let blocked_by = report.blocked_by_words();
    match report.outcome {
        Outcome::Published => {
            let revision = report.revision.map_or(0, |revision| revision.get());
            tracing::info!(%puzzle, revision, "published the answer: /answers/{puzzle}");
        }
        Outcome::Blocked => tracing::warn!(%puzzle, %blocked_by, "not published: {detail}"),
        Outcome::Unknown => tracing::warn!(%puzzle, "the next run settles what became of it: {detail}"),
        outcome => tracing::debug!(%puzzle, %outcome, %blocked_by, "left alone: {detail}"),
    }
}
