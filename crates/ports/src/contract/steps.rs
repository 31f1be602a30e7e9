//! Steps that the cases share: names for puzzles, and short ways through the ports.
//!
//! Puzzle `n` has the number `1000 + n` and is played on the `n`th day after
//! 2026-11-01, so that a case can speak of the first and the second puzzle.

use std::sync::atomic::{AtomicU64, Ordering};

use fencepost_domain::{
    action::{ActionKind, Actor, Entry},
    commit::{Change, Commit, CommitOutcome, CommitReadback},
    guard::Predicate,
    id::{CommitToken, OwnerId, PuzzleId, ReportToken},
    image::{ImageFormat, ImageKey, SourceImage},
    lease::{Lease, LeaseKey},
    outcome::Outcome,
    page::AnswerContent,
    puzzle::PuzzleRow,
    results::{GameOutcome, GameResult, SessionId},
    time::{DAY_MS, PlayDate, UnixMillis, UtcDay},
};

use serde_json::json;

use super::{Fixture, Tables, changes, lines::appears, misshapen, sort};
use crate::{BankEdit, Begin, ImageRecord, ImportReadback, Preflight, ResultReport, StoreError};

/// How long leases live in the cases.
pub(super) const TTL_MS: i64 = 180_000;

/// The grace window of the cases.
pub(super) const GRACE_MS: i64 = 600_000;

/// The quota of the cases.
pub(super) const DAILY_QUOTA: i64 = 100;

/// No puzzles, where a case tells puzzles by their numbers.
pub(super) const NO_NUMBERS: [i64; 0] = [];

/// 2026-11-01.
const DAY_ZERO: i64 = 20_758;

pub(super) fn id(n: i64) -> PuzzleId {
    PuzzleId::try_from(1_000 + n).expect("the cases use small numbers")
}

pub(super) fn date(n: i64) -> PlayDate {
    PlayDate::from_utc_day(UtcDay::new(DAY_ZERO + n)).expect("the cases use days near 2026")
}

pub(super) fn opens(n: i64) -> UnixMillis {
    UtcDay::new(DAY_ZERO + n).start()
}

/// The end of play of puzzle `n`, and the instant at which its answer is due.
pub(super) fn due(n: i64) -> UnixMillis {
    opens(n).plus(DAY_MS + GRACE_MS)
}

pub(super) fn owner(name: &str) -> OwnerId {
    OwnerId::new(name)
}

pub(super) fn token(name: &str) -> CommitToken {
    CommitToken::new(name)
}

pub(super) fn publication(n: i64) -> LeaseKey {
    LeaseKey::Publication(id(n))
}

/// Puzzle `n`, without a photo.
pub(super) fn row(n: i64) -> PuzzleRow {
    PuzzleRow {
        puzzle_id: id(n),
        play_date: date(n),
        name: format!("Item {n}"),
        price_cents: 100 * n,
        description: format!("About item {n}."),
        image_url: None,
        expected_version: None,
    }
}

/// Puzzle `n`, with the address of a photo.
pub(super) fn row_with_photo(n: i64) -> PuzzleRow {
    PuzzleRow { image_url: Some(photo_url(n)), ..row(n) }
}

pub(super) fn photo_url(n: i64) -> String {
    format!("https://photos.example/{n}.webp")
}

/// The key of the photo of puzzle `n`.
pub(super) fn photo(n: u8) -> ImageKey {
    ImageKey::new([n; 32], ImageFormat::Webp)
}

/// What is rendered of puzzle `n`, without a photo.
pub(super) fn content(n: i64) -> AnswerContent {
    AnswerContent {
        play_date: date(n),
        name: format!("Item {n}"),
        price_cents: 100 * n,
        body_html: format!("<p>About item {n}.</p>"),
        image_key: None,
    }
}

/// The same, with a photo.
pub(super) fn content_with(n: i64, image_key: ImageKey) -> AnswerContent {
    AnswerContent { image_key: Some(image_key), ..content(n) }
}

pub(super) fn begin(n: i64, name: &str) -> Begin {
    Begin { puzzle_id: id(n), owner: owner(name), ttl_ms: TTL_MS, by_hand: false }
}

/// The session of somebody.
pub(super) fn session(name: &str) -> SessionId {
    format!("session-of-{name:_<8}").parse().expect("the cases use short names")
}

/// A game that was won with this guess.
pub(super) fn won(guesses: i64) -> GameResult {
    GameResult::new(GameOutcome::Won, guesses).expect("the cases play by the rules")
}

/// A game that was lost.
pub(super) fn lost() -> GameResult {
    GameResult::new(GameOutcome::Lost, 6).expect("a game is lost with the sixth guess")
}

