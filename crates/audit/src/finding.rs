//! What an audit found.

use std::collections::BTreeSet;

use fencepost_domain::{id::PuzzleId, time::UnixMillis};
use serde::Serialize;

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An answer holds something that is secret.
    EmbargoedBytes,
    /// What comes with an answer is there before it.
    TooEarly,
    /// A puzzle that nobody may know of is answered otherwise than a number that was never used.
    ToldApart,
    /// `HEAD` is answered otherwise than `GET`.
    HeadDiffers,
    /// The same question was answered in two ways, although nothing changed in between.
    WarmDiffers,
}

/// Something that the site should not have told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What is wrong.
    pub kind: Kind,
    /// The request.
    pub surface: String,
    /// The latest instant at which the answer can have been made, by the site's clock.
    pub at: UnixMillis,
    /// Whose secret it is.
    pub puzzle_id: Option<PuzzleId>,
    /// Which secret, or which part of the answer differs.
    pub what: String,
    /// The words around it, or the two values that differ.
    pub evidence: String,
}

/// A spelling of a secret that cannot be looked for, since it means something else as well.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Skipped {
    /// Whose secret it is.
    pub puzzle_id: PuzzleId,
    /// Which.
    pub what: String,
    /// Why it is no sign.
    pub why: String,
}

/// All that was found, and what could not be looked for.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Report {
    /// How many requests were made.
    pub requests: usize,
    /// How many guesses were judged.
    pub guesses: usize,
    /// The addresses that were asked for, without their spellings and conditions.
    pub addresses: BTreeSet<String>,
    /// What should not have been told, once per request and secret.
    pub findings: Vec<Finding>,
    /// What was not looked for.
    pub skipped: BTreeSet<Skipped>,
    /// Comparisons that the site's own changes, or its faults, got in the way of.
    pub unsettled: BTreeSet<String>,
}

impl Report {
    pub(crate) fn find(&mut self, finding: Finding) {
        let is_same = |known: &Finding| {
            (known.kind, &known.surface, known.puzzle_id, &known.what)
                == (finding.kind, &finding.surface, finding.puzzle_id, &finding.what)
        };
        if !self.findings.iter().any(is_same) {
            self.findings.push(finding);
        }
    }

    /// Adds what another walk found.
    pub fn absorb(&mut self, other: Self) {
        self.requests += other.requests;
        self.guesses += other.guesses;
        self.addresses.extend(other.addresses);
        self.skipped.extend(other.skipped);
        self.unsettled.extend(other.unsettled);
        for finding in other.findings {
            self.find(finding);
        }
    }
}
