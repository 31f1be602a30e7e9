//! What may happen in a history, and how it is drawn.

use fencepost_domain::{
    action::{ActionKind, Actor as Person, Deed, Entry},
    catch_up::CatchUp,
    commit::CommitKind,
    id::{BankVersion, OwnerId},
    ledger::Ending,
    outbox::DeliveryEnd,
    puzzle::PuzzleRow,
    retention::{Perishable, Pruning},
    time::DAY_MS,
};

use super::super::{
    draw::{Draw, draw_ending, draw_entry, draw_photo},
    steps::{GRACE_MS, TTL_MS, date, editor, id, lost, owner, photo_url, report, row, token, won},
};
use crate::{BankEdit, Begin, Job, ResultReport};

/// What happens next. A hand is chosen by a number, among those that there are then: the
/// newest by an even one, which keeps things moving, and any by an odd one.
#[derive(Clone, Debug)]
pub(super) enum Step {
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
    SetQuota {
        quota: Option<i64>,
        expected: Option<Option<i64>>,
        entry: Entry,
    },
    SetCatchUp {
        policy: CatchUp,
        expected: Option<CatchUp>,
        entry: Entry,
    },
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
        is_killed: bool,
        pruning: Option<Pruning>,
    },
    /// Somebody tells others what happened.
    Deliver(DeliveryEnd),
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
pub(super) enum Spoil {
    Nothing,
    Fence,
    BankVersion,
    ContentVersion,
    Photo,
}

impl Step {
    /// What happens next: one thing, or a worker or an operator who does a whole job.
    pub(super) fn draw(draw: &mut Draw, number: usize) -> Vec<Self> {
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
        match draw.number(48) {
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
            29 | 41..=42 => Self::Run {
                name: format!("r{number}"),
                job: draw.of(&[Job::Publish, Job::Compensate]),
                by: draw.one_in(2).then(editor),
                is_killed: draw.one_in(4),
                pruning: draw.one_in(2).then(|| Pruning {
                    what: draw.of(&Perishable::ALL),
                    keep_ms: draw.of(&[0, 60_000, DAY_MS]),
                }),
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
                const QUOTAS: [Option<i64>; 5] = [None, None, Some(0), Some(1), Some(50)];
                Self::SetQuota {
                    quota: draw.of(&QUOTAS),
                    expected: draw.one_in(2).then(|| draw.of(&QUOTAS)),
                    entry: draw_entry(draw, number, ActionKind::SetQuota),
                }
            }
            38 => {
                let mut policy = || CatchUp {
                    publish_late: !draw.one_in(3),
                    skip_older_than: draw.of(&[None, None, Some(1), Some(60_000)]),
                };
                let (policy, seen) = (policy(), policy());
                Self::SetCatchUp {
                    policy,
                    expected: draw.one_in(2).then_some(seen),
                    entry: draw_entry(draw, number, ActionKind::SetPolicy),
                }
            }
            40 => Self::Deliver(if draw.one_in(2) {
                DeliveryEnd::Delivered
            } else {
                DeliveryEnd::Failed("no".to_owned())
            }),
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
            image_url: draw.one_in(3).then(|| photo_url(n)),
            expected_version: draw.one_in(6).then(|| BankVersion::new(draw.small(5))),
            ..row(n)
        });
    }
    let grace_ms = draw.of(&[GRACE_MS, GRACE_MS, 0]);
    let edits = if let [row] = &rows[..] { Some(row.puzzle_id) } else { None };
    BankEdit { token: token(&format!("e{number}")), rows, grace_ms, by: editor(), edits }
}
