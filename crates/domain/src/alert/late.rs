//! Answers that are due and not out: late for jobs, or too late.

use super::{Alert, AlertKind, PATIENCE_MS, alert, items};
use crate::{job::Vitals, quota::DailyQuota};

/// What jobs should have brought out.
pub(super) fn overdue(vitals: &Vitals, quota: DailyQuota) -> Option<Alert> {
    let since = vitals.outstanding_since.filter(|since| vitals.now.since(*since) > PATIENCE_MS)?;
    let meaning = format!("{} due and not out.", items(vitals.outstanding, "is", "are"));
    let remedy = if vitals.paused {
        "The site is paused: resume it."
    } else if quota.has_left() {
        "Run `compensate`. If that does not bring them out, ask for the reason with `explain`."
    } else {
        "Today's quota is used up: raise it, or wait for tomorrow."
    };
    Some(Alert {
        since: Some(since),
        count: vitals.outstanding,
        ..alert(AlertKind::Overdue, meaning, remedy)
    })
}

/// What is too late for jobs. Somebody has said that they leave it alone, and it is still not
/// out: what becomes of it, only a person can say.
pub(super) fn left_alone(vitals: &Vitals) -> Option<Alert> {
    let since = vitals.left_alone_since?;
    let meaning = format!(
        "{} due and not out, and too late for jobs by the policy of catching up.",
        items(vitals.left_alone, "is", "are")
    );
    let remedy =
        "Publish each by hand with `republish`, or withdraw it; or let jobs catch up with what is late.";
    Some(Alert {
        since: Some(since),
        count: vitals.left_alone,
        ..alert(AlertKind::LeftAlone, meaning, remedy)
    })
}
