//! Long lives that nobody thought of: the same random steps on two stores at once.
//!
//! The cases say what is promised; a history looks for what nobody thought of. After
//! every step both stores must have given the same answer and hold the same rows, and
//! the verifier must find nothing. The steps come from a seed, so that a history that
//! fails fails again: nothing here depends on a clock or on chance.
//!
//! The stores are few and small on purpose. Three puzzles, two workers and leases that
//! expire between two steps meet in every possible way within a few hundred steps.

use std::{collections::BTreeMap, fmt::Debug};

use fencepost_domain::{
    commit::{Change, Commit, CommitKind},
    id::{ContentVersion, RunId},
    outbox::EventKind,
    outcome::Outcome,
    page::AnswerContent,
    quota::DailyQuota,
    rehearsal::Rehearsal,
    revision::Revision,
};

use super::{
    Backend, Fixture, changes,
    draw::Draw,
    steps::{Hand, TTL_MS, content, date, due, failed, id, owner, photo, ready, token},
};
use crate::{Begin, Preflight, StoreError};

mod step;
use step::{Spoil, Step};

/// Lets two stores live through the same random history.
///
/// # Panics
/// When they disagree, or when one of them becomes unsound; the message tells the steps
/// so far.
pub async fn agree(one: &dyn Backend, other: &dyn Backend, seed: u64, length: usize) {
    let mut draw = Draw::seeded(seed);
    let mut actors = [Actor::new(one.fresh().await), Actor::new(other.fresh().await)];
    let mut past = vec![format!("seed {seed}")];
    for step in (0..length).flat_map(|number| Step::draw(&mut draw, number)) {
        past.push(format!("{step:?}"));
        let [first, second] = &mut actors;
        let answers = [first.perform(&step).await, second.perform(&step).await];
        let tables = [first.fixture.tables().await, second.fixture.tables().await];
        let differences = changes(&tables[0], &tables[1]);
        assert!(
            answers[0] == answers[1] && differences.is_empty(),
            "the stores disagree after\n  {}\n\nanswers:\n  {}\n  {}\n\nrows:\n  {}\n",
            past.join("\n  "),
            answers[0],
            answers[1],
            differences.join("\n  ")
        );
        for actor in &actors {
            let violations = actor.fixture.stores.verifier.violations().await;
            assert_eq!(violations, Ok(Vec::new()), "unsound after\n  {}", past.join("\n  "));
        }
    }
}

/// One of the two stores, and what its clients hold.
struct Actor {
    fixture: Fixture,
    hands: Vec<Hand>,
    images: Vec<fencepost_domain::lease::Lease>,
}

impl Actor {
    fn new(fixture: Fixture) -> Self {
        fixture.clock.set(due(2));
        Self { fixture, hands: Vec::new(), images: Vec::new() }
    }

