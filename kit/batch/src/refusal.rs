//! Why an attempt did not land.

use std::fmt;

/// Why an attempt did not land: what the read-back told of it, in the same batch.
///
/// Conditions are told by their names, and a row that is gone or has been changed makes many of
/// them untrue. So those that every guard has stand by themselves: if one of them did not hold,
/// somebody else was first, and the others are about what they left.
///
/// ```
/// use fencepost_batch::Refusal;
///
/// fn in_words(refusal: &Refusal<i64>) -> String {
///     match (&refusal.stale[..], &refusal.unmet[..]) {
///         ([], ["affordable"]) => format!("it takes {} credits", refusal.told),
///         ([], _) => format!("not allowed: {refusal}"),
///         _ => "somebody else was first; look again".to_owned(),
///     }
/// }
///
/// let refusal = Refusal { stale: vec![], unmet: vec!["affordable"], told: 12 };
/// assert_eq!(in_words(&refusal), "it takes 12 credits");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal<T = ()> {
    /// Those conditions of every guard that did not hold: `lease_owner`, `lease_fence` or
    /// `lease_live`, and that on the version, which is called as its column is.
    pub stale: Vec<&'static str>,
    /// Those of one's own that did not hold.
    ///
    /// If there are none, and nothing is stale either, there is no such row to be changed, or the
    /// time that a condition looks at has come between the write and the read-back.
    pub unmet: Vec<&'static str>,
    /// What the read-back told besides, such as what was lacking.
    pub told: T,
}

impl<T> Refusal<T> {
    /// All that did not hold, in the order of the guard.
    pub fn conditions(&self) -> impl Iterator<Item = &'static str> {
        self.stale.iter().chain(&self.unmet).copied()
    }
}

/// The names, with commas between them.
impl<T> fmt::Display for Refusal<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, name) in self.conditions().enumerate() {
            write!(f, "{}{name}", if nth > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}
