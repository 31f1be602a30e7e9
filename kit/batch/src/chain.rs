//! A guarded batch: one statement under the guard, and a chain of others that hangs on it.
//!
//! If the guard says no, the first statement writes nothing, which is no error; then the token
//! is not on the row, and none of the others writes anything either: zero propagates. There is
//! no moment at which a program would have to look and to decide.
//!
//! What a chain cannot be, does not compile: `tests/misuse` has it, with what the compiler says.
//!
//! ```
//! use fencepost_batch::{Chain, Change, Linked, Marked, Marking, ReadBack, Guard, Sql, sql_texts};
//! use fencepost_core::{attempt::Attempt, id::{CommitToken, Fence, OwnerId}, lease::Lease, time::UnixMillis};
//!
//! enum Invoice {}
//!
//! impl Marked for Invoice {
//!     type Key = i64;
//!     type LeaseKey = String;
//!     const TABLE: &'static str = "invoices";
//!     const KEY: &'static str = "invoice_id";
//!     const RECEIPTS: &'static str = "invoice_receipts";
//!
//!     fn lease_key(key: &i64) -> String {
//!         format!("invoice:{key}")
//!     }
//! }
//!
//! sql_texts! {
//!     PAY: Marking<Invoice> = "invoices/pay", Sql::update_marked("paid_by = ?8", &Guard::under_lease());
//!     WRITE_RECEIPT: Linked<Invoice> = "invoices/write_receipt", Sql::write_receipt();
//!     READ_BACK: ReadBack<Invoice> = "invoices/read_back", Sql::of_guard(&Guard::under_lease(), &[], "");
//! }
//!
//! // What `Store::hold` gives, and what `Store::commit` draws.
//! let lease = Lease {
//!     key: "invoice:7".to_owned(), owner: OwnerId::new("worker-1/x"), fence: Fence::FIRST,
//!     expires_at: UnixMillis::new(180_000),
//! };
//! let attempt = Attempt::vouched_for(CommitToken::new("drawn at random"));
//!
//! let change = Change::<Invoice>::new(&lease, 7, 1);
//! let batch = Chain::begin(attempt, &change, &PAY, ["card".into()])
//!     .then(&WRITE_RECEIPT, [])
//!     .read_back(&READ_BACK, |_| Ok(()))
//!     .into_batch();
//! let names: Vec<_> = batch.statements().map(|statement| statement.text().name()).collect();
//! assert_eq!(names, ["invoices/pay", "invoices/write_receipt", "invoices/read_back"]);
//! // The key is `?2` everywhere, the token `?7`.
//! let params = batch.writes[1].params();
//! assert_eq!((&params[1], &params[6]), (&7.into(), &"drawn at random".into()));
//! ```

use std::{fmt, marker::PhantomData};

use fencepost_core::{
    attempt::Attempt,
    id::CommitToken,
    landing::{Trace, Verdict},
    lease::Lease,
};

use crate::{
    Batch, DecodeError, FailingBatch, Linked, Marked, Marking, Query, Raising, ReadBack, Refusal, Row,
    SqlText, Statement, Text, Tracing, Understand, Value, decode,
    guard::{Conditions, IN_EVERY_GUARD, OWN},
    statement::assert_given,
};

/// A change that is to be made to a row.
pub struct Change<'a, M: Marked> {
    pub(crate) lease: &'a Lease<M::LeaseKey>,
    key: M::Key,
    seen: i64,
}

impl<'a, M: Marked> Change<'a, M> {
    /// The change of the row `key` under a lease, if it is still at the version `seen` that it was
    /// prepared from; 0 without a row. A lease that nobody was given holds nothing: the guard
    /// compares it with the row of the lease.
    ///
    /// # Panics
    /// If the lease is about something else than the [`lease_key`](Marked::lease_key) of the row:
    /// nobody else who changes it would be kept away. If the key is NULL or the clock: a row that
    /// appeared would have another one, and the batch would not find it again.
    pub fn new(lease: &'a Lease<M::LeaseKey>, key: M::Key, seen: i64) -> Self {
        let expected = M::lease_key(&key);
        assert!(
            lease.key == expected,
            "a change of {} under the lease {}: it takes {expected}",
            M::TABLE,
            lease.key
        );
        let is_key = matches!(key.clone().into(), Value::Integer(_) | Value::Text(_));
        assert!(is_key, "a change of a row of {} without a key", M::TABLE);
        Self { lease, key, seen }
    }

