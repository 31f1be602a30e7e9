//! Statements, queries and batches.

use std::fmt;

use crate::scan::{foreign, parameters};

/// A parameter of a statement.
///
/// ```
/// use fencepost_batch::Value;
///
/// assert_eq!(Value::from(Some(7)), Value::Integer(7));
/// assert_eq!([Value::from(true), None::<i64>.into()], [Value::Integer(1), Value::Null]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// NULL.
    Null,
    /// An integer. D1 binds it as a floating-point number, so a statement casts it
    /// wherever no INTEGER column does.
    Integer(i64),
    /// A text.
    Text(String),
    /// The clock argument, which the adapter fills in; see [`crate::clock`].
    Clock,
}

impl Value {
    /// The most bytes that D1 takes as one text.
    pub const MAX_TEXT_BYTES: usize = 2_000_000;
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Integer(value.into())
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// The text of a statement, and how many parameters it takes.
#[derive(Debug)]
pub struct SqlText {
    name: &'static str,
    sql: String,
    arity: usize,
    /// A bit for each parameter that it has: the lowest for `?1`.
    takes: u128,
}

impl SqlText {
    /// The most parameters that D1 binds.
    pub const MAX_PARAMETERS: usize = 100;
    /// The most bytes of SQL that D1 takes as one statement.
    pub const MAX_BYTES: usize = 100_000;

    /// A text with numbered parameters `?1…?n`. What D1 would refuse is refused here, for
    /// every store alike: the runtime in which D1 is tested is more generous than D1 is.
    ///
    /// # Panics
    /// If it is more than one statement, has a comment, a name in quotes or a parameter without a
    /// number, or is beyond [`MAX_PARAMETERS`](Self::MAX_PARAMETERS) or
    /// [`MAX_BYTES`](Self::MAX_BYTES). `name` is told.
    pub fn new(name: &'static str, sql: String) -> Self {
        if let Some(mark) = foreign(&sql) {
            panic!("{name} has a {mark:?}, and is to be one statement with numbered parameters");
        }
        let arity = parameters(&sql).max().unwrap_or(0);
        assert!(arity <= Self::MAX_PARAMETERS, "{name} takes {arity} parameters, D1 binds at most 100");
        assert!(sql.len() <= Self::MAX_BYTES, "{name} has {} bytes, D1 takes at most 100,000", sql.len());
        let takes = parameters(&sql).fold(0, |takes, number| takes | bit(number));
        Self { name, sql, arity, takes }
    }

    /// Its name, by which logs, metrics and errors call it, such as `orders/ship`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The SQL.
    pub fn sql(&self) -> &str {
        &self.sql
    }

    /// The highest number among its parameters, and so how many it is given.
    pub fn arity(&self) -> usize {
        self.arity
    }

    /// What it takes of `params`, which are `?1`, `?2` and so on: as many as it has, and NULL in
    /// place of those that do not stand in it.
    pub(crate) fn taken_of<'a>(&self, params: impl IntoIterator<Item = &'a Value>) -> Vec<Value> {
        let numbered = (1..=self.arity).zip(params);
        let taken = |(number, param): (usize, &Value)| {
            if self.takes & bit(number) == 0 { Value::Null } else { param.clone() }
        };
        numbered.map(taken).collect()
    }

