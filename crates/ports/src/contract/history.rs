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
    action::{ActionKind, Actor as Person, Deed, Entry},
    catch_up::CatchUp,
    commit::{Change, Commit, CommitKind},
    id::{BankVersion, ContentVersion, OwnerId, RunId},
    ledger::Ending,
    outcome::Outcome,
    page::AnswerContent,
    puzzle::PuzzleRow,
    quota::DailyQuota,
    rehearsal::Rehearsal,
};

use super::{
    Backend, Fixture, changes,
    draw::{Draw, draw_ending, draw_entry, draw_photo},
    steps::{
        GRACE_MS, Hand, TTL_MS, content, date, due, editor, failed, id, lost, owner, photo, ready, report,
        row, token, won,
    },
};
use crate::{BankEdit, Begin, Job, Preflight, ResultReport, StoreError};

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

/// What happens next. A hand is chosen by a number, among those that there are then: the
/// newest by an even one, which keeps things moving, and any by an odd one.
#[derive(Clone, Debug)]
enum Step {
    Move {
        by_ms: i64,
    },
    Jump {
        to_day: i64,
    },
    Import(BankEdit),
    Begin(Begin),
    TakeOver(Begin),
    Renew {
        hand: usize,
    },
    Release {
        hand: usize,
    },
    Commit {
        hand: usize,
        name: String,
        kind: Option<CommitKind>,
        spoil: Spoil,
        daily_quota: i64,
        by: Option<Deed>,
    },
    Finish {
        hand: usize,
        ending: Ending,
    },
    WithdrawUnpublished {
        hand: usize,
        entry: Entry,
    },
    ReinstateUnpublished {
        hand: usize,
        entry: Entry,
    },
    Retry {
        n: i64,
        entry: Entry,
    },
    Reschedule {
        n: i64,
        day: i64,
        by_ms: i64,
        expects: bool,
        entry: Entry,
    },
    Pause(bool, Entry),
    SetQuota(Option<i64>, Entry),
    SetCatchUp(CatchUp, Entry),
    RecordPreview {
        n: i64,
        entry: Entry,
    },
    BeginImage {
        n: i64,
        owner: OwnerId,
    },
    RecordImage {
        hand: usize,
        found: Option<u8>,
    },
    Run {
        name: String,
        job: Job,
        by: Option<Person>,
    },
    Report(ResultReport),
    Read {
        n: i64,
        limit: u32,
    },
    Rehearse {
        n: i64,
        earlier: i64,
        daily_quota: i64,
    },
}

/// The hand that was got last.
const NEWEST: usize = 0;

/// What an attempt gets wrong.
#[derive(Clone, Copy, Debug)]
enum Spoil {
    Nothing,
    Fence,
    BankVersion,
    ContentVersion,
    Photo,
}

impl Step {
    /// What happens next: one thing, or a worker or an operator who does a whole job.
    fn draw(draw: &mut Draw, number: usize) -> Vec<Self> {
        let n = 1 + draw.small(3);
        let who = owner(draw.of(&["ada", "bob"]));
        let by_hand = draw.one_in(8);
        let begin = Begin { puzzle_id: id(n), owner: who.clone(), ttl_ms: TTL_MS, by_hand };
        match draw.number(10) {
            _ if number == 0 => vec![Self::Import(draw_edit(draw, number))],
            0..=1 => vec![
                Self::BeginImage { n, owner: who },
                Self::RecordImage { hand: NEWEST, found: draw_photo(draw) },
                Self::Begin(begin),
                Self::draw_commit(draw, number, NEWEST),
            ],
            2 => vec![Self::TakeOver(begin), Self::draw_commit(draw, number, NEWEST)],
            _ => vec![Self::draw_one(draw, number, n, begin)],
        }
    }

