//! What a batch that has to fail costs, and what is believed of its error.

use fencepost_domain::{
    id::{BankVersion, CommitToken, ContentVersion, Fence, OwnerId, PuzzleId},
    lease::Lease,
    page::AnswerContent,
    preflight::Begin,
    rehearsal::Rehearsal,
    time::UnixMillis,
};
use fencepost_plan_store::{Metered, PlanStore, not_raised, raised};
use fencepost_ports::{Budget, PublicationLedger, StoreError, StoreErrorKind};
use fencepost_sql::rehearsal::rehearsal;

use crate::recording::Recording;

fn prepared() -> Rehearsal {
    let begin = Begin {
        puzzle_id: PuzzleId::try_from(1).unwrap(),
        owner: OwnerId::new("ada"),
        ttl_ms: 180_000,
        by_hand: false,
    };
    Rehearsal {
        lease: Lease {
            key: begin.key(),
            owner: begin.owner.clone(),
            fence: Fence::FIRST,
            expires_at: UnixMillis::new(180_000),
        },
        begin,
        token: CommitToken::new("token"),
        content: AnswerContent {
            play_date: "2026-11-28".parse().unwrap(),
            name: "A teapot".to_owned(),
            price_cents: 1899,
            body_html: String::new(),
            image_key: None,
        },
        bank_version: BankVersion::FIRST,
        content_version: ContentVersion::NONE,
        daily_quota: 100,
        earlier: 0,
    }
}

#[tokio::test]
async fn each_statement_of_a_rehearsal_counts_and_none_is_sent_that_is_not_affordable() {
    let (runner, budget) = (Recording::default(), Budget::of(28));
    let store = PlanStore::new(Metered::new(runner.clone(), budget.clone()));
    for earlier in [0, 1] {
        let error = store.rehearse(&prepared().after(earlier)).await.unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::NotUndone, "the runner raises nothing");
    }
    assert_eq!((runner.calls(), budget.spent()), (vec![9, 10], 19));
    let refused = store.rehearse(&prepared().after(1)).await.unwrap_err();
    assert_eq!((refused.kind(), refused.may_have_written()), (StoreErrorKind::OverBudget, false));
    assert_eq!((runner.calls(), budget.left()), (vec![9, 10], Some(9)));
}

#[tokio::test]
async fn a_text_beyond_what_d1_takes_is_refused_as_it_would_be_in_earnest() {
    let runner = Recording::default();
    let store = PlanStore::new(runner.clone());
    let mut long = prepared();
    long.content.body_html = "x".repeat(2_000_001);
    let tried = store.rehearse(&long).await.unwrap_err();
    assert_eq!(Err(tried), store.commit(&long.commit()).await);
    assert_eq!(runner.calls(), [0; 0]);
}

#[test]
fn a_message_is_an_answer_or_no_answer_and_every_other_error_stays_itself() {
    let batch = rehearsal(&prepared());
    let said = |message: &str| raised(&batch, StoreError::refused(message));
    assert!(said("bad JSON path: 'rehearsed:1:1:27:11111111111.'").unwrap().landed);
    for unreadable in ["bad JSON path: 'rehearsed:nothing.'", "bad JSON path: 'rehearsed:1:1:27:11111"] {
        assert_eq!(said(unreadable).unwrap_err().kind(), StoreErrorKind::Corrupt, "{unreadable}");
    }
    let lost = StoreError::unknown("Network connection lost.");
    assert_eq!(raised(&batch, lost.clone()), Err(lost));
}

#[test]
fn a_batch_that_did_not_fail_is_told_apart_by_whether_it_was_undone() {
    let batch = rehearsal(&prepared());
    let (undone, kept) = (not_raised(&batch, true), not_raised(&batch, false));
    assert_eq!((undone.kind(), undone.may_have_written()), (StoreErrorKind::Assertion, false));
    assert_eq!((kept.kind(), kept.may_have_written()), (StoreErrorKind::NotUndone, true));
    assert!(kept.to_string().contains("rehearsal/raise") && kept.to_string().contains("verify it"), "{kept}");
}