/// A report of puzzle `n` by somebody. Reports of different results have different tokens.
pub(super) fn report(n: i64, name: &str, result: GameResult) -> ResultReport {
    let token = format!("{name} {} {}", result.outcome().as_str(), result.guesses_used());
    ResultReport { puzzle_id: id(n), session_id: session(name), result, token: ReportToken::new(token) }
}

/// Somebody who acts.
pub(super) fn editor() -> Actor {
    Actor::new("Ada", Some("a case")).expect("the name is short")
}

/// The line of an action that was done at the present instant of the cases' clock.
pub(super) fn trace(f: &Fixture, entry: &Entry, n: Option<i64>, detail: &str) -> String {
    let columns = json!({
        "at": f.clock.now(),
        "actor": "Ada",
        "action": entry.deed.action.as_str(),
        "puzzle_id": n.map(id),
        "reason": "a case",
        "detail": detail,
        "landing": 0,
    });
    appears("operator_actions", &entry.token, &columns)
}

/// Something that somebody does, which was never done before.
pub(super) fn entry(action: ActionKind) -> Entry {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    Entry { token: token(&format!("action-{number}")), deed: editor().does(action) }
}

/// An item in hand.
#[derive(Clone, Debug)]
pub(super) struct Hand {
    pub(super) lease: Lease,
    pub(super) seen: Preflight,
}

impl Hand {
    /// An attempt from what was seen.
    pub(super) fn commit(&self, name: &str, change: Change) -> Commit {
        let puzzle = self.seen.puzzle.as_ref().expect("a puzzle in hand was seen");
        Commit {
            lease: self.lease.clone(),
            token: token(name),
            change,
            bank_version: puzzle.bank_version,
            content_version: self.seen.content_version(),
            daily_quota: DAILY_QUOTA,
            by: None,
        }
    }
}

impl Fixture {
    /// All tables, whole and in order.
    pub(super) async fn tables(&self) -> Tables {
        let mut tables = ok(self.inspect.tables().await);
        assert_eq!(misshapen(&tables), Vec::<String>::new(), "the dump has the wrong shape");
        sort(&mut tables);
        tables
    }

    /// Acts, and checks that exactly the expected lines tell what changed, leaving aside the
    /// trace of the action itself.
    pub(super) async fn changes<T>(
        &self,
        action: impl Future<Output = Result<T, StoreError>>,
        expected: impl IntoIterator<Item = String>,
    ) -> T {
        self.changes_of(action, expected, |line| !line.starts_with("operator_actions/")).await
    }

    /// Acts, and checks that exactly the expected lines tell what changed, with its trace.
    pub(super) async fn changes_traced<T>(
        &self,
        action: impl Future<Output = Result<T, StoreError>>,
        expected: impl IntoIterator<Item = String>,
    ) -> T {
        self.changes_of(action, expected, |_| true).await
    }

    async fn changes_of<T>(
        &self,
        action: impl Future<Output = Result<T, StoreError>>,
        expected: impl IntoIterator<Item = String>,
        counts: impl Fn(&str) -> bool,
    ) -> T {
        let before = self.tables().await;
        let value = ok(action.await);
        let mut found = changes(&before, &self.tables().await);
        found.retain(|line| counts(line));
        let mut expected: Vec<String> = expected.into_iter().collect();
        expected.sort();
        assert!(
            found == expected,
            "the wrong things changed\n\nexpected:\n  {}\n\nfound:\n  {}\n",
            expected.join("\n  "),
            found.join("\n  ")
        );
        value
    }

    /// Acts, and checks that nothing at all changed.
    pub(super) async fn keeps<T>(&self, action: impl Future<Output = Result<T, StoreError>>) -> T {
        self.changes_traced(action, []).await
    }

    pub(super) async fn import(
        &self,
        name: &str,
        rows: impl IntoIterator<Item = PuzzleRow>,
    ) -> ImportReadback {
        ok(self.stores.bank.import(&edit(name, rows)).await)
    }

    /// Begins an item, which must be free.
    pub(super) async fn take(&self, n: i64, name: &str) -> Hand {
        let begin = begin(n, name);
        hand(&begin, ok(self.stores.ledger.begin(&begin).await))
    }

    /// Takes an item over.
    pub(super) async fn take_over(&self, n: i64, name: &str) -> Hand {
        let begin = begin(n, name);
        hand(&begin, ok(self.stores.ledger.take_over(&begin).await))
    }

