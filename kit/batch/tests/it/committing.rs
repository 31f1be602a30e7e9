//! Committing on a store that answers as it is told to.

use std::{
    collections::VecDeque,
    future::Future,
    pin::pin,
    sync::Mutex,
    task::{Context, Poll, Waker},
};

use async_trait::async_trait;
use fencepost_batch::{
    Batch, Change, Committed, FailingBatch, PlanRunner, Query, Store, Value, decode, sql_texts,
};
use fencepost_core::{
    StoreError, StoreErrorKind, Timer, TokenSource, attempt::Attempt, id::CommitToken, landing::Ended,
    retry::Patience,
};

use crate::{
    decoding::{Given, read_back, receipts, refusal},
    orders::{TRACE, change, lease, ship},
};

type Answer = Result<Given, StoreError>;

/// Answers with one row each, and keeps what it was sent: names, and the tokens of batches.
struct Scripted {
    answers: Mutex<VecDeque<Answer>>,
    sent: Mutex<Vec<(&'static str, Option<Value>)>>,
}

impl Scripted {
    fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        Self { answers: Mutex::new(answers.into_iter().collect()), sent: Mutex::default() }
    }

    fn answer<T>(
        &self,
        name: &'static str,
        token: Option<Value>,
        query: &Query<T>,
    ) -> Result<Vec<T>, StoreError> {
        self.sent.lock().expect("one thread").push((name, token));
        let row = self.answers.lock().expect("one thread").pop_front().expect("an answer for each call")?;
        Ok(vec![query.decode(&row).expect("a row that fits")])
    }
}

#[async_trait]
impl PlanRunner for Scripted {
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError> {
        let token = batch.writes.first().and_then(|write| write.params().get(6)).cloned();
        self.answer(batch.name(), token, &batch.readback)
    }

    async fn read<T: Send>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        self.answer(query.statement.text().name(), None, &query)
    }

    async fn rehearse<T: Send>(&self, _: FailingBatch<T>) -> Result<T, StoreError> {
        Err(StoreError::refused("nothing is rehearsed here"))
    }
}

#[derive(Default)]
struct Edge(Mutex<u32>);

impl TokenSource for Edge {
    fn draw(&self) -> String {
        let mut drawn = self.0.lock().expect("one thread");
        *drawn += 1;
        format!("token-{drawn}")
    }
}

#[async_trait]
impl Timer for Edge {
    async fn sleep(&self, _: u64) {}
}

/// Nothing here waits for anything.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => output,
        Poll::Pending => panic!("a call is pending that should be answered at once"),
    }
}

/// How a commit ends on a store that answers so, and what it was sent.
fn check(
    answers: impl IntoIterator<Item = Answer>,
    expected: Result<Committed, StoreErrorKind>,
    sent: &[&str],
) {
    let store = Store::new(Scripted::new(answers));
    let (lease, edge) = (lease(), Edge::default());
    let change = change(&lease);
    let patience = Patience { timer: &edge, tokens: &edge };
    let ended = at_once(store.commit(patience, &change, &TRACE, |attempt| ship(attempt, &change)));
    assert_eq!(ended.map_err(|error| error.kind()), expected);
    let calls = store.into_runner().sent.into_inner().expect("one thread");
    let names: Vec<_> = calls.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, sent);
    let mut tokens: Vec<_> =
        calls.into_iter().filter_map(|(_, token)| token).map(|token| format!("{token:?}")).collect();
    let drawn = tokens.len();
    tokens.sort();
    tokens.dedup();
    assert_eq!(tokens.len(), drawn, "a token was sent twice");
}

/// The answer to a release: there is no row of a lease any more.
fn given_back() -> Given {
    let columns = ["lease_owner_id", "lease_fence_number", "lease_expires_at"];
    let lease = columns.map(|column| (column, Value::Null));
    Given([("now", 5.into())].into_iter().chain(lease).collect())
}

fn lost() -> Answer {
    Err(StoreError::unknown("the connection broke off"))
}

#[test]
fn what_is_answered_is_so() {
    check([Ok(read_back(true, 1, &[]))], Ok(Ended::Landed(1)), &["orders/ship"]);
    let refused = Ended::Refused(refusal(&[], &["in_stock"]));
    let answers = [Ok(read_back(false, 0, &["in_stock"])), Ok(given_back())];
    check(answers, Ok(refused), &["orders/ship", "lease_store/release"]);
    let failed = StoreError::new(StoreErrorKind::Assertion, "token and receipt are not together");
    let answers = [Err(failed), Ok(given_back())];
    check(answers, Err(StoreErrorKind::Assertion), &["orders/ship", "lease_store/release"]);
}

#[test]
fn a_lease_that_cannot_be_given_back_changes_nothing() {
    let refused = Ended::Refused(refusal(&[], &["in_stock"]));
    let answers = [Ok(read_back(false, 0, &["in_stock"])), lost()];
    check(answers, Ok(refused), &["orders/ship", "lease_store/release"]);
}

#[test]
fn a_lost_answer_is_looked_for_and_tried_again_with_another_token() {
    let landed = [lost(), Ok(receipts(5, 1, Some(1)))];
    check(landed, Ok(Ended::Landed(1)), &["orders/ship", "orders/trace"]);
    let gone = [lost(), Ok(receipts(5, 0, None)), Ok(read_back(true, 1, &[]))];
    check(gone, Ok(Ended::Landed(1)), &["orders/ship", "orders/trace", "orders/ship"]);
    let in_vain = ["orders/ship", "orders/trace", "lease_store/release"];
    let taken = [lost(), Ok(receipts(5, 4, None)), Ok(given_back())];
    check(taken, Ok(Ended::Superseded), &in_vain);
    let over = [lost(), Ok(receipts(1_000, 0, None)), Ok(given_back())];
    check(over, Ok(Ended::Unknown), &in_vain);
}

/// Whether a batch of another attempt, or of another change, gets to the store.
fn is_sent(other: impl Fn(Attempt) -> (Attempt, i64) + Send + Sync) -> bool {
    let store = Store::new(Scripted::new([Ok(read_back(true, 1, &[]))]));
    let (lease, edge) = (lease(), Edge::default());
    let change = change(&lease);
    let batch = |attempt| {
        let (attempt, seen) = other(attempt);
        ship(attempt, &Change::new(&lease, 7, seen))
    };
    let commit = store.commit(Patience { timer: &edge, tokens: &edge }, &change, &TRACE, batch);
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| at_once(commit))).is_ok()
}

#[test]
fn a_batch_of_another_attempt_is_not_sent() {
    assert!(is_sent(|attempt| (attempt, 0)));
    assert!(!is_sent(|_| (Attempt::vouched_for(CommitToken::new("drawn elsewhere")), 0)));
    assert!(!is_sent(|attempt| (attempt, 1)));
}

sql_texts! {
    COUNT = "orders/count", "SELECT count(*) AS orders FROM orders WHERE ?1 IS NULL OR shipped_to = ?1";
}

#[test]
fn what_d1_would_not_take_is_refused_on_every_store() {
    let count = |bytes| {
        let store = Store::new(Scripted::new([Ok(Given(vec![("orders", 3.into())]))]));
        let query = Query::new(&COUNT, vec!["x".repeat(bytes).into()], |row| decode::integer(row, "orders"));
        at_once(store.read_some(query)).map_err(|error| error.kind())
    };
    assert_eq!(count(Value::MAX_TEXT_BYTES), Ok((3, vec![])));
    assert_eq!(count(Value::MAX_TEXT_BYTES + 1), Err(StoreErrorKind::Refused));
}
