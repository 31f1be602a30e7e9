//! The one way to ask what time it is.
//!
//! Leases, due instants and visibility are decided by the database's clock, read inside
//! the statement: workers' clocks may be skewed, and a Worker's stands still between
//! two answers. Every text that needs the time takes one parameter for it, the *clock
//! argument*:
//!
//! - NULL is the database's clock: production.
//! - An integer is this very instant: tests, in which time is an argument, and reads
//!   that follow an earlier one of the same request.
//! - A text such as `'-600000'` is the database's clock shifted by so many
//!   milliseconds: a running site outside of production that is looked at as of another
//!   time.
//!
//! Within one statement SQLite's clock stands still; between two statements of a batch
//! it does not. So a batch reads it once, in its guarded first statement, and the later
//! ones take the instant from the row that this one wrote.

/// The instant that the clock argument, `?1`, stands for. SQLite evaluates it once, so
/// it can bound the walk along an index.
macro_rules! now {
    () => {
        "CASE typeof(?1) \
         WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) \
         WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) \
         ELSE CAST(?1 AS INTEGER) END"
    };
}

/// The instant as an expression, for statements whose order comes from an index: a join
/// with [`CLOCK`], which the planner does not know to have one row, would need sorting.
pub const NOW: &str = concat!("(", now!(), ")");

/// The instant as a derived table `clock (now)`, to be put after FROM.
pub const CLOCK: &str = concat!("(SELECT ", now!(), " AS now) AS clock");

/// [`CLOCK`] for a statement whose clock argument is another parameter than `?1`, such as `?9`.
pub fn clock_from(argument: &str) -> String {
    CLOCK.replace("?1", argument)
}

/// What an adapter binds for [`Value::Clock`](crate::Value::Clock).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockArgument {
    /// The database's clock.
    Database,
    /// The database's clock, shifted by so many milliseconds.
    ShiftedBy(i64),
    /// This very instant, in milliseconds since the epoch.
    At(i64),
}

impl ClockArgument {
    /// The parameter's value, which is no [`Value::Clock`](crate::Value::Clock).
    ///
    /// ```
    /// use fencepost_batch::{Value, clock::ClockArgument};
    ///
    /// assert_eq!(ClockArgument::Database.value(), Value::Null);
    /// assert_eq!(ClockArgument::ShiftedBy(-600_000).value(), Value::from("-600000"));
    /// assert_eq!(ClockArgument::At(7).value(), Value::Integer(7));
    /// ```
    pub fn value(self) -> crate::Value {
        match self {
            Self::Database => crate::Value::Null,
            Self::ShiftedBy(ms) => crate::Value::Text(ms.to_string()),
            Self::At(instant) => crate::Value::Integer(instant),
        }
    }
}
