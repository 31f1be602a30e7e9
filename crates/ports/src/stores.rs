//! The ports that one store implements, together.

use std::sync::Arc;

use crate::{
    ActionLog, AlertLog, AnswerPosts, Exports, JobRuns, LeaseStore, Outbox, PublicationLedger, PuzzleBank,
    ResultsLog, RevisionSource, SourceImages, Verifier,
};

/// The ports that one store implements.
#[derive(Clone)]
pub struct Stores {
    /// Leases.
    pub leases: Arc<dyn LeaseStore>,
    /// The ledger.
    pub ledger: Arc<dyn PublicationLedger>,
    /// The bank.
    pub bank: Arc<dyn PuzzleBank>,
    /// Photos.
    pub images: Arc<dyn SourceImages>,
    /// Published pages.
    pub posts: Arc<dyn AnswerPosts>,
    /// Time and revision.
    pub revisions: Arc<dyn RevisionSource>,
    /// Results of the daily game.
    pub results: Arc<dyn ResultsLog>,
    /// What people did.
    pub actions: Arc<dyn ActionLog>,
    /// The heartbeat.
    pub runs: Arc<dyn JobRuns>,
    /// What is told to others.
    pub outbox: Arc<dyn Outbox>,
    /// Alerts as others are told of them.
    pub alerts: Arc<dyn AlertLog>,
    /// All of it, from one end to the other.
    pub exports: Arc<dyn Exports>,
    /// The check.
    pub verifier: Arc<dyn Verifier>,
}

impl Stores {
    /// All the ports of one store.
    pub fn of<S>(store: Arc<S>) -> Self
    where
        S: LeaseStore
            + PublicationLedger
            + PuzzleBank
            + SourceImages
            + AnswerPosts
            + RevisionSource
            + ResultsLog
            + ActionLog
            + JobRuns
            + Outbox
            + AlertLog
            + Exports
            + Verifier
            + 'static,
    {
        Self {
            leases: store.clone(),
            ledger: store.clone(),
            bank: store.clone(),
            images: store.clone(),
            posts: store.clone(),
            revisions: store.clone(),
            results: store.clone(),
            actions: store.clone(),
            runs: store.clone(),
            outbox: store.clone(),
            alerts: store.clone(),
            exports: store.clone(),
            verifier: store,
        }
    }
}
