//! The guard: the conditions under which a batch may land.
//!
//! Each stands in the statement that marks the row, where it decides, and as a column of the
//! read-back, where it tells why an attempt did not land.

use std::{fmt, marker::PhantomData};

use crate::{
    Marked,
    fragment::{name, part},
    lease_store::lease_is_live,
    marked::version,
};

/// The number of the first parameter that a text is given beside those that every text of a
/// batch has.
pub const OWN: usize = 8;

/// How many conditions every guard begins with.
pub(crate) const IN_EVERY_GUARD: usize = 4;

/// What a read-back tells besides the conditions, under names that no condition may have.
pub(crate) const TOLD: [&str; 3] = ["assertion", "landed", "row_version"];

/// Conditions, all of which must hold. The first four are always the same: the lease is still
/// the writer's, has not changed hands since, and is live; and the row is at the version that
/// the writer has seen.
///
/// Conditions of one's own see these parameters, and further ones from `?8` on. Every text of a
/// batch has the same ones:
///
/// | parameter | value |
/// |---|---|
/// | `?1` | the clock argument; the instant itself is `clock.now` |
/// | `?2` | the key of the row |
/// | `?3`, `?4`, `?5` | the lease: key, owner, fence |
/// | `?6` | the version of the row that was seen; 0 without a row |
/// | `?7` | the token of the attempt |
///
/// There is no guard without the lease.
///
/// ```
/// # use fencepost_batch::Marked;
/// # enum Invoice {}
/// # impl Marked for Invoice {
/// #     type Key = i64;
/// #     type LeaseKey = String;
/// #     const TABLE: &'static str = "invoices";
/// #     const KEY: &'static str = "invoice_id";
/// #     const RECEIPTS: &'static str = "invoice_receipts";
/// #     fn lease_key(key: &i64) -> String { format!("invoice:{key}") }
/// # }
/// use fencepost_batch::Guard;
///
/// let due = "(SELECT i.due_at FROM invoices AS i WHERE i.invoice_id = ?2) <= clock.now";
/// let guard = Guard::<Invoice>::under_lease().and("due", due);
/// let names: Vec<_> = guard.names().collect();
/// assert_eq!(names, ["lease_owner", "lease_fence", "lease_live", "version", "due"]);
/// ```
pub struct Guard<M> {
    conditions: Conditions,
    row: PhantomData<fn() -> M>,
}

impl<M> Clone for Guard<M> {
    fn clone(&self) -> Self {
        Self { conditions: self.conditions.clone(), row: PhantomData }
    }
}

impl<M> fmt::Debug for Guard<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.conditions.iter().map(|(name, sql)| (name, sql))).finish()
    }
}

/// Names and SQL, as a text has them that was made with a guard.
pub(crate) type Conditions = Vec<(&'static str, String)>;

impl<M: Marked> Guard<M> {
    /// The conditions that every guard has.
    ///
    /// # Panics
    /// If the [table](Marked) or one of its columns has a name that needs quotes.
    pub fn under_lease() -> Self {
        for of_table in [M::TABLE, M::ALIAS, M::KEY, M::TOKEN, M::VERSION, M::AT, M::RECEIPTS] {
            name("name of a table or column", of_table);
        }
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
    /// If `sql` is no condition: what it looks up stands in parentheses. If the name is not of
    /// letters, digits and underscores, or is taken: by another condition, or by what a read-back
    /// tells in any case, which are `assertion`, `landed` and `row_version`.
    #[must_use]
    #[track_caller]
    pub fn and(mut self, condition: &'static str, sql: impl Into<String>) -> Self {
        name("name of a condition", condition);
        let is_taken = TOLD.contains(&condition) || self.names().any(|name| name == condition);
        assert!(!is_taken, "two columns of the read-back would be called {condition:?}");
        self.conditions.push((condition, part("condition", &sql.into()).to_owned()));
        self
    }

    /// The names of its conditions, in order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.conditions.iter().map(|(name, _)| *name)
    }

    /// The conditions as SQL, by their names, in order.
    pub fn conditions(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.conditions.iter().map(|(name, sql)| (*name, sql.as_str()))
    }

    pub(crate) fn to_conditions(&self) -> Conditions {
        self.conditions.clone()
    }

    /// All of them, to be put after WHERE.
    pub(crate) fn conjunction(&self) -> String {
        self.conditions.iter().map(|(_, sql)| bracketed(sql)).collect::<Vec<_>>().join("\n  AND ")
    }

    /// A column for each, 1 or 0. The name of a condition may be a word of SQL, such as `order`, so
    /// it stands in quotes, of the kind that are allowed here.
    pub(crate) fn columns(&self) -> String {
        let told = |(name, sql): &(&str, String)| format!("({sql}) IS TRUE AS '{name}'");
        self.conditions.iter().map(told).collect::<Vec<_>>().join(",\n  ")
    }
}

/// A condition that nothing beside it is drawn into.
fn bracketed(sql: &str) -> String {
    format!("({sql})")
}

#[cfg(test)]
mod tests {
    use crate::{Guard, Marked};

    enum Invoice {}

    impl Marked for Invoice {
        type Key = i64;
        type LeaseKey = String;
        const TABLE: &'static str = "invoices";
        const KEY: &'static str = "invoice_id";
        const RECEIPTS: &'static str = "invoice_receipts";

        fn lease_key(key: &i64) -> String {
            format!("invoice:{key}")
        }
    }

    #[test]
    fn a_condition_has_a_name_of_its_own() {
        let is_taken = |name: &'static str| {
            std::panic::catch_unwind(|| Guard::<Invoice>::under_lease().and("due", "true").and(name, "true"))
                .is_ok()
        };
        for name in ["paid", "order"] {
            assert!(is_taken(name), "{name:?}");
        }
        for name in ["due", "version", "lease_live", "landed", "row_version", "assertion", "is it due?", ""] {
            assert!(!is_taken(name), "{name:?}");
        }
    }
}
