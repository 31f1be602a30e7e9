//! What became of attempts to commit that got no answer.
//!
//! No error tells. The receipts do: they outlive any later change of the page, so an
//! attempt that landed can be found whatever happened since. That there is no receipt says
//! less. If somebody else has changed the page, the attempt can never land any more, because
//! its guard names a version that is gone. If nobody has, it may still arrive.
//!
//! This file asks, and tries nothing: what follows from the answer is for
//! [`fencepost_core::landing`] to decide. What was found is counted, because every one of these
//! words is a fault of the network or the store that readers did not notice and an operator
//! should: a site whose commits are ever more often `not_seen` is about to be late.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

pub use fencepost_core::landing::Doubt;
use fencepost_core::landing::{self, Trace};
use fencepost_domain::{
    commit::{CommitTrace, Receipt},
    id::{CommitToken, ContentVersion, PuzzleId},
    resolution::Resolution,
    revision::Revision,
    time::UnixMillis,
};

use crate::Site;

/// Attempts of one commit that got no answer, and what they were prepared from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unanswered {
    /// Whose page they change.
    pub puzzle_id: PuzzleId,
    /// The version of the page that they expect; [`ContentVersion::NONE`] without a page.
    pub content_version: ContentVersion,
    /// From this instant on, the lease that they were made under may change hands.
    pub lease_ends: UnixMillis,
    /// The mark of each of them.
    pub tokens: Vec<CommitToken>,
}

/// What is told of a commit that landed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Landed {
    /// The page's version after it.
    pub content_version: ContentVersion,
    /// The site's revision after it.
    pub revision: Revision,
    /// When it landed, as far as the store told.
    pub committed_at: Option<UnixMillis>,
}

/// What became of attempts without an answer, and what follows from it.
pub type Resolved = landing::Resolved<Landed>;

impl Site {
    /// Finds out what became of attempts without an answer, counts it and logs it.
    ///
    /// A store that fails to answer is the resolution `unknown`, whatever its error: even a
    /// definite refusal of this question leaves open what became of the attempts.
    pub async fn resolve(&self, unanswered: &Unanswered) -> Resolved {
        let Unanswered { puzzle_id, tokens, .. } = unanswered;
        let resolved = match self.persistently(|| self.stores.ledger.trace(*puzzle_id, tokens)).await {
            Ok(trace) => traced(&trace, unanswered).judge(unanswered.lease_ends),
            Err(error) => Resolved::silence(error),
        };
        let resolution = resolved.resolution();
        self.resolutions.count(resolution);
        let attempts = tokens.len();
        match &resolved {
            Resolved::Unknown(Doubt::Silence(error)) => {
                tracing::warn!(puzzle = %puzzle_id, attempts, %resolution, %error, "what became of a commit is not to be learned");
            }
            _ => {
                tracing::warn!(puzzle = %puzzle_id, attempts, %resolution, "looked for the receipt of a commit without an answer");
            }
        }
        resolved
    }
}

fn traced(trace: &CommitTrace, unanswered: &Unanswered) -> Trace<Landed> {
    let landed = |receipt: &Receipt| Landed {
        content_version: receipt.content_version,
        revision: receipt.revision,
        committed_at: Some(receipt.committed_at),
    };
    Trace {
        now: trace.now,
        receipt: trace.receipt.as_ref().map(landed),
        is_unchanged: trace.content_version == unanswered.content_version,
    }
}

/// How often which resolution was found: since the process or the instance of the Worker
/// began, and by a run.
///
/// Clones count together. What is counted in a [`part`](Self::part) is counted in the whole
/// as well, so a run has a count of its own and takes nothing from the total.
#[derive(Clone, Debug, Default)]
pub struct Resolutions(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    counts: [AtomicU64; Resolution::ALL.len()],
    whole: Option<Resolutions>,
}

impl Resolutions {
    /// A count that begins at zero, and is part of this one.
    #[must_use]
    pub fn part(&self) -> Self {
        Self(Arc::new(Counts { whole: Some(self.clone()), ..Counts::default() }))
    }

    /// One more.
    pub fn count(&self, resolution: Resolution) {
        let counters = Resolution::ALL.iter().zip(&self.0.counts);
        for (_, counter) in counters.filter(|(it, _)| **it == resolution) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(whole) = &self.0.whole {
            whole.count(resolution);
        }
    }

    /// How often which was found; what never was is left out.
    pub fn counts(&self) -> BTreeMap<Resolution, u64> {
        let counters = Resolution::ALL.into_iter().zip(&self.0.counts);
        let counts = counters.map(|(resolution, counter)| (resolution, counter.load(Ordering::Relaxed)));
        // One by one: made of all at once, a map sorts them first, by a sort of its own.
        let mut found = BTreeMap::new();
        found.extend(counts.filter(|(_, count)| *count > 0));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_counts_for_itself_and_for_the_whole() {
        let whole = Resolutions::default();
        whole.count(Resolution::NotSeen);
        let (one, other) = (whole.part(), whole.part());
        one.count(Resolution::Committed);
        other.clone().count(Resolution::Committed);
        other.count(Resolution::Unknown);
        assert_eq!(one.counts(), BTreeMap::from([(Resolution::Committed, 1)]));
        assert_eq!(other.counts(), BTreeMap::from([(Resolution::Committed, 1), (Resolution::Unknown, 1)]));
        let total = [(Resolution::Committed, 2), (Resolution::NotSeen, 1), (Resolution::Unknown, 1)];
        assert_eq!(whole.counts(), BTreeMap::from(total));
    }
}