    /// Attempts a commit that must land.
    pub(super) async fn land(&self, commit: &Commit) {
        let readback = ok(self.stores.ledger.commit(commit).await);
        assert!(matches!(readback.clone().judge(), CommitOutcome::Landed { .. }), "refused: {readback:?}");
    }

    /// Attempts a commit that must be refused for these reasons, changing nothing.
    pub(super) async fn refuses(&self, commit: &Commit, outcome: Outcome, blocked_by: &[Predicate]) {
        let readback = self.keeps(self.stores.ledger.commit(commit)).await;
        let evaluated: Vec<_> = readback.guard.iter().map(|(predicate, _)| *predicate).collect();
        assert_eq!(evaluated, commit.change.kind().guard(), "the order of the guard");
        self.is_untouched_by(&readback).await;
        let expected = CommitOutcome::Refused { outcome, blocked_by: blocked_by.to_vec() };
        assert_eq!(readback.judge(), expected);
    }

    /// Publishes puzzle `n`, which must be due, without a photo.
    pub(super) async fn publish(&self, n: i64) {
        let hand = self.take(n, "press").await;
        self.land(&hand.commit(&format!("publish-{n}"), Change::Publish(content(n)))).await;
    }

    /// Publishes puzzle `n`, which must be due, with the photo that is ready for it.
    pub(super) async fn publish_with_photo(&self, n: i64) {
        let hand = self.take(n, "press").await;
        let image_key = hand.seen.image.as_ref().and_then(|image| image.object_key.clone());
        let content = content_with(n, image_key.expect("the photo is ready"));
        self.land(&hand.commit(&format!("publish-{n}"), Change::Publish(content))).await;
    }

    /// Takes the page of puzzle `n` back.
    pub(super) async fn withdraw(&self, n: i64) {
        let hand = self.take_over(n, "editor").await;
        self.land(&hand.commit(&format!("withdraw-{n}"), Change::Withdraw)).await;
    }

    /// Claims the image lease of puzzle `n`, which must be free.
    pub(super) async fn take_image(&self, n: i64, name: &str) -> Lease {
        let seen = ok(self.stores.images.begin(id(n), &owner(name), TTL_MS).await);
        seen.lease_of(id(n), &owner(name))
            .unwrap_or_else(|| panic!("{name} does not hold the image: {seen:?}"))
    }

    /// Makes the photo `key` ready for puzzle `n`, whose address must be `photo_url(n)`.
    pub(super) async fn make_ready(&self, n: i64, key: ImageKey) {
        let lease = self.take_image(n, "press").await;
        let image = ok(self.stores.images.record(&lease, &ready(n, key.clone())).await);
        assert_eq!(image.as_ref().and_then(|image| image.ready_for(&photo_url(n))), Some(&key));
    }

    /// A refused attempt reads back what stands, not what it wanted.
    async fn is_untouched_by(&self, readback: &CommitReadback) {
        let moment = ok(self.stores.revisions.moment().await);
        assert_eq!(readback.revision, moment.publication_revision, "the revision that was read back");
        assert_eq!(readback.committed_at, None, "what did not land has no instant");
    }
}

pub(super) fn edit(name: &str, rows: impl IntoIterator<Item = PuzzleRow>) -> BankEdit {
    let rows = rows.into_iter().collect();
    BankEdit { token: token(name), rows, grace_ms: GRACE_MS, by: editor(), edits: None }
}

/// A successful fetch of the photo of puzzle `n`.
pub(super) fn ready(n: i64, object_key: ImageKey) -> ImageRecord {
    ImageRecord::Ready { image_url: photo_url(n), object_key, bytes: 4_096 }
}

/// A failed fetch of the photo of puzzle `n`.
pub(super) fn failed(n: i64, retry_after_ms: i64) -> ImageRecord {
    ImageRecord::Failed { image_url: photo_url(n), error: "timed out".to_owned(), retry_after_ms }
}

/// What is known of a photo that is ready.
pub(super) fn ready_image(n: i64, object_key: ImageKey) -> SourceImage {
    SourceImage {
        image_url: photo_url(n),
        state: fencepost_domain::image::ImageState::Ready,
        object_key: Some(object_key),
        bytes: Some(4_096),
        error: None,
    }
}

/// The value of a call that no healthy store fails.
pub(super) fn ok<T>(result: Result<T, StoreError>) -> T {
    result.unwrap_or_else(|error| panic!("the store failed: {error}"))
}

fn hand(begin: &Begin, seen: Preflight) -> Hand {
    let lease = seen.lease_of(begin).unwrap_or_else(|| panic!("{} does not hold it: {seen:?}", begin.owner));
    Hand { lease, seen }
}
