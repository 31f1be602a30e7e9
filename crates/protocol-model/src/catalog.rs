//! What is explored: the protocol within several bounds, and its flaws.

use crate::{
    actor::Tries,
    flaw::{Flaw, Flaws},
    message::Task,
    model::{Bounds, Protocol, Sought},
    promises::PROMISES,
};

/// The protocol as it is, within some bounds.
pub struct Configuration {
    /// What it is about.
    pub name: &'static str,
    /// How far it goes.
    pub bounds: Bounds,
}

/// The protocol without some of its rules.
pub struct Variant {
    /// What is wrong with it.
    pub name: &'static str,
    /// The rules that are taken out.
    pub flaws: Flaws,
    /// How far it is searched.
    pub bounds: Bounds,
    /// What comes of it.
    pub verdict: Verdict,
}

/// What comes of a flaw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// This promise is broken.
    Breaks(&'static str),
    /// No promise is broken, within these bounds: another rule stands behind the one that is
    /// gone.
    Withstands,
}

/// The protocol as it is.
pub static CONFIGURATIONS: [Configuration; 5] = [
    Configuration {
        name: "two workers, one run each, three tries of everything, two late messages",
        bounds: workers(1, 3, 2),
    },
    Configuration {
        name: "two workers, two runs each, two tries, one late message",
        bounds: workers(2, 2, 1),
    },
    Configuration {
        name: "two workers, three runs each, one try, one late message",
        bounds: workers(3, 1, 1),
    },
    Configuration {
        name: "two workers, one run each, and an operator who withdraws and reinstates; \
               two tries of a commit, one of the rest, one late message",
        bounds: Bounds {
            tries: Tries { begin: 1, commit: 2, end: 1 },
            ..operated(workers(1, 1, 1), &[Task::Withdraw, Task::Reinstate])
        },
    },
    Configuration {
        name: "two workers, one run each, and an operator who withdraws, reinstates and withdraws; \
               one try, one late message",
        bounds: operated(workers(1, 1, 1), &[Task::Withdraw, Task::Reinstate, Task::Withdraw]),
    },
];

const SMALL: Bounds = workers(1, 2, 1);
const CROWDED: Bounds = workers(1, 2, 2);
const OPERATED: Bounds = operated(workers(1, 1, 1), &[Task::Withdraw, Task::Reinstate]);