    /// Performs a step, and tells the answer.
    async fn perform(&mut self, step: &Step) -> String {
        let stores = self.fixture.stores.clone();
        let hand = |at: &usize| pick(&self.hands, *at).cloned();
        match step {
            Step::Move { by_ms } => self.fixture.clock.advance(*by_ms).to_string(),
            Step::Jump { to_day } => {
                self.fixture.clock.set(due(*to_day));
                String::new()
            }
            Step::Import(edit) => {
                let mut found = stores.bank.import(edit).await;
                if let Ok(found) = &mut found {
                    found.refused.sort_by_key(|row| (row.puzzle_id, format!("{:?}", row.reason)));
                }
                told(found)
            }
            Step::Begin(begin) => {
                let seen = stores.ledger.begin(begin).await;
                self.hold(begin, &seen);
                told(seen)
            }
            Step::TakeOver(begin) => {
                let seen = stores.ledger.take_over(begin).await;
                self.hold(begin, &seen);
                told(seen)
            }
            Step::Commit { hand: at, name, kind, spoil, daily_quota, by } => match hand(at) {
                Some(hand) => {
                    let commit = attempt(&hand, name, *kind, *spoil, *daily_quota);
                    let commit = Commit { by: by.clone(), ..commit };
                    let mut found = stores.ledger.commit(&commit).await;
                    if let Ok(found) = &mut found
                        && found.landed
                    {
                        found.guard.clear();
                    }
                    let trace = stores.ledger.trace(commit.puzzle_id(), &[token("x"), commit.token]).await;
                    told(found) + &told(trace)
                }
                None => String::new(),
            },
            Step::Renew { hand: at } => match hand(at) {
                Some(hand) => told(stores.leases.renew(&hand.lease, TTL_MS).await),
                None => String::new(),
            },
            Step::Release { hand: at } => match hand(at) {
                Some(hand) => told(stores.leases.release(&hand.lease).await),
                None => String::new(),
            },
            Step::Finish { hand: at, ending } => match hand(at) {
                Some(hand) => told(stores.ledger.finish(&hand.lease, ending).await),
                None => String::new(),
            },
            Step::WithdrawUnpublished { hand: at, entry } => match hand(at) {
                Some(hand) => told(stores.ledger.withdraw_unpublished(&hand.lease, entry).await),
                None => String::new(),
            },
            Step::ReinstateUnpublished { hand: at, entry } => match hand(at) {
                Some(hand) => told(stores.ledger.reinstate_unpublished(&hand.lease, entry).await),
                None => String::new(),
            },
            Step::Retry { n, entry } => told(stores.ledger.retry(id(*n), entry).await),
            Step::Reschedule { n, day, by_ms, expects, entry } => {
                let expected = expects.then(|| due(*n));
                told(stores.ledger.reschedule(id(*n), due(*day).plus(*by_ms), expected, entry).await)
            }
            Step::Pause(paused, entry) => told(stores.ledger.set_paused(*paused, entry).await),
            Step::SetQuota { quota, expected, entry } => {
                told(stores.ledger.set_quota(*quota, *expected, entry).await)
            }
            Step::SetCatchUp { policy, expected, entry } => {
                told(stores.ledger.set_catch_up(*policy, *expected, entry).await)
            }
            Step::RecordPreview { n, entry } => {
                told(stores.actions.record_preview(entry, id(*n), due(*n)).await)
            }
            Step::BeginImage { n, owner } => {
                let seen = stores.images.begin(id(*n), owner, TTL_MS).await;
                self.images.extend(seen.as_ref().ok().and_then(|seen| seen.lease_of(id(*n), owner)));
                told(seen)
            }
            Step::RecordImage { hand, found } => {
                let Some(lease) = pick(&self.images, *hand) else { return String::new() };
                let n = lease.key.puzzle_id().get() - 1_000;
                let record = match found {
                    Some(found) => ready(n, photo(*found)),
                    None => failed(n, 60_000),
                };
                told(stores.images.record(lease, &record).await)
            }
            Step::Run { name, job, by, is_killed, pruning } => {
                let run_id = RunId::new(name);
                let build = if by.is_some() { "new" } else { "old" };
                let begun = stores.runs.start(&run_id, *job, &owner("ada"), build, by.as_ref()).await;
                let counts = BTreeMap::from([(Outcome::LeaseHeld, 1), (Outcome::Published, 2)]);
                if *is_killed {
                    return told(begun);
                }
                told(begun) + &told(stores.runs.finish(&run_id, &counts, None, *pruning).await)
            }
            Step::Deliver(end) => {
                let begun = told(stores.outbox.enqueue(&EventKind::ALL).await);
                let claimed = stores.outbox.claim(&EventKind::ALL, &owner("bea")).await;
                let recorded = match &claimed {
                    Ok(Some(claimed)) => told(stores.outbox.record(claimed, end).await),
                    _ => String::new(),
                };
                [begun, told(claimed), recorded].join(" ")
            }
            Step::Report(report) => told(stores.results.report(report).await),
            Step::Read { n, limit } => self.read(*n, *limit).await,
            Step::Rehearse { n, earlier, daily_quota } => self.rehearse(*n, *earlier, *daily_quota).await,
        }
    }

    /// Tries to publish a puzzle. The guard that the store tells is what the domain makes of
    /// what was seen before.
    async fn rehearse(&self, n: i64, earlier: i64, daily_quota: i64) -> String {
        let ledger = &self.fixture.stores.ledger;
        let Ok(seen) = ledger.look(id(n)).await else { return "unseen".to_owned() };
        let image_key = seen.photo().cloned();
        let begin = Begin { puzzle_id: id(n), owner: owner("eve"), ttl_ms: TTL_MS, by_hand: false };
        let shown = AnswerContent { image_key, ..content(n) };
        let Some(rehearsal) = Rehearsal::of(&seen, begin, token("eve"), shown, daily_quota) else {
            return told(Ok(seen.not_taken()));
        };
        let mut found = ledger.rehearse(&rehearsal.after(earlier)).await;
        if let Ok(found) = &mut found {
            let quota = DailyQuota::after(seen.quota, earlier, daily_quota);
            let outlook = Preflight { quota, ..seen }.outlook(daily_quota);
            let free = outlook.iter().all(|(_, holds)| *holds);
            assert_eq!(free, found.landed, "{outlook:?} {found:?}");
            if found.landed {
                found.guard.clear();
            } else {
                assert_eq!(outlook, found.guard);
            }
        }
        told(found)
    }

