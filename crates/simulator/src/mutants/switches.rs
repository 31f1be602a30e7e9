//! The switches of the whole site: set once, by whoever sets them.

use super::{Mutation, Part, SqlEdits};

const PAUSE: &str = "EXISTS (SELECT 1 FROM operator_actions AS o WHERE o.token = ?2 AND o.landing = 1)";
const POLICY: &str = "EXISTS (SELECT 1 FROM operator_actions AS o WHERE o.token = ?3 AND o.landing = 1)";

pub(super) fn mutations() -> Vec<Mutation> {
    const DANGER: &str =
        "what was set is set again when its answer was lost, over what somebody has set since";
    let new = |clause: &str, edits| Mutation::new(Part::Ledger, clause, DANGER, edits);
    vec![
        new("pause: only what is traced", SqlEdits::one("switches/set_paused", PAUSE, "?2 IS NOT NULL")),
        new("policy: only what is traced", SqlEdits::one("switches/set_policy", POLICY, "?3 IS NOT NULL")),
        new("quota: only what is traced", SqlEdits::one("switches/set_quota", "AND o.landing = 1", "")),
    ]
}