/// The protocol without some of its rules.
pub static VARIANTS: [Variant; 28] = {
    use Flaw::*;
    [
        breaks("the guard asks nothing about the lease", &[LeaseUnasked], SMALL, HOLDER),
        breaks(
            "the guard asks nothing about the lease: what was given up comes out of other hands",
            &[LeaseUnasked],
            SMALL,
            GIVEN_BACK,
        ),
        breaks(
            "the guard asks for the owner of the lease, and not for its fence",
            &[FenceUnasked],
            CROWDED,
            GIVEN_BACK,
        ),
        withstands(
            "the guard does not ask for the owner: no two owners have one fence",
            &[OwnerUnasked],
            SMALL,
        ),
        breaks(
            "the guard asks for owner and fence, and not whether the lease is live",
            &[ExpiryUnasked],
            SMALL,
            HOLDER,
        ),
        breaks(
            "the guard asks for the version only: an item comes out that was withdrawn",
            &[LeaseUnasked, StateUnasked],
            OPERATED,
            "what the operator has withdrawn stays withdrawn until it is reinstated",
        ),
        breaks(
            "the guard asks for the state only: a late withdrawal undoes a reinstatement",
            &[LeaseUnasked, VersionUnasked],
            operated(workers(1, 2, 1), &[Task::Withdraw, Task::Reinstate]),
            "the fences of the receipts never fall",
        ),
        withstands(
            "the guard asks for the lease only: here, nobody moves item or page without it",
            &[StateUnasked, VersionUnasked],
            OPERATED,
        ),
        withstands(
            "a claim takes a live lease: the fence is what keeps the old holder out",
            &[LiveLeaseTaken],
            SMALL,
        ),
        breaks(
            "a claim does not raise the fence",
            &[FenceUnraised],
            SMALL,
            "no two runs have the same fence in hand",
        ),
        breaks(
            "a claim does not raise the fence: what was given up comes out after all",
            &[FenceUnraised],
            CROWDED,
            GIVEN_BACK,
        ),
        breaks(
            "a claim passes over an item that is in process",
            &[ProcessingPassedOver],
            SMALL,
            "whatever happened, one more run brings the page out, once",
        ),
        breaks(
            "giving back does not ask for the holder",
            &[HolderUnasked],
            SMALL,
            "what a worker's live lease covers is in hand",
        ),
        breaks(
            "the revision does not ask for the token, and nothing is asserted",
            &[RevisionUnlinked, Unasserted],
            SMALL,
            REVISIONS,
        ),
        withstands("the revision does not ask for the token: the assertion does", &[RevisionUnlinked], SMALL),
        breaks(
            "the item does not ask for the token, and nothing is asserted",
            &[ItemUnlinked, Unasserted],
            SMALL,
            "the state of the item is that of its page",
        ),
        withstands("the item does not ask for the token: the assertion does", &[ItemUnlinked], SMALL),
        breaks(
            "the receipt does not ask for the token, has no keys, and nothing is asserted",
            &[ReceiptUnlinked, ReceiptsUnkeyed, Unasserted],
            SMALL,
            "the page carries the token of the newest receipt",
        ),
        withstands(
            "the receipt does not ask for the token, and has no keys: the assertion does",
            &[ReceiptUnlinked, ReceiptsUnkeyed],
            SMALL,
        ),
        withstands(
            "the receipt does not ask for the token, and nothing is asserted: its keys do",
            &[ReceiptUnlinked, Unasserted],
            SMALL,
        ),
        breaks(
            "the quota does not ask for the token: the assertion knows nothing of it",
            &[QuotaUnlinked],
            SMALL,
            "the quota has counted every publication, and nothing else",
        ),
        breaks(
            "a retry has the same token, a second receipt is no error, and nothing is asserted",
            &[SameToken, ReceiptsForgiving, Unasserted],
            SMALL,
            REVISIONS,
        ),
        breaks(
            "a retry has the same token, and receipts have no keys: the assertion does not see it",
            &[SameToken, ReceiptsUnkeyed],
            SMALL,
            "a page is published at most once",
        ),
        withstands(
            "a retry has the same token, and a second receipt is no error: the assertion sees it",
            &[SameToken, ReceiptsForgiving],
            SMALL,
        ),
        withstands("a retry has the same token: the keys of the receipts see it", &[SameToken], SMALL),
        breaks("no error counts as success", &[NoErrorIsSuccess], SMALL, REPORTS),
        breaks("no answer counts as a refusal", &[SilenceIsRefusal], SMALL, REPORTS),
        breaks(
            "the token is looked for on the page, not among the receipts",
            &[PageInsteadOfReceipts],
            OPERATED,
            REPORTS,
        ),
    ]
};

const GIVEN_BACK: &str = "whoever has given the item back writes no more";
const HOLDER: &str = "whoever writes holds the live lease";
const REVISIONS: &str = "the receipts have the revisions from 1 to the site's, each once";
const REPORTS: &str = "whoever reports a commit has a receipt, and whoever reports none has none";

/// Two workers.
const fn workers(runs: u8, tries: u8, late: usize) -> Bounds {
    Bounds { runs, operator: &[], tries: Tries { begin: tries, commit: tries, end: 1 }, late }
}

/// And an operator.
const fn operated(bounds: Bounds, operator: &'static [Task]) -> Bounds {
    Bounds { operator, ..bounds }
}

const fn breaks(name: &'static str, flaws: &[Flaw], bounds: Bounds, promise: &'static str) -> Variant {
    Variant { name, flaws: Flaws::of(flaws), bounds, verdict: Verdict::Breaks(promise) }
}

const fn withstands(name: &'static str, flaws: &[Flaw], bounds: Bounds) -> Variant {
    Variant { name, flaws: Flaws::of(flaws), bounds, verdict: Verdict::Withstands }
}

impl Configuration {
    /// What is explored.
    pub const fn protocol(&self) -> Protocol {
        Protocol { bounds: self.bounds, flaws: Flaws::NONE, sought: Sought::Everything }
    }
}

impl Variant {
    /// What is explored: for the promise that it is said to break, or for any.
    pub fn protocol(&self) -> Protocol {
        let sought = match self.verdict {
            Verdict::Breaks(name) => {
                let promise = PROMISES.iter().find(|promise| promise.name == name);
                Sought::Breach(promise.expect("the catalog names promises that there are"))
            }
            Verdict::Withstands => Sought::AnyBreach,
        };
        Protocol { bounds: self.bounds, flaws: self.flaws, sought }
    }
}
