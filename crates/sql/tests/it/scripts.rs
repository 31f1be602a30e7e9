//! Of which statements each batch consists, and which parameters of its script are whose.
//!
//! A script differs from the reviewed texts of its statements by nothing but the names of its
//! parameters. So this list, and one script in full, are what is left to be reviewed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::PathBuf,
};

use expect_test::expect_file;
use fencepost_domain::{
    action::{ActionKind, Actor, Deed, Entry},
    bank_edit::BankEdit,
    catch_up::CatchUp,
    commit::{Change, Commit, CommitKind},
    episode::Turns,
    id::{BankVersion, CommitToken, ContentVersion, Fence, OwnerId, PuzzleId, ReportToken, RunId},
    job::Job,
    lease::{Lease, LeaseKey},
    ledger::Ending,
    outbox::{ClaimedEvent, DeliveryEnd, Event, PageChange, Subject},
    page::AnswerContent,
    preflight::{Begin, ImageRecord},
    puzzle::PuzzleRow,
    rehearsal::Rehearsal,
    results::{GameOutcome, GameResult, ResultReport, SessionId},
    retention::{Perishable, Pruning},
    revision::Revision,
    time::UnixMillis,
};
use fencepost_sql::{
    Batch, FailingBatch, SqlText, Statement, action_log, alert_log, catalog, commit, job_runs, lease_store,
    outbox, publication_ledger as ledger, puzzle_bank, rehearsal, results_log, script::script, source_images,
    switches,
};

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/scripts").join(name)
}

fn id() -> PuzzleId {
    PuzzleId::try_from(7).unwrap()
}

fn owner() -> OwnerId {
    OwnerId::new("me")
}

fn token() -> CommitToken {
    CommitToken::new("token")
}

fn now() -> UnixMillis {
    UnixMillis::new(1)
}

fn lease(key: LeaseKey) -> Lease {
    Lease { key, owner: owner(), fence: Fence::FIRST, expires_at: now() }
}

fn ada() -> Actor {
    Actor::new("Ada", None).unwrap()
}

fn entry(action: ActionKind) -> Entry {
    Entry { token: token(), deed: ada().does(action) }
}

fn content() -> AnswerContent {
    AnswerContent {
        play_date: "2026-11-28".parse().unwrap(),
        name: "A teapot".to_owned(),
        price_cents: 1899,
        body_html: String::new(),
        image_key: None,
    }
}

fn change(change: Change, by: Option<Deed>) -> Batch<impl Sized> {
    commit::commit(&Commit {
        lease: lease(LeaseKey::Publication(id())),
        token: token(),
        change,
        bank_version: BankVersion::new(1),
        content_version: ContentVersion::new(0),
        daily_quota: 3,
        by,
    })
}

/// Every batch that there is, in every form that it takes.
#[derive(Default)]
struct Batches(Vec<Vec<Statement>>);

impl Batches {
    fn kept<T>(&mut self, batch: Batch<T>) {
        self.0.push(batch.statements().cloned().collect());
    }

    fn undone<T>(&mut self, batch: FailingBatch<T>) {
        self.0.push(batch.statements().cloned().collect());
    }

    fn of_leases_and_items(&mut self) {
        let key = LeaseKey::Publication(id());
        let held = lease(key);
        self.kept(lease_store::claim(&key, &owner(), 1));
        self.kept(lease_store::take_over(&key, &owner(), 1));
        self.kept(lease_store::renew(&held, 1));
        self.kept(lease_store::release(&held));
        let begin = Begin { puzzle_id: id(), owner: owner(), ttl_ms: 1, by_hand: false };
        self.kept(ledger::begin(&begin));
        self.kept(ledger::take_over(&begin));
        self.kept(ledger::finish(&held, &Ending::Restore));
        self.kept(ledger::withdraw_unpublished(&held, &entry(ActionKind::Withdraw)));
        self.kept(ledger::reinstate_unpublished(&held, &entry(ActionKind::Reinstate)));
        self.kept(ledger::retry(id(), &entry(ActionKind::Retry)));
        self.kept(ledger::reschedule(id(), now(), None, &entry(ActionKind::Reschedule)));
        for by in [None, Some(ada().does(ActionKind::Republish))] {
            self.kept(change(Change::Publish(content()), by.clone()));
            self.kept(change(Change::Update(content()), by.clone()));
            self.kept(change(Change::Withdraw, by.clone()));
            self.kept(change(Change::Reinstate, by));
        }
        for earlier in [0, 1] {
            self.undone(rehearsal::rehearsal(&Rehearsal {
                begin: begin.clone(),
                lease: held.clone(),
                token: token(),
                content: content(),
                bank_version: BankVersion::new(1),
                content_version: ContentVersion::new(0),
                daily_quota: 3,
                earlier,
            }));
        }
    }

