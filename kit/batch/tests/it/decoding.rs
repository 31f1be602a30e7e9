//! From rows to what they tell.

use fencepost_batch::{DecodeError, Refusal, Row, Told, Value, decode, trace};
use fencepost_core::{
    attempt::Attempt,
    id::CommitToken,
    landing::{Resolved, Trace, Verdict},
    time::UnixMillis,
};

use crate::orders::{TRACE, change, lease, ship};

/// A row as a store might hand it over.
pub(crate) struct Given(pub(crate) Vec<(&'static str, Value)>);

impl Given {
    fn value(&self, column: &'static str) -> Result<&Value, DecodeError> {
        let found = self.0.iter().find(|(name, _)| *name == column);
        found.map(|(_, value)| value).ok_or_else(|| DecodeError::new(column, "is not in the row"))
    }
}

impl Row for Given {
    fn integer(&self, column: &'static str) -> Result<Option<i64>, DecodeError> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Integer(integer) => Ok(Some(*integer)),
            other => Err(DecodeError::new(column, format!("{other:?} is no integer"))),
        }
    }

    fn text(&self, column: &'static str) -> Result<Option<String>, DecodeError> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text.clone())),
            other => Err(DecodeError::new(column, format!("{other:?} is no text"))),
        }
    }
}

/// The read-back of a batch that landed, or did not because of what is listed.
pub(crate) fn read_back(landed: bool, version: i64, failed: &[&str]) -> Given {
    let conditions = ["lease_owner", "lease_fence", "lease_live", "version", "in_stock"];
    let mut columns =
        vec![("assertion", Value::Null), ("landed", landed.into()), ("row_version", version.into())];
    columns.extend(conditions.map(|name| (name, Value::from(!failed.contains(&name)))));
    Given(columns)
}

/// What the receipts tell.
pub(crate) fn receipts(now: i64, version: i64, receipt: Option<i64>) -> Given {
    Given(vec![
        ("now", now.into()),
        ("row_version", version.into()),
        ("commit_token", receipt.map(|_| "t").into()),
        ("receipt_version", receipt.into()),
    ])
}

/// These conditions did not hold, of every guard and of this one.
pub(crate) fn refusal(stale: &[&'static str], unmet: &[&'static str]) -> Refusal {
    Refusal { stale: stale.to_vec(), unmet: unmet.to_vec(), told: () }
}

fn told(row: &Given) -> Result<Told<()>, DecodeError> {
    let lease = lease();
    let attempt = Attempt::vouched_for(CommitToken::new("t"));
    ship(attempt, &change(&lease)).into_batch().readback.decode(row)
}

#[test]
fn a_batch_tells_the_version_or_every_condition_that_did_not_hold() {
    let verdict = |row: Given| told(&row).map(Told::verdict);
    assert_eq!(verdict(read_back(true, 1, &["version", "lease_live"])), Ok(Verdict::Landed(1)));
    assert_eq!(
        verdict(read_back(false, 0, &["in_stock"])),
        Ok(Verdict::Refused(refusal(&[], &["in_stock"])))
    );
    let refused = Verdict::Refused(refusal(&["lease_fence", "version"], &[]));
    assert_eq!(verdict(read_back(false, 1, &["version", "lease_fence"])), Ok(refused));
    assert_eq!(verdict(read_back(false, 0, &[])), Ok(Verdict::Refused(refusal(&[], &[]))));
}

#[test]
fn a_read_back_that_lacks_a_condition_is_no_answer() {
    let mut row = read_back(true, 1, &[]);
    row.0.pop();
    assert_eq!(told(&row).map_err(|error| error.column()), Err("in_stock"));
    let row = Given(vec![("landed", Value::Null)]);
    let error = told(&row).unwrap_err();
    assert_eq!((error.column(), error.problem()), ("landed", "is NULL"));
}

#[test]
fn receipts_tell_what_became_of_attempts() {
    let lease = lease();
    let tokens = [CommitToken::new("t"), CommitToken::new("u")];
    let query = trace(&TRACE, &change(&lease), &tokens, |row| decode::integer(row, "receipt_version"));
    assert_eq!(query.statement.params(), [Value::Clock, 7.into(), r#"["t","u"]"#.into()]);
    let check = |row: Given, expected: Trace<i64>, resolved: Resolved<i64>| {
        let read = query.decode(&row).unwrap();
        assert_eq!(read, expected);
        assert_eq!(read.judge(lease.expires_at), resolved);
    };
    let trace = |receipt, is_unchanged| Trace { now: UnixMillis::new(5), receipt, is_unchanged };
    check(receipts(5, 1, Some(1)), trace(Some(1), false), Resolved::Committed(1));
    check(receipts(5, 1, None), trace(None, false), Resolved::Superseded);
    check(receipts(5, 0, None), trace(None, true), Resolved::NotSeen);
}