    #[doc(hidden)]
    pub fn listed(&'static self) -> impl Iterator<Item = &'static Self> {
        [self].into_iter()
    }
}

/// The bit of the parameter of this number, which begins at 1.
///
/// # Panics
/// If it is 0: SQLite knows no such parameter.
fn bit(number: usize) -> u128 {
    let place = number.checked_sub(1).expect("parameters are numbered from ?1 on");
    1 << place
}

impl AsRef<Self> for SqlText {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// Declares texts as statics, each built when it is first used, and a function `texts()` that
/// lists them: for snapshots, which are reviewed like code, and for tests that prepare them all.
///
/// ```
/// fencepost_batch::sql_texts! {
///     /// How many are waiting.
///     WAITING = "queue/waiting", "SELECT count(*) AS waiting FROM queue WHERE sent_at IS NULL";
/// }
///
/// assert_eq!((WAITING.name(), WAITING.arity(), texts().len()), ("queue/waiting", 0, 1));
/// ```
#[macro_export]
macro_rules! sql_texts {
    ($($(#[$doc:meta])* $vis:vis $name:ident $(: $kind:ty)? = $label:literal, $sql:expr;)*) => {
        $($(#[$doc])* $vis static $name: std::sync::LazyLock<$crate::sql_texts!(@type $($kind)?)> =
            std::sync::LazyLock::new(|| $crate::sql_texts!(@new $label, $sql $(, $kind)?));)*

        /// The texts of this module.
        pub fn texts() -> Vec<&'static $crate::SqlText> {
            ::std::iter::empty()$(.chain($name.listed()))*.collect()
        }
    };
    (@type) => { $crate::SqlText };
    (@type $kind:ty) => { $crate::Text<$kind> };
    (@new $label:literal, $sql:expr) => { $crate::SqlText::new($label, $sql.to_string()) };
    (@new $label:literal, $sql:expr, $kind:ty) => { $crate::Text::<$kind>::new($label, $sql) };
}

/// # Panics
/// If a text was given more or fewer parameters than it takes.
#[track_caller]
pub(crate) fn assert_given(name: &str, takes: usize, given: usize) {
    assert!(
        takes == given,
        "{name} takes {takes} parameters and was given {given}; in a guarded batch, seven of them are those \
         that every text has"
    );
}

/// A statement with its parameters: a plan, which whoever made it cannot run.
#[derive(Clone, Debug)]
pub struct Statement {
    text: &'static SqlText,
    params: Vec<Value>,
}

impl Statement {
    /// A statement. The count of parameters is checked here: D1 would refuse a wrong
    /// one, SQLite would quietly bind NULL. For the clock argument, give [`Value::Clock`]; NULL is the
    /// database's clock, even where a test has another one.
    ///
    /// # Panics
    /// If there are not as many parameters as the text has.
    pub fn new(text: &'static SqlText, params: Vec<Value>) -> Self {
        assert_given(text.name, text.arity, params.len());
        Self { text, params }
    }

    /// The text.
    pub fn text(&self) -> &'static SqlText {
        self.text
    }

    /// The SQL.
    pub fn sql(&self) -> &'static str {
        &self.text.sql
    }

    /// The parameters `?1…?n`.
    pub fn params(&self) -> &[Value] {
        &self.params
    }

    /// The number of the first parameter that is longer than D1 takes, and its length in
    /// bytes.
    pub fn oversized(&self) -> Option<(usize, usize)> {
        let lengths = self.params.iter().map(|value| match value {
            Value::Text(text) => text.len(),
            Value::Null | Value::Integer(_) | Value::Clock => 0,
        });
        (1..).zip(lengths).find(|(_, bytes)| *bytes > Value::MAX_TEXT_BYTES)
    }
}

/// A row, as an adapter hands it over to be decoded.
pub trait Row {
    /// An integer column, or `None` for NULL.
    ///
    /// # Errors
    /// A missing column, or a value that is no integer.
    fn integer(&self, column: &'static str) -> Result<Option<i64>, DecodeError>;

    /// A text column, or `None` for NULL.
    ///
    /// # Errors
    /// A missing column, or a value that is no text.
    fn text(&self, column: &'static str) -> Result<Option<String>, DecodeError>;
}

/// A column whose value cannot be. It is one pointer wide: the code that hands it on stands
/// behind every column of every row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(Box<Undecodable>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Undecodable {
    column: &'static str,
    problem: String,
}

impl DecodeError {
    /// Says what is wrong with a column, such as `is NULL`.
    #[cold]
    pub fn new(column: &'static str, problem: impl Into<String>) -> Self {
        Self(Box::new(Undecodable { column, problem: problem.into() }))
    }

    /// The column.
    pub fn column(&self) -> &'static str {
        self.0.column
    }

    /// What is wrong with it.
    pub fn problem(&self) -> &str {
        &self.0.problem
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {:?}: {}", self.column(), self.problem())
    }
}

impl std::error::Error for DecodeError {}

type Decode<T> = Box<dyn Fn(&dyn Row) -> Result<T, DecodeError> + Send + Sync>;

/// A statement that reads, and how to decode each of its rows.
///
/// ```
/// use fencepost_batch::{Query, decode, sql_texts};
///
/// sql_texts! {
///     OF_ITEM = "stock/of_item", "SELECT pieces FROM stock WHERE item = ?1";
/// }
///
/// let query = Query::new(&OF_ITEM, vec!["teapot".into()], |row| decode::integer(row, "pieces"));
/// assert_eq!(query.statement.params(), ["teapot".into()]);
/// ```
pub struct Query<T> {
    /// The statement.
    pub statement: Statement,
    decode: Decode<T>,
}

impl<T> Query<T> {
    /// A query. Each of its rows goes through `decode`.
    ///
    /// # Panics
    /// If there are not as many parameters as the text has.
    pub fn new(
        text: &'static SqlText,
        params: Vec<Value>,
        decode: impl Fn(&dyn Row) -> Result<T, DecodeError> + Send + Sync + 'static,
    ) -> Self {
        Self { statement: Statement::new(text, params), decode: Box::new(decode) }
    }

