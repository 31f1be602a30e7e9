//! The migrations of this version.

pub use fencepost_batch::journal::*;

/// The migrations of this version, in their order. Whoever applies them holds its own list
/// against this one.
pub const NAMES: [&str; 9] = [
    "0001_publication.sql",
    "0002_visibility.sql",
    "0003_daily_results.sql",
    "0004_result_tallies.sql",
    "0005_outbox.sql",
    "0006_operator_actions.sql",
    "0007_alert_episodes.sql",
    "0008_retention.sql",
    "0009_builds.sql",
];
