//! Every SQL statement of Fencepost, one text per operation, as typed plans.
//!
//! This crate runs nothing: an adapter takes a [`Query`], a [`Batch`] or a [`FailingBatch`],
//! binds the parameters, and decodes what comes back. There is no way to express an interactive
//! transaction (look, think, write), so what D1 cannot do, SQLite does not do either,
//! and one text serves both.
//!
//! Reading order: [`fencepost_batch`] is the vocabulary, [`commit`] the heart of the matter,
//! [`guard`] the predicates; then one module per port. [`catalog`] lists every text, for the
//! snapshots that are reviewed like code.

/// The vocabulary, which knows nothing of a site.
pub use fencepost_batch::{
    Batch, DecodeError, FailingBatch, Query, Row, SqlText, Statement, Value, clock, lease_store, sql_texts,
};

pub mod guard;

mod decode;

pub mod action_log;

pub mod publication_ledger;

pub mod item_list;

pub mod switches;

pub mod commit;

pub mod rehearsal;

pub mod puzzle_bank;

pub mod source_images;

pub mod answer_posts;

pub mod revision_source;

pub mod results_log;

pub mod job_runs;

pub mod retention;

pub mod outbox;

pub mod alert_log;
pub mod exports;

pub mod verifier;

pub mod migrations;

pub mod catalog;