    fn draw_one(draw: &mut Draw, number: usize, n: i64, begin: Begin) -> Self {
        let hand = usize::try_from(draw.number(64)).expect("hands are few");
        match draw.number(44) {
            0..=3 => Self::Move { by_ms: draw.of(&[1, 1_000, 60_000, TTL_MS, -1, -60_000]) },
            4..=5 => Self::Jump { to_day: 1 + draw.small(4) },
            6..=8 => Self::Import(draw_edit(draw, number)),
            9..=11 => Self::Begin(Begin { ttl_ms: draw.of(&[TTL_MS, 0, 1_000_000]), ..begin }),
            12 => Self::TakeOver(begin),
            13 => Self::Renew { hand },
            14 => Self::Release { hand },
            15..=18 => Self::draw_commit(draw, number, hand),
            19..=20 => Self::Finish { hand, ending: draw_ending(draw) },
            21 => Self::WithdrawUnpublished { hand, entry: draw_entry(draw, number, ActionKind::Withdraw) },
            22 => Self::ReinstateUnpublished { hand, entry: draw_entry(draw, number, ActionKind::Reinstate) },
            23 => Self::Retry { n, entry: draw_entry(draw, number, ActionKind::Retry) },
            24 => Self::Reschedule {
                n,
                day: draw.small(5),
                by_ms: draw.of(&[-1, 0, 1]),
                expects: draw.one_in(2),
                entry: draw_entry(draw, number, ActionKind::Reschedule),
            },
            25 => Self::Pause(draw.one_in(4), draw_entry(draw, number, ActionKind::Pause)),
            26..=27 => Self::BeginImage { n, owner: begin.owner },
            28 => Self::RecordImage { hand, found: draw_photo(draw) },
            29 => Self::Run {
                name: format!("r{number}"),
                job: draw.of(&[Job::Publish, Job::Compensate]),
                by: draw.one_in(2).then(editor),
            },
            30..=33 => Self::Report(report(
                n,
                draw.of(&["ada", "bob", "cem", "dee"]),
                draw.of(&[won(1), won(3), won(6), lost()]),
            )),
            34..=36 => {
                Self::Rehearse { n, earlier: draw.of(&[0, 0, 1, 2]), daily_quota: draw.of(&[0, 2, 100]) }
            }
            37 => {
                let quota = draw.of(&[None, None, Some(0), Some(1), Some(50)]);
                Self::SetQuota(quota, draw_entry(draw, number, ActionKind::SetQuota))
            }
            38 => {
                let policy = CatchUp {
                    publish_late: !draw.one_in(3),
                    skip_older_than: draw.of(&[None, None, Some(1), Some(60_000)]),
                };
                Self::SetCatchUp(policy, draw_entry(draw, number, ActionKind::SetPolicy))
            }
            39 => Self::RecordPreview { n, entry: draw_entry(draw, number, ActionKind::PreviewLink) },
            _ => Self::Read { n, limit: draw.of(&[0, 1, 2, 100]) },
        }
    }

    fn draw_commit(draw: &mut Draw, number: usize, hand: usize) -> Self {
        Self::Commit {
            hand,
            name: format!("c{number}"),
            kind: draw.one_in(3).then(|| draw.of(&CommitKind::ALL)),
            spoil: match draw.number(16) {
                0 => Spoil::Fence,
                1 => Spoil::BankVersion,
                2 => Spoil::ContentVersion,
                3 => Spoil::Photo,
                _ => Spoil::Nothing,
            },
            daily_quota: draw.of(&[0, 2, 100, 100]),
            by: draw.one_in(3).then(|| editor().does(ActionKind::Republish)),
        }
    }
}

fn draw_edit(draw: &mut Draw, number: usize) -> BankEdit {
    let mut rows: Vec<PuzzleRow> = Vec::new();
    let shift = i64::from(draw.one_in(6));
    for n in 1..=3 {
        if draw.one_in(3) {
            continue;
        }
        rows.push(PuzzleRow {
            play_date: date(1 + (n - 1 + shift) % 3),
            price_cents: 100 * n + i64::from(draw.one_in(4)),
            image_url: draw.one_in(3).then(|| super::steps::photo_url(n)),
            expected_version: draw.one_in(6).then(|| BankVersion::new(draw.small(5))),
            ..row(n)
        });
    }
    let grace_ms = draw.of(&[GRACE_MS, GRACE_MS, 0]);
    BankEdit { token: token(&format!("e{number}")), rows, grace_ms, by: editor() }
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
            Step::SetQuota(quota, entry) => told(stores.ledger.set_quota(*quota, entry).await),
            Step::SetCatchUp(policy, entry) => told(stores.ledger.set_catch_up(*policy, entry).await),
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
            Step::Run { name, job, by } => {
                let run_id = RunId::new(name);
                let begun = stores.runs.start(&run_id, *job, &owner("ada"), by.as_ref()).await;
                let counts = BTreeMap::from([(Outcome::LeaseHeld, 1), (Outcome::Published, 2)]);
                told(begun) + &told(stores.runs.finish(&run_id, &counts, None).await)
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
            told(stores.actions.actions(None, limit).await),
            told(stores.actions.actions(Some(3), limit).await),
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
