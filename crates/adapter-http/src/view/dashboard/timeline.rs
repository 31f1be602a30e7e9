//! What happened to one item: one list, made from receipts, the runs that wrote them, and what
//! people did.
//!
//! A change of a page by a person is in two places, as a receipt and as an action, and both
//! have one token. In the list it is one event.

use fencepost_domain::{
    action::LoggedAction,
    alert::UNNAMED_BUILD,
    commit::Receipt,
    job::{JobRun, LoggedRun},
    sorting::sort_by_key,
    time::UnixMillis,
};

use super::{Moment, action::ActionLine};

/// One thing that happened.
pub(crate) struct Event {
    pub(crate) at: Moment,
    pub(crate) what: &'static str,
    pub(crate) by: By,
    pub(crate) why: String,
    pub(crate) came_to: String,
    /// Under which owner and fence a page was changed.
    pub(crate) owner: Option<String>,
}

/// Who did it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum By {
    /// A person.
    Person(String),
    /// A run of a job, by a build.
    Run {
        /// Which job.
        job: &'static str,
        /// Which build.
        build: String,
    },
    /// A run that is not on record.
    Nobody,
}

/// Everything that happened, oldest first.
pub(crate) fn timeline(
    receipts: &[Receipt],
    runs: &[LoggedRun],
    actions: &[LoggedAction],
    now: UnixMillis,
) -> Vec<Event> {
    let run_of = |owner: &str| runs.iter().find(|logged| logged.run.owner_id.as_str() == owner);
    let done_by = |token: &str| actions.iter().find(|action| action.token.as_str() == token);
    let changed = receipts.iter().map(|receipt| {
        let action = done_by(receipt.commit_token.as_str());
        let run = run_of(receipt.owner_id.as_str()).map(|logged| &logged.run);
        (receipt.committed_at, changed(receipt, run, action, now))
    });
    let has_receipt =
        |action: &LoggedAction| receipts.iter().any(|receipt| receipt.commit_token == action.token);
    let others = actions.iter().filter(|action| !has_receipt(action));
    let others = others.map(|action| (action.at, acted(action, now)));
    // What somebody did to let a page be changed was done before it was.
    let mut events: Vec<_> = others.chain(changed).collect();
    sort_by_key(&mut events, |(at, _)| *at);
    events.into_iter().map(|(_, event)| event).collect()
}

fn changed(receipt: &Receipt, run: Option<&JobRun>, action: Option<&LoggedAction>, now: UnixMillis) -> Event {
    let by = match (action, run) {
        (Some(action), _) => By::Person(action.actor.clone()),
        (None, Some(run)) => {
            let build = run.build.clone().unwrap_or_else(|| UNNAMED_BUILD.to_owned());
            By::Run { job: run.job.as_str(), build }
        }
        (None, None) => By::Nobody,
    };
    Event {
        at: Moment::new(receipt.committed_at, now),
        what: receipt.kind.as_str(),
        by,
        why: action.and_then(|action| action.reason.clone()).unwrap_or_default(),
        came_to: format!("version {}, revision {}", receipt.content_version, receipt.revision),
        owner: Some(format!("{}, fence {}", receipt.owner_id, receipt.fence.get())),
    }
}

fn acted(action: &LoggedAction, now: UnixMillis) -> Event {
    let ActionLine { at, actor, action, reason, detail, .. } = ActionLine::new(action, now);
    Event { at, what: action, by: By::Person(actor), why: reason, came_to: detail, owner: None }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use fencepost_domain::{
        action::ActionKind,
        commit::CommitKind,
        id::{CommitToken, ContentVersion, Fence, OwnerId, RunId},
        job::Job,
        revision::Revision,
    };

    use super::*;

    fn receipt(token: &str, owner: &str, version: i64, at: i64) -> Receipt {
        Receipt {
            commit_token: CommitToken::new(token),
            puzzle_id: 7.try_into().unwrap(),
            kind: if version == 1 { CommitKind::Publish } else { CommitKind::Withdraw },
            owner_id: OwnerId::new(owner),
            fence: Fence::new(version),
            content_version: ContentVersion::new(version),
            revision: Revision::new(version + 10),
            committed_at: UnixMillis::new(at),
        }
    }

    fn action(token: &str, kind: ActionKind, at: i64) -> LoggedAction {
        LoggedAction {
            number: at,
            token: CommitToken::new(token),
            at: UnixMillis::new(at),
            actor: "Ada".to_owned(),
            action: kind,
            puzzle_id: Some(7.try_into().unwrap()),
            reason: Some("a typo".to_owned()),
            detail: BTreeMap::new(),
        }
    }

    fn run(owner: &str, build: Option<&str>) -> LoggedRun {
        let run = JobRun {
            run_id: RunId::new("r1"),
            job: Job::Compensate,
            owner_id: OwnerId::new(owner),
            build: build.map(str::to_owned),
            utc_day: UnixMillis::new(0).utc_day(),
            started_at: UnixMillis::new(0),
            finished_at: None,
            counts: BTreeMap::new(),
            error: None,
        };
        LoggedRun { number: 1, run }
    }

    #[test]
    fn receipts_runs_and_actions_are_one_list_in_the_order_of_time() {
        let receipts = [receipt("c1", "site/1", 1, 5_000), receipt("c2", "site/2", 2, 9_000)];
        let actions = [
            action("a1", ActionKind::Edit, 1_000),
            action("a2", ActionKind::Retry, 5_000),
            action("c2", ActionKind::Withdraw, 9_000),
        ];
        let told = |runs: &[LoggedRun]| {
            let events = timeline(&receipts, runs, &actions, UnixMillis::new(10_000));
            events.into_iter().map(|event| (event.what, event.by, event.why)).collect::<Vec<_>>()
        };
        let ada = || By::Person("Ada".to_owned());
        let typo = || "a typo".to_owned();
        let expected = |by| {
            [
                ("edit", ada(), typo()),
                ("retry", ada(), typo()),
                ("publish", by, String::new()),
                ("withdraw", ada(), typo()),
            ]
        };
        let by = |build: &str| By::Run { job: "compensate", build: build.to_owned() };
        assert_eq!(told(&[run("site/1", Some("1.0"))]), expected(by("1.0")));
        assert_eq!(told(&[run("site/1", None)]), expected(by("one that does not say")));
        assert_eq!(told(&[run("site/9", Some("1.0"))]), expected(By::Nobody));
    }
}
