//! A guarded batch: one statement under the guard, and a chain of others that hangs on it.
//!
//! If the guard says no, the first statement writes nothing, which is no error; then the token
//! is not on the row, and none of the others writes anything either: zero propagates. There is
//! no moment at which a program would have to look and to decide.
//!
//! A statement that does not hang on the token cannot be put into the chain:
//!
//! ```compile_fail,E0308
//! # use fencepost_batch::{Chain, Marked, sql_texts};
//! # enum Invoice {}
//! # impl Marked for Invoice {
//! #     type Key = i64;
//! #     const TABLE: &'static str = "invoices";
//! #     const KEY: &'static str = "invoice_id";
//! #     const RECEIPTS: &'static str = "invoice_receipts";
//! # }
//! sql_texts! {
//!     COUNT = "invoices/count", "UPDATE totals SET invoices = invoices + 1";
//! }
//!
//! fn count(chain: Chain<Invoice>) -> Chain<Invoice> {
//!     chain.then(&COUNT, [])
//! }
//! ```

use std::{fmt::Display, marker::PhantomData};

use fencepost_core::{
    attempt::Attempt,
    id::CommitToken,
    landing::{Trace, Verdict},
    lease::Lease,
};

use crate::{
    Batch, DecodeError, Linked, Marked, Marking, Query, ReadBack, Row, Statement, Text, Tracing, Value,
    decode,
};

/// A change that is to be made to a row.
#[derive(Clone, Copy, Debug)]
pub struct Change<'a, M: Marked, K> {
    /// The lease that it is made under.
    pub lease: &'a Lease<K>,
    /// The row.
    pub key: M::Key,
    /// The version of the row that it was prepared from; 0 without a row.
    pub seen: i64,
}

/// A batch in the making.
#[derive(Debug)]
pub struct Chain<M> {
    /// The parameters that the guard and the read-back have in common, `?1` to `?7`, and those
    /// of one's own.
    guard_params: Vec<Value>,
    writes: Vec<Statement>,
    row: PhantomData<fn() -> M>,
}

impl<M: Marked> Chain<M> {
    /// Begins with the statement that changes the row under the guard. `own` are the
    /// parameters from `?8` on, those of the guard first.
    ///
    /// The attempt is used up: no second batch can have its token.
    ///
    /// # Panics
    /// If there are not as many parameters as the text has.
    pub fn begin<K: Display>(
        attempt: Attempt,
        change: &Change<'_, M, K>,
        text: &'static Text<Marking<M>>,
        own: impl IntoIterator<Item = Value>,
    ) -> Self {
        let Change { lease, key, seen } = change;
        let mut params = vec![
            Value::Clock,
            key.clone().into(),
            lease.key.to_string().into(),
            lease.owner.as_str().into(),
            lease.fence.get().into(),
            (*seen).into(),
            attempt.into_token().as_str().into(),
        ];
        params.extend(own);
        let writes = vec![Statement::new(text.as_ref(), params.clone())];
        Self { guard_params: params, writes, row: PhantomData }
    }

    /// Goes on with a statement that hangs on the token. `own` are the parameters from `?3` on.
    ///
    /// # Panics
    /// If there are not as many parameters as the text has.
    #[must_use]
    pub fn then(mut self, text: &'static Text<Linked<M>>, own: impl IntoIterator<Item = Value>) -> Self {
        let [_, key, _, _, _, _, token, ..] = &self.guard_params[..] else {
            unreachable!("a chain begins with the parameters of its guard")
        };
        let params = [key.clone(), token.clone()].into_iter().chain(own).collect();
        self.writes.push(Statement::new(text.as_ref(), params));
        self
    }

    /// Ends the lease, if the attempt lands. `text` is
    /// [`release_lease`](crate::Sql::release_lease).
    #[must_use]
    pub fn release(self, text: &'static Text<Linked<M>>) -> Self {
        let lease = self.guard_params[2..5].to_vec();
        self.then(text, lease)
    }

    /// The parameters of the statement that it began with: those of the guard come first.
    pub fn params(&self) -> &[Value] {
        &self.guard_params
    }

    /// The statements as they stand, for whoever ends the batch in another way.
    pub fn into_writes(self) -> Vec<Statement> {
        self.writes
    }

    /// Ends with the read-back, and what is told besides: `decode` reads the columns of one's
    /// own. The text is given as many of the parameters of the guard as it has.
    pub fn read_back<T: 'static>(
        self,
        text: &'static Text<ReadBack<M>>,
        decode: impl Fn(&dyn Row) -> Result<T, DecodeError> + Send + Sync + 'static,
    ) -> Batch<Told<T>> {
        let mut params = self.guard_params;
        params.truncate(text.as_ref().arity());
        let readback = Query::new(text.as_ref(), params, move |row| told(row, text.conditions(), &decode));
        Batch { writes: self.writes, readback }
    }
}

/// What a batch told of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told<T> {
    /// Whether the row has the token of the attempt.
    pub landed: bool,
    /// The version that the row has now; 0 without a row.
    pub version: i64,
    /// Each condition of the guard, evaluated once more. It tells why an attempt did not land,
    /// and means nothing when it did.
    pub guard: Vec<(&'static str, bool)>,
    /// What it told besides.
    pub told: T,
}

impl<T> Told<T> {
    /// What that means: the version of the row, or the names of the conditions that did not
    /// hold. If none is left that does not hold, the state has moved between the write and the
    /// read-back.
    pub fn verdict(self) -> Verdict<i64, Vec<&'static str>> {
        if self.landed {
            return Verdict::Landed(self.version);
        }
        Verdict::Refused(self.guard.into_iter().filter(|(_, holds)| !holds).map(|(name, _)| name).collect())
    }
}

fn told<T>(
    row: &dyn Row,
    names: &[&'static str],
    decode: &impl Fn(&dyn Row) -> Result<T, DecodeError>,
) -> Result<Told<T>, DecodeError> {
    let condition = |name: &&'static str| Ok((*name, decode::flag(row, name)?));
    Ok(Told {
        landed: decode::flag(row, "landed")?,
        version: decode::integer(row, "row_version")?,
        guard: names.iter().map(condition).collect::<Result<_, _>>()?,
        told: decode(row)?,
    })
}

/// Asks for the receipt of one of `tokens`, of attempts to make a change. `decode` reads what
/// a receipt says: its `receipt_version`, and the columns that the text names.
pub fn trace<M: Marked, K, T: 'static>(
    text: &'static Text<Tracing<M>>,
    change: &Change<'_, M, K>,
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
