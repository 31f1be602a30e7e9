//! What the verifier finds.

use serde::Serialize;

/// One violation of an invariant.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Violation {
    /// The invariant, as a short word: `page_without_receipt`.
    pub rule: String,
    /// What violates it: `puzzle 1121`.
    pub subject: String,
    /// What was found and what was expected.
    pub detail: String,
}
