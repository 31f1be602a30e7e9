//! Every text, for snapshots, for the check of their parameters, and for their plans.

use crate::{
    SqlText, action_log, alert_log, answer_posts, commit, exports, item_list, job_runs, lease_store, outbox,
    publication_ledger, puzzle_bank, rehearsal, results_log, retention, revision_source, source_images,
    switches, verifier,
};

/// Every text of this crate.
pub fn texts() -> Vec<&'static SqlText> {
    [
        lease_store::texts(),
        action_log::texts(),
        publication_ledger::texts(),
        item_list::texts(),
        switches::texts(),
        commit::texts(),
        rehearsal::texts(),
        puzzle_bank::texts(),
        source_images::texts(),
        answer_posts::texts(),
        revision_source::texts(),
        results_log::texts(),
        job_runs::texts(),
        retention::texts(),
        outbox::texts(),
        alert_log::texts(),
        exports::texts(),
        verifier::all_texts(),
    ]
    .concat()
}