    fn of_the_bank(&mut self) {
        let row = PuzzleRow {
            puzzle_id: id(),
            play_date: "2026-11-28".parse().unwrap(),
            name: "A teapot".to_owned(),
            price_cents: 1899,
            description: String::new(),
            image_url: None,
            expected_version: None,
        };
        let edit = BankEdit { token: token(), rows: vec![row], grace_ms: 1, by: ada(), edits: None };
        self.kept(puzzle_bank::import(&edit));
        self.kept(source_images::begin(id(), &owner(), 1));
        let failed =
            ImageRecord::Failed { image_url: String::new(), error: String::new(), retry_after_ms: 1 };
        self.kept(source_images::record(&lease(LeaseKey::Image(id())), &failed));
        self.kept(results_log::report(&ResultReport {
            puzzle_id: id(),
            session_id: "0123456789abcdef0123456789abcdef".parse::<SessionId>().unwrap(),
            result: GameResult::new(GameOutcome::Won, 3).unwrap(),
            token: ReportToken::new("report"),
        }));
    }

    fn of_the_operation(&mut self) {
        self.kept(switches::set_paused(true, &entry(ActionKind::Pause)));
        self.kept(switches::set_quota(Some(3), None, &entry(ActionKind::Pause)));
        let policy = CatchUp { publish_late: true, skip_older_than: None };
        self.kept(switches::set_catch_up(policy, None, &entry(ActionKind::Pause)));
        self.kept(action_log::trace_preview(&entry(ActionKind::PreviewLink), id(), now()));
        let run = RunId::new("run");
        self.kept(job_runs::start(&run, Job::Publish, &owner(), "1.0", None));
        self.kept(job_runs::start(&run, Job::Publish, &owner(), "1.0", Some(&ada())));
        self.kept(job_runs::finish(&run, &BTreeMap::new(), None, None));
        for what in [Perishable::Runs, Perishable::Edits, Perishable::Events] {
            self.kept(job_runs::finish(&run, &BTreeMap::new(), None, Some(Pruning { what, keep_ms: 1 })));
        }
        let turns = Turns { seen_at: now(), raised: Vec::new(), moves: Vec::new() };
        self.kept(alert_log::turn(&turns, &[], &owner()));
        self.kept(outbox::enqueue(&[]));
        self.kept(outbox::claim(&[], &owner()));
        let page = PageChange {
            change: CommitKind::Publish,
            puzzle_id: id(),
            content_version: ContentVersion::new(1),
            revision: Revision::new(1),
        };
        let event = Event {
            event_id: "publish-7-v1".parse().unwrap(),
            subject: Subject::Page(page),
            happened_at: now(),
        };
        let claimed = ClaimedEvent { now: now(), event: event.clone(), attempt: 1, owner: owner() };
        self.kept(outbox::record(&claimed, &DeliveryEnd::Delivered));
        self.kept(outbox::retry(&event.event_id, &entry(ActionKind::Retry)));
    }

    fn all() -> Self {
        let mut batches = Self::default();
        batches.of_leases_and_items();
        batches.of_the_bank();
        batches.of_the_operation();
        batches
    }
}

#[test]
fn every_batch_is_as_it_was_reviewed() {
    let mut list = String::new();
    for statements in Batches::all().0 {
        let mut before = 0;
        for (at, statement) in statements.iter().enumerate() {
            let indent = if at == 0 { "" } else { "  " };
            let (name, arity) = (statement.text().name(), statement.params().len());
            match arity {
                0 => writeln!(list, "{indent}{name}").unwrap(),
                _ => writeln!(list, "{indent}{name} ${}…${}", before + 1, before + arity).unwrap(),
            }
            before += arity;
        }
    }
    expect_file![file("batches.txt")].assert_eq(&list);
}

/// A batch that is not listed would not have been reviewed: every text that is no read by itself
/// belongs to one.
#[test]
fn no_text_that_writes_is_left_out() {
    const WRITING: [&str; 3] = ["INSERT INTO ", "UPDATE ", "DELETE FROM "];
    let batches = Batches::all().0;
    let listed: BTreeSet<_> = batches.iter().flatten().map(|statement| statement.text().name()).collect();
    let writes =
        catalog::texts().into_iter().filter(|text| WRITING.iter().any(|begin| text.sql().contains(begin)));
    let missing: Vec<_> = writes.map(SqlText::name).filter(|name| !listed.contains(name)).collect();
    assert_eq!(missing, [""; 0]);
}

#[test]
fn a_script_is_as_it_was_reviewed() {
    let batch = change(Change::Publish(content()), Some(ada().does(ActionKind::Republish)));
    expect_file![file("publish.sql")].assert_eq(&format!("{}\n", script(batch.statements())));
}
