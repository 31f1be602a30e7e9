//! What happens to the site from outside, drawn from the seed before anything begins.
//!
//! A site with a backlog is imported in the evening. Over the following midnights one more
//! answer after another becomes due, while two versions of the Worker fire their crons, an
//! editor changes things, and readers ask. All of it crowds around a few instants, where
//! it can get in each other's way.

use std::fmt;

use fencepost_domain::time::{DAY_MS, PlayDate, UtcDay};
use fencepost_ports::Job;

use crate::{dice::Dice, oracle::Mark};

/// The day on whose evening a schedule begins.
const FIRST_DAY: i64 = 20_785;
const MINUTE_MS: i64 = 60_000;
pub(crate) const HOUR_MS: i64 = 60 * MINUTE_MS;
/// How many puzzles were played before that day.
const BACKLOG: i64 = 4;

/// The number of the dice of the plan.
const PLAN: u64 = u64::MAX - 1;

/// Everything that comes from outside.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) begins_at: i64,
    pub(crate) centres: usize,
    pub(crate) workers: Vec<WorkerPlan>,
    pub(crate) stimuli: Vec<Stimulus>,
}

/// How a worker is set up.
#[derive(Clone, Debug)]
pub(crate) struct WorkerPlan {
    pub(crate) name: &'static str,
    pub(crate) build: &'static str,
    pub(crate) centre: usize,
    pub(crate) grace_ms: i64,
    pub(crate) lease_ms: i64,
    pub(crate) daily_quota: i64,
    /// How many calls a run may make.
    pub(crate) budget: Option<u32>,
}

/// Something that comes from outside.
#[derive(Clone, Debug)]
pub(crate) struct Stimulus {
    pub(crate) at: i64,
    /// Which worker is asked.
    pub(crate) worker: usize,
    pub(crate) what: What,
}

/// What comes from outside.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A cron fires.
    Cron(Job),
    /// A run is begun that was not planned.
    Run(Job),
    /// A reader asks.
    Read(Page),
    /// An editor acts.
    Edit(Action),
    /// The database's clock may jump.
    Clock,
    /// The database may refuse.
    Overload,
    /// Somebody may delete the lease of a puzzle.
    Forget(i64),
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cron(job) | Self::Run(job) => write!(f, "{}", job.as_str()),
            Self::Read(page) => write!(f, "read {page:?}"),
            Self::Edit(action) => write!(f, "{action}"),
            Self::Clock => f.write_str("the database's clock"),
            Self::Overload => f.write_str("the database's load"),
            Self::Forget(puzzle) => write!(f, "the lease of puzzle {puzzle}"),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Import(rows) => write!(f, "import of {} rows", rows.len()),
            Self::Correct(row) => write!(f, "correct {}", row.mark.puzzle),
            Self::Revise(row) => write!(f, "correct and republish {}", row.mark.puzzle),
            Self::Reschedule { puzzle, by_ms } => write!(f, "reschedule {puzzle} by {by_ms} ms"),
            Self::Withdraw(puzzle) => write!(f, "withdraw {puzzle}"),
            Self::Reinstate(puzzle) => write!(f, "reinstate {puzzle}"),
            Self::Republish(puzzle) => write!(f, "republish {puzzle}"),
            Self::Pause => f.write_str("pause"),
            Self::Resume => f.write_str("resume"),
            Self::Policy { publish_late, skip_seconds } => {
                write!(f, "publish late {publish_late}, skip after {skip_seconds:?} s")
            }
            Self::Quota(quota) => write!(f, "quota of the day {quota:?}"),
        }
    }
}

/// What a reader asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Page {
    Home,
    Answers,
    Answer(i64),
    Feed,
    Sitemap,
    /// A photo of this puzzle.
    Photo(i64),
}

/// What an editor does.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    /// Sends rows, whatever the bank has.
    Import(Vec<Row>),
    /// Looks at the bank's row, and sends another in its place.
    Correct(Row),
    /// The same, and brings the page up to it.
    Revise(Row),
    /// Moves the due instant by so much from where it is.
    Reschedule {
        puzzle: i64,
        by_ms: i64,
    },
    Withdraw(i64),
    Reinstate(i64),
    Republish(i64),
    Pause,
    Resume,
    /// Says what jobs do about items that are late.
    Policy {
        publish_late: bool,
        skip_seconds: Option<i64>,
    },
    /// Sets the quota of the day, or leaves it to the settings.
    Quota(Option<i64>),
}

