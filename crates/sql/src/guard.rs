//! The guard's predicates in SQL.
//!
//! Each stands here once and is used in the write that it guards, and as a column of
//! the read-back that tells why an attempt did not land. What they mean is defined by
//! [`fencepost_domain::guard::Predicate`]; the differential tests hold the two together.
//!
//! They share their parameters, so that one list of values serves write and read-back:
//!
//! | parameter | value |
//! |---|---|
//! | `?1` | the clock argument; the instant itself is `clock.now` |
//! | `?2` | puzzle |
//! | `?3`, `?4`, `?5` | lease key, owner, fence |
//! | `?6` | the state that the item must be in |
//! | `?7` | bank version |
//! | `?8`, `?9` | the new content's photo and whether it is indexable |
//! | `?10` | the version of the page that was seen, 0 for none |
//! | `?11` | the quota, unless the day's row says otherwise |
//! | `?12` | whether a person answers for it |

use fencepost_domain::{
    commit::{Commit, CommitKind},
    guard::Predicate,
    lease::MAX_LEASE_MS,
    page::AnswerContent,
};

use crate::{Value, clock::DAY_MS};

/// The predicate as an expression that is true, false or NULL; NULL counts as false.
pub fn predicate_sql(predicate: Predicate) -> String {
    match predicate {
        Predicate::LeaseOwner => "(SELECT l.owner_id FROM job_leases AS l WHERE l.key = ?3) = ?4".to_owned(),
        Predicate::LeaseFence => "(SELECT l.fence FROM job_leases AS l WHERE l.key = ?3) = ?5".to_owned(),
        Predicate::LeaseLive => {
            format!("(SELECT {} FROM job_leases AS l WHERE l.key = ?3)", lease_is_live("l", "clock.now"))
        }
        Predicate::ItemState => {
            "(SELECT i.state FROM publication_items AS i WHERE i.puzzle_id = ?2) = ?6".to_owned()
        }
        Predicate::ItemDue => {
            "(SELECT i.due_at FROM publication_items AS i WHERE i.puzzle_id = ?2) <= clock.now".to_owned()
        }
        Predicate::NotTooLate => format!(
            "(?12 OR (SELECT i.due_at FROM publication_items AS i WHERE i.puzzle_id = ?2) >= {})",
            caught_up("clock.now")
        ),
        Predicate::BankVersion => {
            "(SELECT p.bank_version FROM puzzles AS p WHERE p.puzzle_id = ?2) = ?7".to_owned()
        }
        Predicate::ImageReady => "(SELECT CASE \
               WHEN p.image_url IS NULL THEN ?8 IS NULL \
               ELSE s.state = 'ready' AND s.image_url = p.image_url AND s.object_key = ?8 END \
             FROM puzzles AS p \
             LEFT JOIN source_images AS s ON s.puzzle_id = p.puzzle_id \
             WHERE p.puzzle_id = ?2)"
            .to_owned(),
        Predicate::ContentVersion => {
            "coalesce((SELECT a.content_version FROM answer_posts AS a WHERE a.puzzle_id = ?2), 0) = ?10"
                .to_owned()
        }
        Predicate::StaysIndexable => {
            "coalesce((SELECT a.indexable FROM answer_posts AS a WHERE a.puzzle_id = ?2), 0) <= ?9".to_owned()
        }
        Predicate::KeepsPhoto => {
            "(?8 IS NOT NULL OR (SELECT a.image_key FROM answer_posts AS a WHERE a.puzzle_id = ?2) IS NULL)"
                .to_owned()
        }
        Predicate::QuotaLeft => format!(
            "coalesce((SELECT q.published < {} FROM daily_quotas AS q \
             WHERE q.utc_day = clock.now / {DAY_MS}), 0 < ?11)",
            quota_under("?11")
        ),
        Predicate::NotPaused => "(SELECT s.paused FROM site_state AS s WHERE s.id = 1) = 0".to_owned(),
    }
}

/// Whether a row of the lease table is live: see `LeaseRow::is_live`.
pub(crate) fn lease_is_live(lease: &str, now: &str) -> String {
    format!("{lease}.expires_at > {now} AND {lease}.expires_at <= {now} + {MAX_LEASE_MS}")
}

/// The limit of the day `q` under a setting: see `DailyQuota::under`.
pub(crate) fn quota_under(setting: &str) -> String {
    format!("coalesce(q.set_quota, max(q.quota, {setting}))")
}

/// The due instant of the oldest item that jobs still want at `now`: see
/// `CatchUp::still_wants`. No date of play lies before the epoch.
pub(crate) fn caught_up(now: &str) -> String {
    format!(
        "(SELECT max(coalesce({now} - policy.skip_older_than, 0), \
         CASE policy.publish_late WHEN 1 THEN 0 ELSE {now} - {now} % {DAY_MS} END) \
         FROM site_state AS policy WHERE policy.id = 1)"
    )
}

/// All predicates, one per line, to be put after WHERE.
pub(crate) fn conjunction(predicates: &[Predicate]) -> String {
    predicates.iter().map(|predicate| predicate_sql(*predicate)).collect::<Vec<_>>().join("\n  AND ")
}

/// All predicates as columns named after them, each 1 or 0.
pub(crate) fn columns(predicates: &[Predicate]) -> String {
    let column =
        |predicate: &Predicate| format!("({}) IS TRUE AS {}", predicate_sql(*predicate), predicate.as_str());
    predicates.iter().map(column).collect::<Vec<_>>().join(",\n  ")
}

/// The parameters `?1…?12`.
pub(crate) fn params(commit: &Commit) -> Vec<Value> {
    let content = commit.change.content();
    let kind: CommitKind = commit.change.kind();
    vec![
        Value::Clock,
        commit.puzzle_id().get().into(),
        commit.lease.key.to_string().into(),
        commit.lease.owner.as_str().into(),
        commit.lease.fence.get().into(),
        kind.state_before().as_str().into(),
        commit.bank_version.get().into(),
        content.and_then(|content| content.image_key.as_ref()).map(|key| key.as_str()).into(),
        content.is_some_and(AnswerContent::indexable).into(),
        commit.content_version.get().into(),
        commit.daily_quota.into(),
        commit.by.is_some().into(),
    ]
}
