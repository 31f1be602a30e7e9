//! The invariants, by name.

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $sentence:literal;)*) => {
        /// Something that must hold after every step.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Rule {
            $($(#[$doc])* $name,)*
        }

        impl Rule {
            /// Every invariant.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// What must hold.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $sentence,)* }
            }
        }
    };
}

rules! {
    /// Promise 1.
    RevisionsDense = "the receipts' revisions are exactly 1 to the publication revision";
    /// Promise 4.
    PageLedgerReceipt = "page, ledger and receipt go together";
    /// Promise 1.
    VersionCountsReceipts = "a page's version is the number of its receipts";
    /// Promise 1.
    PublishedOnce = "a page is published once, and its changes follow each other lawfully";
    /// Leases are never deleted, and fences never fall.
    FencesNeverFall = "fences never fall, in leases and in receipts";
    /// Claims, renewals and releases.
    LeaseIsItsHolders = "a lease is changed by its holder alone, and does not come back to life";
    /// Claims.
    MovedByHolder = "an item is taken in hand, given back and taken back by the holder of its lease";
    /// Claims.
    LeasedWhenRipe = "a job leases only what is to come out, is due and has rested";
    /// The keys of statements.
    OneAtATime = "a call changes the lease and the item of one puzzle, which is there; only an import changes many";
    /// The guard asks for it.
    WrittenUnderLease = "a commit is made by the holder of a live lease";
    /// So that the next one need not wait.
    LeaseEnds = "a commit ends its lease";
    /// Promise 1.
    CommittedOnce = "one run or action changes a page once";
    /// The guard asks for it.
    ContentOfTheBank = "what is published is what the bank had, and differs from what was published before";
    /// The guard asks for it.
    PhotoOfTheBank = "a page shows the photo that is stored for the bank's row";
    /// One-way rules.
    OneWay = "an indexable page stays so, and a photo is not lost";
    /// The quota.
    QuotaKept = "no more is published on a day than the quota allows, and it counts right";
    /// The embargo, in the ledger.
    EmbargoKept = "nothing is committed before it is due";
    /// The pause.
    PauseKept = "nothing becomes public while the site is paused";
    /// What jobs do about items that are late.
    LateLeftAlone = "a job publishes nothing that is later than jobs may publish";
    /// Who, when and why.
    Traced = "what a person changes leaves a trace with it, once, and nothing else leaves one";
    /// The ledger's states.
    LawfulMoves = "an item moves only as the ledger's rules allow";
    /// The bank's revision.
    BankRevision = "the bank's revision grows by one with every change that shows, and with no other";
    /// The calendar.
    Calendar = "every instant at which an answer changes by itself is in the calendar";
    /// Imports, and moves of an answer.
    CorrectionsStay = "a late import does not undo a correction, nor a late move another";
    /// Imports.
    ImportsTrue = "an import that is told as done is in the bank, and one that is refused had a reason";
    /// Photos.
    StoredOnce = "each photo is stored once, under the hash of its bytes";
    /// Photos.
    PhotoStays = "a photo that is stored for an address stays its photo";
    /// Photos.
    PhotosThere = "a photo that is recorded as ready is stored";
    /// Reports.
    ReportsTrue = "what is reported as done was done, and what has a receipt is not reported as refused";
    /// The texts agree with each other.
    StoreAgrees = "the database refuses no statement, and no assertion fails";
    /// Promise 2.
    Fresh = "no answer is older than what was committed before its request began";
    /// Promise 3.
    NothingEarly = "no embargoed byte is served";
    /// Promise 5.
    LoudOnlyWhenTroubled = "a request fails only where something failed, and then with 503";
    /// Liveness.
    EverythingComesOut = "once faults stop, what is due comes out as fast as quota and budget allow";
    /// Liveness.
    NothingStaysInHand = "once faults stop, nothing stays in hand";
    /// A pause and a quota stop publications alone.
    TakenBackWhilePaused = "once faults stop, a page can be taken back while the site is paused";
    /// Whoever looks is told that nobody works.
    SilenceTold = "once faults stop, a job that ends no run for two intervals is an alert, until it ends one";
    /// The verifier sees no more and no less.
    VerifierAgrees = "the verifier finds nothing in a sound database";
}