/// A row as an editor sends it.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) mark: Mark,
    pub(crate) day: i64,
    /// The number of its photo's address.
    pub(crate) photo: Option<i64>,
}

impl Row {
    pub(crate) fn play_date(&self) -> String {
        PlayDate::from_utc_day(UtcDay::new(self.day)).map(|date| date.to_string()).unwrap_or_default()
    }
}

/// What the plan knows of the rows that it has drawn so far.
struct Desk {
    dice: Dice,
    rows: Vec<Row>,
    /// The puzzles that much is happening to.
    hot: Vec<i64>,
}

impl Desk {
    fn puzzle(&mut self) -> i64 {
        let (last, hot) = (count(self.rows.len()), self.dice.pick(&self.hot));
        let any = self.dice.between(1, last);
        if self.dice.happens(7_500) { hot } else { any }
    }

    fn edited(&mut self, puzzle: i64) -> Row {
        let (keep, other) = (self.dice.happens(5_000), self.dice.between(0, 3));
        let at = usize::try_from(puzzle - 1).unwrap_or(0);
        let row = &mut self.rows[at];
        row.mark.edit += 1;
        if !keep {
            row.photo = (other > 0).then_some(other);
        }
        row.clone()
    }

    fn action(&mut self) -> Action {
        let puzzle = self.puzzle();
        match self.dice.between(0, 99) {
            0..12 => Action::Import(vec![self.edited(puzzle)]),
            12..26 => Action::Correct(self.edited(puzzle)),
            26..40 => Action::Revise(self.edited(puzzle)),
            40..44 => {
                // The two puzzles that are played last trade their dates.
                let last = self.rows.len();
                let (day, other) = (self.rows[last - 1].day, self.rows[last - 2].day);
                self.rows[last - 1].day = other;
                self.rows[last - 2].day = day;
                let ids = [count(last) - 1, count(last)];
                Action::Import(ids.map(|id| self.edited(id)).to_vec())
            }
            44..57 => {
                let by_ms =
                    self.dice.pick(&[-HOUR_MS, -MINUTE_MS, 5_000, MINUTE_MS, 10 * MINUTE_MS, 2 * HOUR_MS]);
                Action::Reschedule { puzzle, by_ms }
            }
            57..68 => Action::Withdraw(puzzle),
            68..80 => Action::Reinstate(puzzle),
            80..92 => Action::Republish(puzzle),
            92..94 => Action::Pause,
            94..96 => Action::Quota(self.dice.pick(&[None, Some(0), Some(1), Some(2)])),
            96..98 => {
                let publish_late = self.dice.happens(7_500);
                let skip_seconds = self.dice.pick(&[None, Some(60), Some(1_800)]);
                Action::Policy { publish_late, skip_seconds }
            }
            _ => Action::Resume,
        }
    }
}

impl Plan {
    /// What happens in the schedule of `seed`, over so many midnights.
    pub(crate) fn new(seed: u64, days: i64) -> Self {
        let mut dice = Dice::new(seed, PLAN);
        let puzzles = BACKLOG + days;
        let rows = (1..=puzzles)
            .map(|puzzle| Row {
                mark: Mark { puzzle, edit: 1 },
                day: FIRST_DAY + puzzle - BACKLOG,
                photo: dice.happens(7_500).then_some(1),
            })
            .collect();
        let begins_at = FIRST_DAY * DAY_MS + 22 * HOUR_MS;
        let centres = dice.pick(&[2, 2, 3]);
        let workers = workers(&mut dice, centres);
        let mut desk = Desk { dice, rows, hot: Vec::new() };
        let mut stimuli =
            vec![Stimulus { at: begins_at, worker: 0, what: What::Edit(Action::Import(desk.rows.clone())) }];
        for (number, focus) in (0..).zip(focuses(begins_at, days)) {
            // What has been waiting, and what becomes due at this midnight.
            desk.hot = if number == 0 { (1..BACKLOG).collect() } else { vec![BACKLOG - 1 + number, 1] };
            crowd(&mut desk, focus, workers.len(), &mut stimuli);
        }
        stimuli.sort_by_key(|stimulus| stimulus.at);
        Self { begins_at, centres, workers, stimuli }
    }
}

/// The instants around which everything happens.
fn focuses(begins_at: i64, days: i64) -> Vec<i64> {
    let midnights = (1..=days).map(|day| (FIRST_DAY + day) * DAY_MS + 10 * MINUTE_MS);
    [begins_at + 25 * MINUTE_MS].into_iter().chain(midnights).collect()
}

