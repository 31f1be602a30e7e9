//! What could be wrong with the protocol: one switch for each rule that it is made of.
//!
//! The protocol has no flaw. Each of these takes one rule out, to see whether it is needed, and
//! whether the promises of this model are able to notice.

/// One rule taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// Every attempt of a run writes the token of its first one.
    SameToken,
    /// The guard of a commit asks nothing about the lease.
    LeaseUnasked,
    /// The guard of a commit asks for the owner of a live lease, and not for its fence.
    FenceUnasked,
    /// The guard of a commit asks for the fence of a live lease, and not for its owner.
    OwnerUnasked,
    /// The guard of a commit asks for no live lease, only for its owner and fence.
    ExpiryUnasked,
    /// The guard of a commit asks nothing about the state of the item.
    StateUnasked,
    /// The guard of a commit asks nothing about the version of the page.
    VersionUnasked,
    /// The item is moved whether or not the token landed.
    ItemUnlinked,
    /// The revision is raised whether or not the token landed.
    RevisionUnlinked,
    /// A receipt is written whether or not the token landed.
    ReceiptUnlinked,
    /// The quota is counted whether or not the token landed.
    QuotaUnlinked,
    /// The batch ends without its assertion.
    Unasserted,
    /// The table of receipts has no keys: no token, revision or version is unique in it.
    ReceiptsUnkeyed,
    /// A receipt that would violate a key is not written, and that is no error.
    ReceiptsForgiving,
    /// A commit counts as landed when it raised no error.
    NoErrorIsSuccess,
    /// Whether an attempt landed is looked up on the page, not among the receipts.
    PageInsteadOfReceipts,
    /// A claim that the lease changes hands by leaves the fence as it was.
    FenceUnraised,
    /// A claim passes over an item that is in process, whoever has it in hand.
    ProcessingPassedOver,
    /// A claim takes a lease that is live in other hands.
    LiveLeaseTaken,
    /// An item is given back, or withdrawn before publication, by whoever asks.
    HolderUnasked,
    /// Whoever has no answer to a commit reports a refusal, and looks nothing up.
    SilenceIsRefusal,
}

/// A set of flaws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flaws(u32);

impl Flaws {
    /// The protocol as it is.
    pub const NONE: Self = Self(0);

    /// These, and no other.
    pub const fn of(flaws: &[Flaw]) -> Self {
        let mut bits = 0;
        let mut at = 0;
        while at < flaws.len() {
            bits |= bit(flaws[at]);
            at += 1;
        }
        Self(bits)
    }

    /// Whether this is one of them.
    pub const fn has(self, flaw: Flaw) -> bool {
        self.0 & bit(flaw) != 0
    }
}

const fn bit(flaw: Flaw) -> u32 {
    1 << flaw as u32
}