    /// Everything that can be read.
    async fn read(&self, n: i64, limit: u32) -> String {
        let (stores, now) = (&self.fixture.stores, self.fixture.clock.now());
        let mut overview = stores.runs.overview(2).await;
        if let Ok(overview) = &mut overview {
            overview.last_runs.sort_by_key(|run| run.job.as_str());
            overview.heartbeats.sort_by_key(|beat| beat.job.as_str());
        }
        let key = photo(1);
        [
            told(overview),
            told(stores.revisions.moment().await),
            told(stores.ledger.runnable(None, limit).await),
            told(stores.ledger.next_wake(2).await),
            told(stores.ledger.items(None, limit).await),
            told(stores.ledger.later_items(date(n), limit).await),
            told(stores.runs.runs_of(&[owner("ada")]).await.map(|runs| runs.len())),
            told(stores.actions.actions(None, limit).await),
            told(stores.actions.actions(Some(3), limit).await),
            told(stores.runs.runs(None, limit).await),
            told(stores.outbox.events(None, None, limit).await),
            told(stores.exports.bank(None, limit).await),
            told(stores.exports.ledger(Some(id(n)), limit).await),
            told(stores.exports.receipts(Revision::new(n), limit).await),
            told(stores.exports.actions(n, limit).await),
            told(stores.ledger.item(id(n)).await),
            told(stores.posts.home(now, limit).await),
            told(stores.posts.list(now, Some(date(n)), limit).await),
            told(stores.posts.answer(now, id(n)).await),
            told(stores.posts.answer(now.plus(-86_400_000), id(n)).await),
            told(stores.posts.feed(now, limit).await),
            told(stores.posts.sitemap(now, limit).await),
            told(stores.posts.shows_image(now, &key).await),
            told(stores.images.unprepared(7_200_000, limit).await),
            told(stores.verifier.referenced_images(None, limit).await),
        ]
        .join("\n  ")
    }

    fn hold(&mut self, begin: &Begin, seen: &Result<crate::Preflight, StoreError>) {
        if let Ok(seen) = seen
            && let Some(lease) = seen.lease_of(begin)
        {
            self.hands.push(Hand { lease, seen: seen.clone() });
        }
    }
}

fn pick<T>(held: &[T], at: usize) -> Option<&T> {
    if at.is_multiple_of(2) { held.last() } else { held.get(at % held.len().max(1)) }
}

/// An attempt from what was seen, a little wrong where it is to be spoilt.
fn attempt(hand: &Hand, name: &str, kind: Option<CommitKind>, spoil: Spoil, daily_quota: i64) -> Commit {
    let seen = hand.seen.puzzle.as_ref().expect("only known puzzles are held");
    let ready = seen.image_url.as_deref().and_then(|url| hand.seen.image.as_ref()?.ready_for(url));
    let n = seen.puzzle_id.get() - 1_000;
    let content = AnswerContent {
        play_date: seen.play_date,
        price_cents: seen.price_cents,
        image_key: ready.cloned(),
        ..content(n)
    };
    let state = hand.seen.item.as_ref().map(|item| item.state);
    let fitting = CommitKind::ALL.into_iter().find(|kind| Some(kind.state_before()) == state);
    let change = match kind.or(fitting).unwrap_or(CommitKind::Publish) {
        CommitKind::Publish => Change::Publish(content),
        CommitKind::Update => Change::Update(content),
        CommitKind::Withdraw => Change::Withdraw,
        CommitKind::Reinstate => Change::Reinstate,
    };
    let mut commit = Commit { daily_quota, ..hand.commit(name, change) };
    match spoil {
        Spoil::Nothing => {}
        Spoil::Fence => commit.lease.fence = commit.lease.fence.next(),
        Spoil::BankVersion => commit.bank_version = commit.bank_version.next(),
        Spoil::ContentVersion => {
            commit.content_version = ContentVersion::new(commit.content_version.get() + 1)
        }
        Spoil::Photo => {
            if let Change::Publish(content) | Change::Update(content) = &mut commit.change {
                content.image_key = content.image_key.is_none().then(|| photo(9));
            }
        }
    }
    commit
}

/// An answer as text. Of an error only its kind counts: every store has its own words.
fn told<T: Debug>(answer: Result<T, StoreError>) -> String {
    match answer {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("error: {:?}", error.kind()),
    }
}
