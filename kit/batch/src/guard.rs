//! The guard: the conditions under which a batch may land.
//!
//! Each stands in the statement that marks the row, where it decides, and as a column of the
//! read-back, where it tells why an attempt did not land.

use std::marker::PhantomData;

use crate::{Marked, fragment::part, lease_store::lease_is_live, marked::version};

/// The number of the first parameter that a text is given beside those that every guard has.
pub const OWN: usize = 8;

/// Conditions, all of which must hold. The first four are always the same: the lease is still
/// the writer's, has not changed hands since, and is live; and the row is at the version that
/// the writer has seen.
///
/// Conditions of one's own see these parameters, and further ones from `?8` on:
///
/// | parameter | value |
/// |---|---|
/// | `?1` | the clock argument; the instant itself is `clock.now` |
/// | `?2` | the key of the row |
/// | `?3`, `?4`, `?5` | the lease: key, owner, fence |
/// | `?6` | the version of the row that was seen; 0 without a row |
/// | `?7` | the token of the attempt |
#[derive(Clone, Debug)]
pub struct Guard<M> {
    conditions: Vec<(&'static str, String)>,
    row: PhantomData<fn() -> M>,
}

impl<M: Marked> Guard<M> {
    /// The conditions that every guard has.
    pub fn under_lease() -> Self {
        let lease = |what: &str| format!("(SELECT {what} FROM job_leases AS l WHERE l.key = ?3)");
        Self {
            conditions: vec![
                ("lease_owner", format!("{} = ?4", lease("l.owner_id"))),
                ("lease_fence", format!("{} = ?5", lease("l.fence"))),
                ("lease_live", lease(&lease_is_live("l", "clock.now"))),
                (M::VERSION, format!("{} = ?6", version::<M>())),
            ],
            row: PhantomData,
        }
    }

    /// One condition more. Its name is what it is told by if it does not hold. A condition that
    /// is NULL does not hold.
    ///
    /// # Panics
    /// If `sql` is no condition: what it looks up stands in parentheses.
    #[must_use]
    pub fn and(mut self, name: &'static str, sql: impl Into<String>) -> Self {
        self.conditions.push((name, part("condition", &sql.into()).to_owned()));
        self
    }

    /// The names of its conditions.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.conditions.iter().map(|(name, _)| *name)
    }

    /// The conditions as SQL, by their names.
    pub fn conditions(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.conditions.iter().map(|(name, sql)| (*name, sql.as_str()))
    }

    /// All of them, to be put after WHERE.
    pub(crate) fn conjunction(&self) -> String {
        self.conditions.iter().map(|(_, sql)| bracketed(sql)).collect::<Vec<_>>().join("\n  AND ")
    }

    /// A column for each, 1 or 0.
    pub(crate) fn columns(&self) -> String {
        let column = |(name, sql): &(&str, String)| format!("({sql}) IS TRUE AS {name}");
        self.conditions.iter().map(column).collect::<Vec<_>>().join(",\n  ")
    }
}

/// A condition that nothing beside it is drawn into.
fn bracketed(sql: &str) -> String {
    format!("({sql})")
}