    /// The parameters that every guard has, `?1` to `?7`.
    pub(crate) fn guard_params(&self, token: &CommitToken) -> Vec<Value> {
        let Self { lease, key, seen } = self;
        vec![
            Value::Clock,
            key.clone().into(),
            lease.key.to_string().into(),
            lease.owner.as_str().into(),
            lease.fence.get().into(),
            (*seen).into(),
            token.as_str().into(),
        ]
    }
}

impl<M: Marked> fmt::Debug for Change<'_, M>
where
    M::Key: fmt::Debug,
    M::LeaseKey: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lease, key, seen } = self;
        f.debug_struct("Change").field("lease", lease).field("key", key).field("seen", seen).finish()
    }
}

/// A guarded batch in the making. It cannot be run before it has its read-back.
#[must_use = "a chain writes nothing until it has its read-back and is run"]
pub struct Chain<M> {
    /// The parameters that the guard and the read-back have in common, `?1` to `?7`, and those
    /// of one's own.
    guard_params: Vec<Value>,
    /// The conditions of its guard.
    conditions: &'static Conditions,
    writes: Vec<Statement>,
    row: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for Chain<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Chain").field(&self.writes).finish()
    }
}

impl<M: Marked> Chain<M> {
    /// Begins with the statement that changes the row under the guard. `own` are the
    /// parameters from `?8` on, those of the guard first.
    ///
    /// The attempt is used up: no second batch can have its token.
    ///
    /// # Panics
    /// If there are not as many parameters as the text has.
    pub fn begin(
        attempt: Attempt,
        change: &Change<'_, M>,
        text: &'static Text<Marking<M>>,
        own: impl IntoIterator<Item = Value>,
    ) -> Self {
        let mut params = change.guard_params(&attempt.into_token());
        params.extend(own);
        let writes = vec![Statement::new(text.as_ref(), params.clone())];
        Self { guard_params: params, conditions: text.conditions(), writes, row: PhantomData }
    }

    /// Goes on with a statement that hangs on the token. `own` are the parameters from `?8` on,
    /// and none of those that the chain began with.
    ///
    /// # Panics
    /// If there are not as many parameters as the text has.
    pub fn then(mut self, text: &'static Text<Linked<M>>, own: impl IntoIterator<Item = Value>) -> Self {
        let own: Vec<_> = own.into_iter().collect();
        let params = || self.guard_params[..OWN - 1].iter().chain(&own);
        let texts = || [Some(text.as_ref()), text.count()].into_iter().flatten();
        let takes = texts().map(SqlText::arity).max().unwrap_or_default();
        assert_given(text.as_ref().name(), takes, params().count());
        self.writes.extend(texts().map(|text| Statement::new(text, text.taken_of(params()))));
        self
    }

    /// Ends with the read-back, and what is told besides: `decode` reads the columns of one's
    /// own. The text is given as many of the parameters that the chain began with as it has.
    ///
    /// # Panics
    /// If the text has more parameters than the statement that the chain began with, or was made
    /// with another guard: it would not tell why the batch has not landed.
    pub fn read_back<T: 'static>(
        self,
        text: &'static Text<ReadBack<M>>,
        decode: impl Fn(&dyn Row) -> Result<T, DecodeError> + Send + Sync + 'static,
    ) -> Guarded<M, T> {
        assert!(
            text.conditions() == self.conditions,
            "{} tells of another guard than the one that the batch is under",
            text.as_ref().name()
        );
        let params = text.as_ref().taken_of(&self.guard_params);
        let readback = Query::new(text.as_ref(), params, move |row| told(row, text.conditions(), &decode));
        Guarded { batch: Batch { writes: self.writes, readback }, row: PhantomData }
    }

    /// Ends with a statement that raises, so that nothing of it is kept. `before` goes first: what
    /// the batch would find if others had done their part. `understand` reads what the error tells.
    ///
    /// # Panics
    /// If the text has more parameters than the statement that the chain began with.
    pub fn rehearse<T>(
        self,
        before: Vec<Statement>,
        text: &'static Text<Raising<M>>,
        understand: Understand<T>,
    ) -> FailingBatch<T> {
        let raise = Statement::new(text.as_ref(), text.as_ref().taken_of(&self.guard_params));
        let writes = before.into_iter().chain(self.writes).collect();
        FailingBatch::new(writes, raise, understand)
    }
}