    /// Decodes one row.
    ///
    /// # Errors
    /// A column whose value cannot be.
    pub fn decode(&self, row: &dyn Row) -> Result<T, DecodeError> {
        (self.decode)(row)
    }

    /// The same query, with something made of each of its rows.
    pub fn map<U>(self, make: impl Fn(T) -> U + Send + Sync + 'static) -> Query<U>
    where
        T: 'static,
    {
        let decode = self.decode;
        Query { statement: self.statement, decode: Box::new(move |row| decode(row).map(&make)) }
    }
}

/// Writes that happen together or not at all, and then one read.
///
/// A guarded batch is made by a [`Chain`](crate::Chain). One that is put together by hand is on
/// no condition but those that its texts have.
pub struct Batch<T> {
    /// The writes, in order.
    pub writes: Vec<Statement>,
    /// The read at the end: what the outcome is judged by.
    pub readback: Query<T>,
}

impl<T> Batch<T> {
    /// One statement that both writes and tells: by `RETURNING`, the rows that it wrote. A query
    /// that is [read](crate::PlanRunner::read) may not write.
    pub fn of(statement: Query<T>) -> Self {
        Self { writes: Vec::new(), readback: statement }
    }

    /// What it is called: the name of its first statement.
    pub fn name(&self) -> &'static str {
        self.writes.first().unwrap_or(&self.readback.statement).text().name()
    }

    /// Every statement, in order.
    pub fn statements(&self) -> impl Iterator<Item = &Statement> {
        self.writes.iter().chain([&self.readback.statement])
    }
}

/// How the message of an error is read: `None` if it is that of another error.
pub type Understand<T> = fn(&str) -> Option<Result<T, DecodeError>>;

/// Writes that are tried and not kept: the last statement raises, whatever happens, and what
/// it would have told is in its message.
pub struct FailingBatch<T> {
    /// The writes, in order.
    pub writes: Vec<Statement>,
    /// The statement that raises.
    pub raise: Statement,
    understand: Understand<T>,
}

impl<T> FailingBatch<T> {
    /// Writes, and the statement that raises. What `understand` makes of an error's message is
    /// the answer; `None` if the message is that of another error.
    pub fn new(writes: Vec<Statement>, raise: Statement, understand: Understand<T>) -> Self {
        Self { writes, raise, understand }
    }

    /// Every statement, in order.
    pub fn statements(&self) -> impl Iterator<Item = &Statement> {
        self.writes.iter().chain([&self.raise])
    }

    /// What the message of an error tells; `None` if it is that of another error.
    pub fn understand(&self, message: &str) -> Option<Result<T, DecodeError>> {
        (self.understand)(message)
    }
}

#[cfg(test)]
mod tests {
    use super::SqlText;

    #[test]
    fn a_text_that_d1_would_not_take_is_not_built() {
        let built = |sql: String| std::panic::catch_unwind(|| SqlText::new("test/text", sql)).is_ok();
        assert!(built(format!("SELECT '{}'", "x".repeat(99_991))));
        assert!(!built(format!("SELECT '{}'", "x".repeat(99_992))));
        assert!(built("SELECT ?100".to_owned()));
        assert!(!built("SELECT ?101".to_owned()));
    }

    #[test]
    fn what_is_not_one_statement_with_numbered_parameters_is_not_built() {
        let built = |sql: &str| {
            let sql = sql.to_owned();
            std::panic::catch_unwind(|| SqlText::new("test/text", sql)).is_ok()
        };
        assert!(built("SELECT ';--/*\"`$?', ?1 - -1"));
        for sql in [
            "SELECT 1; SELECT 2",
            "SELECT 1 -- ?1",
            "SELECT 1 /* ?1 */",
            "SELECT \"?1\"",
            "SELECT `?1`",
            "SELECT $1",
            "SELECT ?",
            "SELECT ?0",
        ] {
            assert!(!built(sql), "{sql}");
        }
    }

    #[test]
    fn parameters_are_counted_outside_of_quotes() {
        for (sql, arity) in [
            ("SELECT 1", 0),
            ("SELECT ?1, ?2, ?1", 2),
            ("SELECT '?9', ?1", 1),
            ("SELECT ?12", 12),
            ("SELECT 'it''s ?3', ?2", 2),
        ] {
            assert_eq!(SqlText::new("test/text", sql.to_owned()).arity(), arity, "{sql}");
        }
    }
}
