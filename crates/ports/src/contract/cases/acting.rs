//! What people do leaves a trace, exactly if it changed something, and is done once.

use fencepost_domain::{
    action::{ActionKind, DetailValue},
    bank_edit::BankEdit,
    catch_up::CatchUp,
    commit::{Change, Commit},
    id::{Fence, RunId},
    ledger::Ending,
    outcome::Outcome,
    puzzle::PuzzleRow,
};
use serde_json::json;

use crate::{
    Job,
    contract::{
        Fixture,
        lines::{NULL, appears, becomes, released},
        steps::{DAILY_QUOTA, content, due, edit, editor, entry, id, ok, opens, owner, row, trace},
    },
};

fn item(column: &str, from: impl serde::Serialize, to: impl serde::Serialize) -> String {
    becomes("publication_items", id(1), column, from, to)
}

fn site(column: &str, from: impl serde::Serialize, to: impl serde::Serialize) -> String {
    becomes("site_state", 1, column, from, to)
}

async fn block(f: &Fixture) {
    let hand = f.take(1, "ada").await;
    ok(f.stores.ledger.finish(&hand.lease, &Ending::Block { reason: "no photo".to_owned() }).await);
}

pub(super) async fn what_is_done_with_an_item_tells_who_when_why_and_what(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let withdraw = entry(ActionKind::Withdraw);
    let hand = f.take_over(1, "editor").await;
    let now = f.clock.advance(1_000);
    let expected = [
        trace(f, &withdraw, Some(1), r#"{"from":"scheduled","to":"withdrawn"}"#),
        item("state", "scheduled", "withdrawn"),
        site("bank_revision", 1, 2),
    ];
    let expected = expected.into_iter().chain(released(&hand.lease, opens(1), now));
    f.changes_traced(f.stores.ledger.withdraw_unpublished(&hand.lease, &withdraw), expected).await;

    let reinstate = entry(ActionKind::Reinstate);
    let hand = f.take_over(1, "editor").await;
    let then = f.clock.advance(1_000);
    let expected = [
        trace(f, &reinstate, Some(1), r#"{"from":"withdrawn","to":"scheduled"}"#),
        item("state", "withdrawn", "scheduled"),
        site("bank_revision", 2, 3),
    ];
    let expected = expected.into_iter().chain(released(&hand.lease, now, then));
    f.changes_traced(f.stores.ledger.reinstate_unpublished(&hand.lease, &reinstate), expected).await;

    let reschedule = entry(ActionKind::Reschedule);
    let detail = format!(r#"{{"from":{},"to":{}}}"#, due(1).get(), due(2).get());
    let expected = [
        trace(f, &reschedule, Some(1), &detail),
        item("due_at", due(1), due(2)),
        crate::contract::lines::instant(due(2)),
        site("bank_revision", 3, 4),
    ];
    f.changes_traced(f.stores.ledger.reschedule(id(1), due(2), None, &reschedule), expected).await;

    f.clock.set(due(2));
    block(f).await;
    let retry = entry(ActionKind::Retry);
    let expected = [
        trace(f, &retry, Some(1), r#"{"attempts":1,"from":"blocked","to":"scheduled"}"#),
        item("state", "blocked", "scheduled"),
        item("attempts", 1, 0),
        item("blocked_reason", "no photo", NULL),
    ];
    f.changes_traced(f.stores.ledger.retry(id(1), &retry), expected).await;

    let actions = f.keeps(f.stores.ledger.item(id(1))).await.expect("it was imported").actions;
    let done: Vec<_> = actions.iter().map(|action| (action.token.clone(), action.action)).collect();
    let expected = [withdraw, reinstate, reschedule, retry].map(|it| (it.token, it.deed.action));
    assert_eq!(done, expected, "oldest first");
    assert_eq!(actions[0].actor, "Ada");
    assert_eq!(actions[0].reason.as_deref(), Some("a case"));
    assert_eq!(actions[0].detail["from"], Some(DetailValue::from("scheduled")));
    assert_eq!((actions[0].at, actions[0].puzzle_id), (now, Some(id(1))));
}

pub(super) async fn what_is_done_with_the_site_tells_who_when_why_and_what(f: &Fixture) {
    f.clock.set(due(1));
    let pause = entry(ActionKind::Pause);
    let expected = [trace(f, &pause, None, r#"{"from":0,"to":1}"#), site("paused", 0, 1)];
    f.changes_traced(f.stores.ledger.set_paused(true, &pause), expected).await;

    let quota = entry(ActionKind::SetQuota);
    let day = json!({ "published": 0, "quota": 0, "set_quota": 7 });
    let expected = [
        trace(f, &quota, None, r#"{"from":null,"to":7}"#),
        appears("daily_quotas", due(1).utc_day().get(), &day),
    ];
    f.changes_traced(f.stores.ledger.set_quota(Some(7), None, &quota), expected).await;

    let policy = entry(ActionKind::SetPolicy);
    let wanted = CatchUp { publish_late: false, skip_older_than: Some(60_000) };
    let detail =
        r#"{"from_publish_late":1,"from_skip_older_than":null,"publish_late":0,"skip_older_than":60000}"#;
    let expected =
        [trace(f, &policy, None, detail), site("publish_late", 1, 0), site("skip_older_than", NULL, 60_000)];
    let set = f.changes_traced(f.stores.ledger.set_catch_up(wanted, None, &policy), expected).await;
    assert_eq!(set, wanted);

    let actions = f.keeps(f.stores.actions.actions(None, 9)).await;
    let done: Vec<_> = actions.iter().map(|action| action.token.clone()).collect();
    assert_eq!(done, [policy.token, quota.token, pause.token], "newest first");
    assert_eq!(actions[2].puzzle_id, None);
}

pub(super) async fn what_changes_nothing_leaves_no_trace(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    let ledger = &f.stores.ledger;
    f.keeps(ledger.retry(id(1), &entry(ActionKind::Retry))).await;
    f.keeps(ledger.retry(id(9), &entry(ActionKind::Retry))).await;
    f.keeps(ledger.reschedule(id(1), due(1), None, &entry(ActionKind::Reschedule))).await;
    f.keeps(ledger.reschedule(id(1), due(1).plus(-1), None, &entry(ActionKind::Reschedule))).await;
    f.keeps(ledger.reschedule(id(1), due(3), Some(due(2)), &entry(ActionKind::Reschedule))).await;
    f.keeps(ledger.set_paused(false, &entry(ActionKind::Resume))).await;
    f.keeps(ledger.set_quota(None, None, &entry(ActionKind::SetQuota))).await;
    f.keeps(ledger.set_catch_up(CatchUp::default(), None, &entry(ActionKind::SetPolicy))).await;
    f.keeps(f.stores.actions.record_preview(&entry(ActionKind::PreviewLink), id(9), due(1))).await;
    let late = f.take_over(1, "editor").await;
    f.take_over(1, "author").await;
    f.keeps(ledger.withdraw_unpublished(&late.lease, &entry(ActionKind::Withdraw))).await;
    f.keeps(ledger.reinstate_unpublished(&late.lease, &entry(ActionKind::Reinstate))).await;
}

pub(super) async fn what_was_done_is_not_done_again(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let ledger = &f.stores.ledger;
    let pause = entry(ActionKind::Pause);
    ok(ledger.set_paused(true, &pause).await);
    ok(ledger.set_paused(false, &entry(ActionKind::Resume)).await);
    f.keeps(ledger.set_paused(true, &pause)).await;

    let move_it = entry(ActionKind::Reschedule);
    ok(ledger.reschedule(id(1), due(2), None, &move_it).await);
    ok(ledger.reschedule(id(1), due(3), None, &entry(ActionKind::Reschedule)).await);
    f.keeps(ledger.reschedule(id(1), due(2), None, &move_it)).await;

    let quota = entry(ActionKind::SetQuota);
    ok(ledger.set_quota(Some(1), None, &quota).await);
    ok(ledger.set_quota(Some(2), None, &entry(ActionKind::SetQuota)).await);
    f.keeps(ledger.set_quota(Some(1), None, &quota)).await;

    let policy = entry(ActionKind::SetPolicy);
    let young = CatchUp { skip_older_than: Some(1), ..CatchUp::default() };
    ok(ledger.set_catch_up(young, None, &policy).await);
    ok(ledger.set_catch_up(CatchUp::default(), None, &entry(ActionKind::SetPolicy)).await);
    f.keeps(ledger.set_catch_up(young, None, &policy)).await;

    f.clock.set(due(3));
    block(f).await;
    let retry = entry(ActionKind::Retry);
    ok(ledger.retry(id(1), &retry).await);
    block(f).await;
    f.keeps(ledger.retry(id(1), &retry)).await;

    let withdraw = entry(ActionKind::Withdraw);
    let hand = f.take_over(1, "editor").await;
    ok(ledger.withdraw_unpublished(&hand.lease, &withdraw).await);
    let reinstate = entry(ActionKind::Reinstate);
    let hand = f.take_over(1, "editor").await;
    ok(ledger.reinstate_unpublished(&hand.lease, &reinstate).await);
    f.keeps(ledger.withdraw_unpublished(&hand.lease, &withdraw)).await;
    let preview = entry(ActionKind::PreviewLink);
    ok(f.stores.actions.record_preview(&preview, id(1), due(1)).await);
    f.keeps(f.stores.actions.record_preview(&preview, id(1), due(2))).await;
}

pub(super) async fn whoever_saw_what_is_not_so_any_more_sets_nothing(f: &Fixture) {
    let ledger = &f.stores.ledger;
    let set_quota = async |quota, seen| {
        let row = ok(ledger.set_quota(quota, Some(seen), &entry(ActionKind::SetQuota)).await);
        row.and_then(|row| row.set_quota)
    };
    assert_eq!(set_quota(Some(5), None).await, Some(5), "the first has seen that nothing is set");
    let second = entry(ActionKind::SetQuota);
    for stale in [None, Some(4)] {
        let row = f.keeps(ledger.set_quota(Some(9), Some(stale), &second)).await;
        assert_eq!(row.and_then(|row| row.set_quota), Some(5), "{stale:?}");
    }
    f.keeps(ledger.set_quota(None, Some(Some(4)), &second)).await;
    assert_eq!(set_quota(Some(9), Some(5)).await, Some(9));
    assert_eq!(set_quota(None, Some(9)).await, None);

    let set_policy =
        async |policy, seen| ok(ledger.set_catch_up(policy, Some(seen), &entry(ActionKind::SetPolicy)).await);
    let usual = CatchUp::default();
    let young = CatchUp { skip_older_than: Some(5_400_000), ..usual };
    let prompt = CatchUp { publish_late: false, ..usual };
    assert_eq!(set_policy(young, usual).await, young);
    let second = entry(ActionKind::SetPolicy);
    for stale in [usual, CatchUp { skip_older_than: Some(3_600_000), ..usual }] {
        assert_eq!(f.keeps(ledger.set_catch_up(prompt, Some(stale), &second)).await, young, "{stale:?}");
    }
    let otherwise = CatchUp { publish_late: false, ..young };
    assert_eq!(f.keeps(ledger.set_catch_up(prompt, Some(otherwise), &second)).await, young);
    assert_eq!(set_policy(prompt, young).await, prompt);
    assert_eq!(set_policy(usual, prompt).await, usual);
}

pub(super) async fn a_commit_of_a_person_is_traced_under_its_token_and_that_of_a_job_is_not(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(2));
    f.publish(2).await;
    let actions = ok(f.stores.actions.actions(None, 9).await);
    assert!(actions.iter().all(|action| action.action == ActionKind::Import), "{actions:?}");

    let hand = f.take(1, "ada").await;
    let by = Some(editor().does(ActionKind::Republish));
    let publish = Commit { by, ..hand.commit("c1", Change::Publish(content(1))) };
    let mut stale = publish.clone();
    stale.lease.fence = Fence::new(9);
    f.keeps(f.stores.ledger.commit(&stale)).await;
    f.land(&publish).await;
    let actions = f.keeps(f.stores.ledger.item(id(1))).await.expect("it was imported").actions;
    let [action] = &actions[..] else { panic!("one action: {actions:?}") };
    assert_eq!((&action.token, action.action), (&publish.token, ActionKind::Republish));
    assert_eq!((action.at, action.puzzle_id), (due(2), Some(id(1))));
    let detail = json!({ "outcome": Outcome::Published, "revision": 2, "version": 1 });
    assert_eq!(json!(action.detail), detail);

    let hand = f.take_over(1, "editor").await;
    let by = Some(editor().does(ActionKind::Withdraw));
    let mut stale = Commit { by, ..hand.commit("c2", Change::Withdraw) };
    stale.lease.fence = Fence::new(9);
    f.keeps(f.stores.ledger.commit(&stale)).await;
}

pub(super) async fn an_import_is_traced_if_it_changes_something(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.import("e2", [row(1)]).await;
    let taken = PuzzleRow { play_date: row(2).play_date, ..row(3) };
    let refused = f.keeps(f.stores.bank.import(&edit("e3", [taken]))).await;
    assert_eq!(refused.refused.len(), 1);
    let actions = ok(f.stores.actions.actions(None, 9).await);
    let [action] = &actions[..] else { panic!("one action: {actions:?}") };
    assert_eq!((action.token.as_str(), action.action, action.at), ("e1", ActionKind::Import, f.clock.now()));
    assert_eq!(json!(action.detail), json!({ "inserted": 2, "unchanged": 0, "updated": 0 }));
    assert_eq!((action.actor.as_str(), action.reason.as_deref()), ("Ada", Some("a case")));
}

pub(super) async fn an_edit_of_one_puzzle_is_traced_with_the_puzzle_if_it_changes_it(f: &Fixture) {
    let of_one = |name, row: PuzzleRow| BankEdit { edits: Some(row.puzzle_id), ..edit(name, [row]) };
    for name in ["e1", "e2"] {
        assert_eq!(ok(f.stores.bank.import(&of_one(name, row(1))).await).refused, []);
    }
    let dearer = PuzzleRow { price_cents: 4_711, ..row(1) };
    ok(f.stores.bank.import(&of_one("e3", dearer)).await);
    let actions = ok(f.stores.ledger.item(id(1)).await).expect("it was imported").actions;
    let told: Vec<_> = actions.iter().map(|it| (it.token.as_str(), it.action, json!(it.detail))).collect();
    let version = |version: i64| json!({ "bank_version": version });
    assert_eq!(told, [("e1", ActionKind::Edit, version(1)), ("e3", ActionKind::Edit, version(2))]);
    assert_eq!(ok(f.stores.actions.actions(None, 9).await).len(), 2);
}

pub(super) async fn a_run_that_a_person_wants_is_traced_once(f: &Fixture) {
    let run = RunId::new("r1");
    ok(f.stores.runs.start(&RunId::new("r0"), Job::Publish, &owner("cron"), "1.0", None).await);
    ok(f.stores.runs.start(&run, Job::Compensate, &owner("ada"), "1.0", Some(&editor())).await);
    f.keeps(f.stores.runs.start(&run, Job::Compensate, &owner("ada"), "1.0", Some(&editor()))).await;
    let actions = ok(f.stores.actions.actions(None, 9).await);
    let [action] = &actions[..] else { panic!("one action: {actions:?}") };
    assert_eq!((action.token.as_str(), action.action), ("r1", ActionKind::Run));
    assert_eq!(json!(action.detail), json!({ "job": "compensate" }));
}

pub(super) async fn a_link_to_a_preview_is_traced(f: &Fixture) {
    f.import("e1", [row(1)]).await;
    let preview = entry(ActionKind::PreviewLink);
    let detail = format!(r#"{{"expires_at":{}}}"#, due(1).get());
    let expected = [trace(f, &preview, Some(1), &detail)];
    f.changes_traced(f.stores.actions.record_preview(&preview, id(1), due(1)), expected).await;
}

pub(super) async fn actions_are_listed_newest_first_and_page_by_page(f: &Fixture) {
    let entries = [true, false, true, false]
        .map(|paused| (paused, entry(if paused { ActionKind::Pause } else { ActionKind::Resume })));
    for (paused, entry) in &entries {
        f.clock.advance(-1);
        ok(f.stores.ledger.set_paused(*paused, entry).await);
    }
    let page = async |before, limit| f.keeps(f.stores.actions.actions(before, limit)).await;
    let first = page(None, 3).await;
    let tokens: Vec<_> = first.iter().map(|action| &action.token).collect();
    let expected: Vec<_> = entries.iter().rev().take(3).map(|(_, entry)| &entry.token).collect();
    assert_eq!(tokens, expected, "in the order in which they were done, not in that of the clock");
    let rest = page(Some(first[2].number), 3).await;
    assert_eq!(rest.iter().map(|action| &action.token).collect::<Vec<_>>(), [&entries[0].1.token]);
    assert_eq!(page(Some(rest[0].number), 3).await, []);
    assert_eq!(page(None, 0).await, []);
}

pub(super) async fn a_quota_set_by_hand_holds_over_every_setting(f: &Fixture) {
    f.import("e1", [row(1), row(2), row(3)]).await;
    f.clock.set(due(3));
    f.publish(1).await;
    let set = ok(f.stores.ledger.set_quota(Some(1), None, &entry(ActionKind::SetQuota)).await);
    let set = set.expect("the day has a row");
    assert_eq!((set.published, set.quota, set.set_quota), (1, DAILY_QUOTA, Some(1)));
    let hand = f.take(2, "ada").await;
    let publish = hand.commit("c2", Change::Publish(content(2)));
    let used_up = [fencepost_domain::guard::Predicate::QuotaLeft];
    f.refuses(&publish, Outcome::QuotaExhausted, &used_up).await;
    assert_eq!(ok(f.stores.ledger.next_wake(DAILY_QUOTA).await).overdue, None, "a standstill is no work");

    ok(f.stores.ledger.set_quota(Some(2), None, &entry(ActionKind::SetQuota)).await);
    f.land(&Commit { daily_quota: 0, ..publish }).await;
    let hand = f.take(3, "ada").await;
    let publish = hand.commit("c3", Change::Publish(content(3)));
    f.refuses(&publish, Outcome::QuotaExhausted, &used_up).await;
    ok(f.stores.ledger.set_quota(None, None, &entry(ActionKind::SetQuota)).await);
    f.land(&publish).await;
    assert_eq!(ok(f.stores.verifier.violations().await), []);
}

pub(super) async fn a_quota_set_by_hand_is_that_of_its_day(f: &Fixture) {
    f.import("e1", [row(1), row(2)]).await;
    f.clock.set(due(1));
    ok(f.stores.ledger.set_quota(Some(0), None, &entry(ActionKind::SetQuota)).await);
    let hand = f.take(1, "ada").await;
    let publish = hand.commit("c1", Change::Publish(content(1)));
    let used_up = [fencepost_domain::guard::Predicate::QuotaLeft];
    f.refuses(&publish, Outcome::QuotaExhausted, &used_up).await;
    f.clock.set(due(2));
    f.publish(1).await;
    let raised = ok(f.stores.ledger.set_quota(Some(200), None, &entry(ActionKind::SetQuota)).await);
    assert_eq!(raised.map(|row| (row.published, row.quota)), Some((1, DAILY_QUOTA)));
    f.publish(2).await;
    let row = ok(f.stores.ledger.look(id(2)).await).quota.expect("the day has a row");
    assert_eq!((row.published, row.quota), (2, DAILY_QUOTA), "the settings have it again, once they are let");
    assert_eq!(ok(f.stores.verifier.violations().await), []);
}
