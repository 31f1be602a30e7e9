//! The name of an entry, and how long it is used.

use super::{Mutation, Part, Policy};

pub(super) fn mutations() -> Vec<Mutation> {
    let new = |clause: &str, danger, policy| Mutation::of_policy(Part::Cache, clause, danger, policy);
    vec![
        new(
            "the publication revision in the name",
            "a page that was published or taken back stays as it was",
            Policy::KeyLacks(&["r"]),
        ),
        new(
            "the bank's revision in the name",
            "today's game stays as it was before a correction",
            Policy::KeyLacks(&["b"]),
        ),
        new(
            "the epoch in the name",
            "after the clock has jumped back, an answer is public before its time",
            Policy::KeyLacks(&["e"]),
        ),
        new("the address in the name", "one page is shown for another", Policy::KeyLacksPath),
        new(
            "a page is kept under the revision that came with its content",
            "new content is kept under an old name",
            Policy::KeptUnderRequest,
        ),
        new(
            "an entry is compared with what was asked for",
            "a cache that mixes up two entries shows one for the other",
            Policy::EntryNotCompared,
        ),
        new(
            "an entry ends with its stretch of time",
            "a page of before an instant is shown after it",
            Policy::EntryNeverExpires,
        ),
        new(
            "the revision is asked for by every request",
            "a page is old for as long as its revision is remembered",
            Policy::RevisionRemembered,
        ),
    ]
}
