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
//! | `?6` | the version of the page that was seen, 0 for none |
//! | `?7` | the token of the attempt |
//! | `?8` | the state that the item must be in |
//! | `?9` | bank version |
//! | `?10`, `?11` | the new content's photo and whether it is indexable |
//! | `?12` | the quota, unless the day's row says otherwise |
//! | `?13` | whether a person answers for it |
//!
//! The first seven, and the conditions on them, are those of every guarded batch: see
//! [`fencepost_batch::Guard`].

use fencepost_domain::{
    commit::{Commit, CommitKind},
    guard::Predicate,
    page::AnswerContent,
    time::DAY_MS,
};

use fencepost_batch::Guard;

use crate::{Value, commit::Page};

/// The predicate as an expression that is true, false or NULL; NULL counts as false.
pub fn predicate_sql(predicate: Predicate) -> String {
    match predicate {
        Predicate::LeaseOwner | Predicate::LeaseFence | Predicate::LeaseLive | Predicate::ContentVersion => {
            of_every_guard(predicate.as_str())
        }
        Predicate::ItemState => {
            "(SELECT i.state FROM publication_items AS i WHERE i.puzzle_id = ?2) = ?8".to_owned()
        }
        Predicate::ItemDue => {
            "(SELECT i.due_at FROM publication_items AS i WHERE i.puzzle_id = ?2) <= clock.now".to_owned()
        }
        Predicate::NotTooLate => format!(
            "(?13 OR (SELECT i.due_at FROM publication_items AS i WHERE i.puzzle_id = ?2) >= {})",
            caught_up("clock.now")
        ),
        Predicate::BankVersion => {
            "(SELECT p.bank_version FROM puzzles AS p WHERE p.puzzle_id = ?2) = ?9".to_owned()
        }
        Predicate::ImageReady => "(SELECT CASE \
               WHEN p.image_url IS NULL THEN ?10 IS NULL \
               ELSE s.state = 'ready' AND s.image_url = p.image_url AND s.object_key = ?10 END \
             FROM puzzles AS p \
             LEFT JOIN source_images AS s ON s.puzzle_id = p.puzzle_id \
             WHERE p.puzzle_id = ?2)"
            .to_owned(),
        Predicate::StaysIndexable => {
            "coalesce((SELECT a.indexable FROM answer_posts AS a WHERE a.puzzle_id = ?2), 0) <= ?11"
                .to_owned()
        }
        Predicate::KeepsPhoto => {
            "(?10 IS NOT NULL OR (SELECT a.image_key FROM answer_posts AS a WHERE a.puzzle_id = ?2) IS NULL)"
                .to_owned()
        }
        Predicate::QuotaLeft => format!(
            "coalesce((SELECT q.published < {} FROM daily_quotas AS q \
             WHERE q.utc_day = clock.now / {DAY_MS}), 0 < ?12)",
            quota_under("?12")
        ),
        Predicate::NotPaused => "(SELECT s.paused FROM site_state AS s WHERE s.id = 1) = 0".to_owned(),
    }
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

/// A condition that every guarded batch has.
fn of_every_guard(name: &str) -> String {
    let guard = Guard::<Page>::under_lease();
    let condition = guard.conditions().find(|(it, _)| *it == name);
    condition.expect("the conditions of every guard are called as the predicates are").1.to_owned()
}

/// The guard of a kind of commit.
pub(crate) fn guard(kind: CommitKind) -> Guard<Page> {
    let of_its_own = kind.guard().iter().skip(Guard::<Page>::under_lease().names().count());
    of_its_own.fold(Guard::under_lease(), |guard, predicate| {
        guard.and(predicate.as_str(), predicate_sql(*predicate))
    })
}

/// The parameters `?8…?13`.
pub(crate) fn own_params(commit: &Commit) -> Vec<Value> {
    let content = commit.change.content();
    vec![
        commit.change.kind().state_before().as_str().into(),
        commit.bank_version.get().into(),
        content.and_then(|content| content.image_key.as_ref()).map(|key| key.as_str()).into(),
        content.is_some_and(AnswerContent::indexable).into(),
        commit.daily_quota.into(),
        commit.by.is_some().into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise a condition would be there twice, or not at all.
    #[test]
    fn every_guard_begins_with_the_conditions_that_all_have() {
        for kind in CommitKind::ALL {
            let guard = guard(kind);
            let names: Vec<_> = guard.names().collect();
            let predicates: Vec<_> = kind.guard().iter().map(|predicate| predicate.as_str()).collect();
            assert_eq!(names, predicates, "{kind:?}");
        }
    }
}
