//! Each predicate of each kind of commit, taken out of the write that it guards.

use fencepost_domain::{commit::CommitKind, guard::Predicate};
use fencepost_sql::guard::predicate_sql;

use super::{
    Mutation, Part, SqlEdits,
    chain::lease_not_released,
    leases::{fences_stand_still, late_is_claimed},
};
use crate::oracle::Rule;

pub(super) fn mutations() -> Vec<Mutation> {
    let of_kind = |kind: CommitKind| kind.guard().iter().map(move |predicate| mutation(kind, *predicate));
    CommitKind::ALL.into_iter().flat_map(of_kind).collect()
}

/// The name of the statement that carries the guard.
pub(super) const fn page_statement(kind: CommitKind) -> &'static str {
    match kind {
        CommitKind::Publish => "commit/publish_page",
        CommitKind::Update => "commit/update_page",
        CommitKind::Withdraw => "commit/withdraw_page",
        CommitKind::Reinstate => "commit/reinstate_page",
    }
}

fn without(kind: CommitKind, predicates: &[Predicate]) -> SqlEdits {
    let drop = |edits: SqlEdits, predicate: &Predicate| {
        edits.and_one(page_statement(kind), predicate_sql(*predicate), "true")
    };
    predicates.iter().fold(SqlEdits::default(), drop)
}

fn mutation(kind: CommitKind, predicate: Predicate) -> Mutation {
    use Predicate::{
        BankVersion, ContentVersion, ImageReady, ItemState, KeepsPhoto, LeaseFence, LeaseLive, LeaseOwner,
        NotTooLate, StaysIndexable,
    };
    const LEASE: [Predicate; 3] = [LeaseOwner, LeaseFence, LeaseLive];
    let clause = format!("{}: {}", kind.as_str(), predicate.as_str());
    let alone = Mutation::new(Part::Guard, clause, danger(predicate), without(kind, &[predicate]));
    match (kind, predicate) {
        (_, LeaseOwner) => alone.behind(
            "the fence grows with every change of hands",
            fences_stand_still(),
            &[Rule::FencesNeverFall, Rule::LeaseIsItsHolders],
        ),
        (_, LeaseFence) => alone.behind("the owner", without(kind, &[LeaseOwner]), &[]),
        (CommitKind::Update, ContentVersion) => {
            alone.behind("a commit ends its lease", lease_not_released(), &[Rule::LeaseEnds])
        }
        (_, ContentVersion) => {
            let line = lease_not_released().and(without(kind, &[ItemState]));
            let unseen = [Rule::LeaseEnds, Rule::LawfulMoves];
            alone.behind("a commit ends its lease, and moves the item", line, &unseen)
        }
        (CommitKind::Publish, ItemState) => {
            alone.behind("the lease", without(kind, &LEASE), &[Rule::WrittenUnderLease])
        }
        (_, ItemState) => {
            let line = without(kind, &[LeaseOwner, LeaseFence, LeaseLive, ContentVersion]);
            let unseen = [Rule::WrittenUnderLease, Rule::CommittedOnce];
            alone.behind("the lease and the version", line, &unseen)
        }
        (CommitKind::Publish, BankVersion) => {
            let line = without(kind, &[ItemState]);
            alone.behind("an import takes the item out of hand", line, &[Rule::LawfulMoves])
        }
        (CommitKind::Publish, ImageReady) => {
            let line = without(kind, &[ItemState, BankVersion]);
            let unseen = [Rule::LawfulMoves, Rule::ContentOfTheBank];
            alone.behind("the state and the bank's version", line, &unseen)
        }
        (_, ImageReady) => {
            alone.behind("the bank's version", without(kind, &[BankVersion]), &[Rule::ContentOfTheBank])
        }
        (_, NotTooLate) => alone.behind("the claim", late_is_claimed(), &[]),
        (_, StaysIndexable) => alone.behind("a page keeps its photo", without(kind, &[KeepsPhoto]), &[]),
        (_, KeepsPhoto) => alone.behind("a page stays indexable", without(kind, &[StaysIndexable]), &[]),
        _ => alone,
    }
}

const fn danger(predicate: Predicate) -> &'static str {
    match predicate {
        Predicate::LeaseOwner | Predicate::LeaseFence => {
            "a worker that stood still commits after another one has taken over"
        }
        Predicate::LeaseLive => "a worker commits under a lease that has run out",
        Predicate::ItemState => "a commit starts from a state that it was not made for",
        Predicate::ItemDue => "an answer that was postponed meanwhile comes out early",
        Predicate::NotTooLate => "what was left behind on purpose comes out after all",
        Predicate::BankVersion => "a row that was corrected meanwhile is published as it was",
        Predicate::ImageReady => "a page shows a photo that was replaced meanwhile",
        Predicate::ContentVersion => "a page that was changed meanwhile is changed again",
        Predicate::StaysIndexable => "search engines are told to forget a page that they had",
        Predicate::KeepsPhoto => "a page loses its photo",
        Predicate::QuotaLeft => "more is published on a day than was allowed",
        Predicate::NotPaused => "a page comes out after somebody has stopped the site",
    }
}
