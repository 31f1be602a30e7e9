//! What can go wrong, and how often.
//!
//! Whether a fault happens is drawn by the actor whom it would hit, at every opportunity.
//! A schedule does not use all faults: each seed switches some of them off and others up,
//! since a bug that needs two faults together is found sooner where the others are quiet.

use std::collections::BTreeSet;

use crate::dice::Dice;

macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident = $word:literal, $rate:literal;)*) => {
        /// Something that goes wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Fault {
            $($(#[$doc])* $name,)*
        }

        impl Fault {
            /// Every fault.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// What it is called.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }

            /// At how many of 10,000 opportunities it happens, in a schedule that has it.
            const fn rate(self) -> u32 {
                match self { $(Self::$name => $rate,)* }
            }
        }
    };
}

faults! {
    /// A request to the database never arrives.
    RequestLost = "database: request lost", 150;
    /// A request is carried out, and its answer never arrives.
    AnswerLost = "database: answer lost after the write", 250;
    /// A write arrives after its sender gave up.
    DeliveredLate = "database: write delivered after its sender gave up", 250;
    /// From now on, several writes of a worker arrive after it gave up.
    CutOff = "database: a worker cut off, whose writes all arrive late", 60;
    /// The database refuses everything for a while.
    Overloaded = "database: overloaded for a while", 5_000;
    /// The clock moves between two statements of one batch.
    ClockDrifts = "database: clock moves within a batch", 600;
    /// The database's clock jumps forward.
    ClockJumpsForward = "database: clock jumps forward", 2_500;
    /// The database's clock jumps back.
    ClockJumpsBack = "database: clock jumps back", 2_500;
    /// Somebody empties the table of leases.
    LeasesForgotten = "database: rows of leases deleted by hand", 1_500;
    /// A worker stands still for longer than a lease lives.
    Stall = "worker: stalls longer than the lease", 120;
    /// A worker dies where it stands.
    Death = "worker: dies at an await", 900;
    /// A worker's clock is hours off.
    ClockSkewed = "worker: clock skewed by hours", 2_000;
    /// A cron fires several times.
    CronRepeated = "cron: fired several times", 3_000;
    /// A cron fires late.
    CronLate = "cron: fired late", 1_500;
    /// A cron does not fire.
    CronMissed = "cron: not fired", 1_200;
    /// The photo's host has trouble that may pass.
    PhotoFails = "photo: host fails", 1_500;
    /// The photo's host says that there is no such photo.
    PhotoRefused = "photo: host refuses for good", 400;
    /// The photo takes its time.
    PhotoSlow = "photo: slow", 2_000;
    /// The host gives other bytes than before.
    PhotoChanges = "photo: other bytes at the same address", 1_500;
    /// The photo is not stored, and that is told.
    BlobLost = "photo store: put lost", 800;
    /// The photo is stored, and a failure is told.
    BlobAnswerLost = "photo store: answer of a put lost", 800;
    /// The photo store does not give a photo.
    BlobUnreadable = "photo store: cannot be read", 400;
    /// The cache does not answer.
    CacheFails = "cache: cannot be read", 300;
    /// The cache gives back another entry than was asked for.
    CacheConfused = "cache: another entry given back", 300;
    /// A page is not kept.
    CachePutDropped = "cache: put dropped", 500;
    /// A page is kept later than it was given.
    CachePutDelayed = "cache: put delayed", 1_500;
    /// A page is kept in another data centre as well.
    CachePutMisdelivered = "cache: put delivered to the wrong data centre", 1_500;
}

impl Fault {
    /// Whether a request that it hits may fail. A cache costs speed, a clock and a stall cost
    /// time, and a worker that dies answers nothing: none of these is an excuse.
    pub(crate) const fn excuses(self) -> bool {
        matches!(
            self,
            Self::RequestLost | Self::AnswerLost | Self::DeliveredLate | Self::CutOff | Self::BlobUnreadable
        )
    }
}

/// Which faults there may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    faults: BTreeSet<Fault>,
}

impl Profile {
    /// Every fault.
    pub fn all() -> Self {
        Self { faults: Fault::ALL.iter().copied().collect() }
    }

    /// No fault.
    pub fn none() -> Self {
        Self { faults: BTreeSet::new() }
    }

    /// The profile of this name: `all`, `none`, or the word before the colon of some faults.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "all" => return Some(Self::all()),
            "none" => return Some(Self::none()),
            _ => {}
        }
        let prefix = format!("{name}:");
        let faults: BTreeSet<_> =
            Fault::ALL.iter().copied().filter(|fault| fault.as_str().starts_with(&prefix)).collect();
        (!faults.is_empty()).then_some(Self { faults })
    }

    /// What the faults of one schedule are.
    pub(crate) fn rates(&self, dice: &mut Dice) -> Rates {
        let mut rates = Rates([0; Fault::ALL.len()]);
        for fault in Fault::ALL {
            let (is_off, boost) = (dice.happens(2_500), dice.between(0, 2));
            if !is_off && self.faults.contains(fault) {
                rates.0[*fault as usize] = fault.rate() << boost >> 1;
            }
        }
        rates
    }
}

/// How often each fault happens in one schedule, of 10,000 opportunities.
#[derive(Clone, Debug)]
pub(crate) struct Rates([u32; Fault::ALL.len()]);

impl Rates {
    pub(crate) fn of(&self, fault: Fault) -> u32 {
        self.0[fault as usize]
    }

    /// No fault from now on.
    pub(crate) fn calm(&mut self) {
        self.0 = [0; Fault::ALL.len()];
    }
}
