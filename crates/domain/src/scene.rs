//! One publication in mid-course, for tests: a commit, and all that it depends on.

use crate::{
    catch_up::CatchUp,
    commit::{Change, Commit, CommitKind},
    id::{BankVersion, CommitToken, ContentVersion, Fence, OwnerId, PuzzleId},
    image::{ImageFormat, ImageKey, ImageState, SourceImage},
    lease::{Lease, LeaseKey, LeaseRow},
    ledger::Item,
    page::{AnswerContent, AnswerPage},
    preflight::Preflight,
    puzzle::{DEFAULT_GRACE_MS, Puzzle, Schedule},
    quota::DailyQuota,
    time::{PlayDate, UnixMillis},
};

/// Where the photo comes from.
pub(crate) const IMAGE_URL: &str = "https://photos.example/1121.png";

/// The owner of the lease.
pub(crate) fn owner() -> OwnerId {
    OwnerId::new("me")
}

/// The puzzle.
pub(crate) fn puzzle_id() -> PuzzleId {
    PuzzleId::try_from(1121).unwrap()
}

/// The photo at [`IMAGE_URL`].
pub(crate) fn photo() -> ImageKey {
    ImageKey::new([7; 32], ImageFormat::Png)
}

/// What the page shows, with this photo.
pub(crate) fn content(image_key: Option<ImageKey>) -> AnswerContent {
    AnswerContent {
        play_date: play_date(),
        name: "A teapot".to_owned(),
        price_cents: 1899,
        body_html: "<p>Cast iron.</p>".to_owned(),
        image_key,
    }
}

/// What is seen at the very instant at which the answer is due, when a commit of this kind
/// may land: one page of the day's quota is left, the lease ends with the next millisecond,
/// and there is a page, with its photo, unless it is to be published first.
pub(crate) fn seen(kind: CommitKind) -> Preflight {
    let schedule = Schedule::of(play_date(), DEFAULT_GRACE_MS);
    let now = schedule.due_at;
    Preflight {
        now,
        lease: Some(LeaseRow { owner: owner(), fence: Fence::new(4), expires_at: now.plus(1) }),
        item: Some(Item { state: kind.state_before(), ..Item::scheduled(schedule.due_at) }),
        puzzle: Some(Puzzle {
            puzzle_id: puzzle_id(),
            play_date: play_date(),
            opens_at: schedule.opens_at,
            playable_until: schedule.playable_until,
            name: content(None).name,
            price_cents: content(None).price_cents,
            description: "Cast iron.".to_owned(),
            image_url: Some(IMAGE_URL.to_owned()),
            bank_version: BankVersion::new(2),
        }),
        image: Some(SourceImage {
            image_url: IMAGE_URL.to_owned(),
            state: ImageState::Ready,
            object_key: Some(photo()),
            bytes: Some(9),
            error: None,
        }),
        page: (kind != CommitKind::Publish).then(|| page(now)),
        paused: false,
        quota: Some(DailyQuota { published: 9, quota: 10, set_quota: None }),
        catch_up: CatchUp::default(),
    }
}

/// A commit of this kind that was prepared from what is [`seen`].
pub(crate) fn commit(kind: CommitKind) -> Commit {
    let seen = seen(kind);
    let content = content(Some(photo()));
    Commit {
        lease: Lease {
            key: LeaseKey::Publication(puzzle_id()),
            owner: owner(),
            fence: Fence::new(4),
            expires_at: seen.now.plus(1),
        },
        token: CommitToken::new("token"),
        change: match kind {
            CommitKind::Publish => Change::Publish(content),
            CommitKind::Update => Change::Update(content),
            CommitKind::Withdraw => Change::Withdraw,
            CommitKind::Reinstate => Change::Reinstate,
        },
        bank_version: BankVersion::new(2),
        content_version: if kind == CommitKind::Publish {
            ContentVersion::NONE
        } else {
            ContentVersion::new(3)
        },
        daily_quota: 10,
        by: None,
    }
}

fn play_date() -> PlayDate {
    "2026-11-28".parse().unwrap()
}

/// A page that was published at this instant, and changed twice.
fn page(published_at: UnixMillis) -> AnswerPage {
    AnswerPage {
        content: content(Some(photo())),
        indexable: true,
        content_version: ContentVersion::new(3),
        bank_version: BankVersion::FIRST,
        published_at,
        updated_at: published_at,
        withdrawn_at: None,
    }
}
