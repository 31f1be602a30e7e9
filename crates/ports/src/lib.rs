//! The driven ports: what the use cases ask of the world.
//!
//! Every trait is plain `#[async_trait]` with `Send + Sync` on every target, so that
//! one router serves them all; an adapter whose futures are not `Send` hides that.
//! A port's documentation says what an adapter MUST do; the feature `contract` holds
//! the suite that every adapter has to pass, `memory` the reference model that
//! passes it by applying the domain's rules to plain collections, and `mock` mocks
//! for failures and call order.
//!
//! Only values cross a port. A lost race is one of them; [`StoreError`] means that
//! the store itself misbehaved.

/// The values that cross the ports, all of them the domain's.
pub use fencepost_domain::{
    bank_edit::{BankEdit, ImportReadback, RefusedRow, RowRefusal},
    commit::CommitTrace,
    episode::{AlertLook, Turned, Turns},
    item_view::{ItemDetail, ItemSummary, Rescheduled},
    job::{FinishedRun, Heartbeat, HeldLease, Job, JobRun, LoggedRun, Overview, RecentBuild, Vitals},
    outbox::{
        ClaimedEvent, DeliveryEnd, Event, EventId, EventKind, EventState, OutboxEntry, OutboxTally,
        OutboxWork,
    },
    play::Play,
    preflight::{Begin, ImagePreflight, ImageRecord, Preflight},
    reading::{AnswerView, FeedEntry, Home, ListedAnswer, Neighbour, OpenPuzzle, SitemapEntry, Snapshot},
    results::{DayStats, Recorded, ResultReport},
    violation::{ReferencedImage, Schema, StoredRow, Violation},
    work::{Position, Runnable, RunnableItem, Wake},
};

/// What every store has in common, and what has nothing to do with a site.
pub use fencepost_core::{
    CallCost, CallTotals, StoreCounts, StoreError, StoreErrorKind, Timer, TokenSource,
    budget::{Budget, Exhausted, Kept},
};

mod lease_store;
pub use lease_store::LeaseStore;

mod publication_ledger;
pub use publication_ledger::PublicationLedger;

mod action_log;
pub use action_log::ActionLog;

mod answer_posts;
pub use answer_posts::AnswerPosts;

mod revision_source;
pub use revision_source::RevisionSource;

mod puzzle_bank;
pub use puzzle_bank::PuzzleBank;

mod source_images;
pub use source_images::SourceImages;

mod results_log;
pub use results_log::ResultsLog;

mod job_runs;
pub use job_runs::JobRuns;

mod outbox;
pub use outbox::Outbox;

mod alert_log;
pub use alert_log::AlertLog;
mod exports;
pub use exports::Exports;

mod verifier;
pub use verifier::Verifier;

mod blob_store;
pub use blob_store::{Blob, BlobError, BlobStore, PutOutcome};

mod edge_cache;
pub use edge_cache::{CacheEntry, CacheError, EdgeCache, NoCache, Reply, Retry};

mod image_source;
pub use image_source::{FetchError, FetchedImage, ImageSource};

mod webhook;
pub use webhook::{Notice, Webhook, WebhookError};

mod site_names;
pub use site_names::SiteNames;

mod stores;
pub use stores::Stores;

#[cfg(feature = "memory")]
pub mod memory;

#[cfg(feature = "contract")]
pub mod contract;

/// Mocks of the ports, for failures and the order of calls. Behaviour is tested on the
/// reference model and on the real stores.
#[cfg(feature = "mock")]
pub mod mock {
    pub use super::{
        action_log::MockActionLog, alert_log::MockAlertLog, answer_posts::MockAnswerPosts,
        blob_store::MockBlobStore, edge_cache::MockEdgeCache, exports::MockExports,
        image_source::MockImageSource, job_runs::MockJobRuns, lease_store::MockLeaseStore,
        outbox::MockOutbox, publication_ledger::MockPublicationLedger, puzzle_bank::MockPuzzleBank,
        results_log::MockResultsLog, revision_source::MockRevisionSource, source_images::MockSourceImages,
        verifier::MockVerifier, webhook::MockWebhook,
    };
    pub use fencepost_core::mock::{MockTimer, MockTokenSource};
}