/// A guarded batch on a row of `M`: the first of its statements is under the guard, all others
/// hang on its token, and it ends with the read-back. Nothing can be added to it.
///
/// [`Store::commit`](crate::Store::commit) takes no other.
#[must_use = "a batch writes nothing until it is run"]
pub struct Guarded<M, T> {
    batch: Batch<Told<T>>,
    row: PhantomData<fn() -> M>,
}

impl<M, T> Guarded<M, T> {
    /// The batch as any other, for whoever runs it in a way of their own, such as a
    /// [`Landing`](fencepost_core::landing::Landing). What is made of it from here on, nobody
    /// watches over.
    pub fn into_batch(self) -> Batch<Told<T>> {
        self.batch
    }

    /// The parameters of its first statement.
    pub(crate) fn params(&self) -> &[Value] {
        self.batch.writes.first().map_or(&[], Statement::params)
    }
}

impl<M, T> fmt::Debug for Guarded<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.batch.statements()).finish()
    }
}

/// What a batch told of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told<T> {
    /// Whether the row has the token of the attempt.
    pub landed: bool,
    /// How many changes the row has seen by now; 0 without a row.
    pub version: i64,
    /// Each condition of the guard, evaluated once more. It tells why an attempt did not land,
    /// and means nothing when it did.
    pub guard: Vec<(&'static str, bool)>,
    /// What it told besides.
    pub told: T,
}

impl<T> Told<T> {
    /// What that means: the version of the row, or what did not hold.
    ///
    /// ```
    /// use fencepost_batch::{Refusal, Told};
    /// use fencepost_core::landing::Verdict;
    ///
    /// let of_every_guard = ["lease_owner", "lease_fence", "lease_live", "version"].map(|name| (name, true));
    /// let guard = of_every_guard.into_iter().chain([("due", false)]).collect();
    /// let told = Told { landed: false, version: 4, guard, told: () };
    /// let refusal = Refusal { stale: vec![], unmet: vec!["due"], told: () };
    /// assert_eq!(told.verdict(), Verdict::Refused(refusal));
    /// ```
    pub fn verdict(self) -> Verdict<i64, Refusal<T>> {
        if self.landed {
            return Verdict::Landed(self.version);
        }
        let (of_every_guard, own) = self.guard.split_at(IN_EVERY_GUARD.min(self.guard.len()));
        let untrue = |conditions: &[(&'static str, bool)]| {
            conditions.iter().filter(|(_, holds)| !holds).map(|(name, _)| *name).collect()
        };
        Verdict::Refused(Refusal { stale: untrue(of_every_guard), unmet: untrue(own), told: self.told })
    }
}

fn told<T>(
    row: &dyn Row,
    conditions: &Conditions,
    decode: &impl Fn(&dyn Row) -> Result<T, DecodeError>,
) -> Result<Told<T>, DecodeError> {
    let condition = |(name, _): &(&'static str, String)| Ok((*name, decode::flag(row, name)?));
    Ok(Told {
        landed: decode::flag(row, "landed")?,
        version: decode::integer(row, "row_version")?,
        guard: conditions.iter().map(condition).collect::<Result<_, _>>()?,
        told: decode(row)?,
    })
}

/// Asks for the receipt of one of `tokens`, of attempts to make a change. `decode` reads what
/// a receipt says: its `receipt_version`, and the columns that the text names. The query has one
/// row. [`Trace::judge`] tells what follows from it.
pub fn trace<M: Marked, T: 'static>(
    text: &'static Text<Tracing<M>>,
    change: &Change<'_, M>,
    tokens: &[CommitToken],
    decode: impl Fn(&dyn Row) -> Result<T, DecodeError> + Send + Sync + 'static,
) -> Query<Trace<T>> {
    let tokens = serde_json::to_string(tokens).expect("a list of texts is JSON");
    let seen = change.seen;
    Query::new(text.as_ref(), vec![Value::Clock, change.key.clone().into(), tokens.into()], move |row| {
        Ok(Trace {
            now: decode::instant(row, "now")?,
            receipt: row.text(M::TOKEN)?.map(|_| decode(row)).transpose()?,
            is_unchanged: decode::integer(row, "row_version")? == seen,
        })
    })
}