fn workers(dice: &mut Dice, centres: usize) -> Vec<WorkerPlan> {
    let count = dice.pick(&[3, 3, 4]);
    let frugal = dice.between(0, 3);
    let names = ["old-1", "new-1", "old-2", "new-2"];
    let lease_ms = dice.pick(&[60_000, 180_000]);
    let daily_quota = dice.pick(&[1, 2, 3, 100]);
    let settings = |at: usize| WorkerPlan {
        name: names[at],
        build: names[at].split_once('-').map_or("", |(build, _)| build),
        centre: at % centres,
        // Two deployments with different settings cannot disagree.
        grace_ms: if at.is_multiple_of(2) { 600_000 } else { 630_000 },
        lease_ms,
        daily_quota: daily_quota + i64::from(!at.is_multiple_of(2)),
        budget: (usize::try_from(frugal) == Ok(at)).then_some(50),
    };
    (0..count).map(settings).collect()
}

/// All that happens around one instant.
fn crowd(desk: &mut Desk, focus: i64, workers: usize, stimuli: &mut Vec<Stimulus>) {
    let mut add = |at, worker, what| stimuli.push(Stimulus { at, worker, what });
    for worker in 0..workers {
        add(focus, worker, What::Cron(Job::Publish));
    }
    for _ in 0..desk.dice.between(2, 4) {
        let (at, worker) = (focus + after(&mut desk.dice, 15 * MINUTE_MS), one_of(&mut desk.dice, workers));
        add(at, worker, What::Cron(Job::Compensate));
    }
    for _ in 0..desk.dice.between(5, 12) {
        let (at, worker) = (focus + around(&mut desk.dice), one_of(&mut desk.dice, workers));
        let action = desk.action();
        add(at, worker, What::Edit(action));
    }
    duel(desk, focus, workers, &mut add);
    // Whatever is paused goes on some time.
    add(focus + 20 * MINUTE_MS, 0, What::Edit(Action::Resume));
    for _ in 0..desk.dice.between(8, 14) {
        let at = focus + around(&mut desk.dice);
        let page = page(desk);
        // The same page is asked for in several places at once.
        for worker in 0..desk.dice.between(1, 2) {
            let (at, worker) = (at + worker * 3, (usize::try_from(worker).unwrap_or(0) + 1) % workers);
            add(at, worker, What::Read(page));
        }
    }
    add(focus + around(&mut desk.dice), 0, What::Clock);
    add(focus + around(&mut desk.dice), 0, What::Overload);
    for _ in 0..2 {
        let puzzle = desk.puzzle();
        add(focus + around(&mut desk.dice), 0, What::Forget(puzzle));
    }
}

/// Editors who do not know of each other act on one item within the same moment.
fn duel(desk: &mut Desk, focus: i64, workers: usize, add: &mut impl FnMut(i64, usize, What)) {
    let (puzzle, at) = (desk.puzzle(), focus + around(&mut desk.dice));
    for _ in 0..desk.dice.between(2, 4) {
        let (moment, worker) = (at + desk.dice.between(0, 60), one_of(&mut desk.dice, workers));
        let action = match desk.dice.between(0, 4) {
            0 | 1 => Action::Withdraw(puzzle),
            2 | 3 => Action::Reinstate(puzzle),
            _ => Action::Revise(desk.edited(puzzle)),
        };
        add(moment, worker, What::Edit(action));
    }
}

fn page(desk: &mut Desk) -> Page {
    let puzzle = desk.puzzle();
    match desk.dice.between(0, 9) {
        0 => Page::Home,
        1 => Page::Answers,
        2 => Page::Feed,
        3 => Page::Sitemap,
        4 | 5 => Page::Photo(puzzle),
        _ => Page::Answer(puzzle),
    }
}

fn one_of(dice: &mut Dice, workers: usize) -> usize {
    usize::try_from(dice.between(0, count(workers) - 1)).unwrap_or(0)
}

/// A number of things, to reckon with.
fn count(things: usize) -> i64 {
    i64::try_from(things).unwrap_or(i64::MAX)
}

/// Mostly within seconds of the instant, and sometimes within minutes.
fn around(dice: &mut Dice) -> i64 {
    let (near, far) = (dice.between(-5_000, 20_000), dice.between(-2 * MINUTE_MS, 15 * MINUTE_MS));
    if dice.happens(6_000) { near } else { far }
}

fn after(dice: &mut Dice, most: i64) -> i64 {
    let (near, far) = (dice.between(0, 5_000), dice.between(0, most));
    if dice.happens(4_000) { near } else { far }
}
