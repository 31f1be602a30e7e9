//! Every predicate and every link bears weight.
//!
//! Each case runs the real commit batch twice on the same state: as it is, when it must
//! refuse and leave every table alone, and with one condition taken out of its text,
//! when something must go wrong that can be seen. A condition that could be removed
//! without anybody noticing would fail here.

use fencepost_domain::{
    action::{ActionKind, Actor},
    commit::{Change, Commit, CommitKind},
    guard::Predicate,
    id::{BankVersion, CommitToken, ContentVersion, Fence, OwnerId, PuzzleId},
    image::{ImageFormat, ImageKey},
    lease::{Lease, LeaseKey},
    page::AnswerContent,
    time::UnixMillis,
};
use fencepost_ports::contract::{Inspect, Tables};
use fencepost_sql::{commit, guard::predicate_sql};
use sqlx::{AssertSqlSafe, Row};

use crate::backend::{File, bound, fresh};

pub(crate) const NOW: i64 = 1_764_375_000_000;
const URL: &str = "https://example.org/teapot.jpg";

/// The state in which a commit of `kind` lands, as SQL.
pub(crate) fn ready_for(kind: CommitKind) -> Vec<String> {
    let key = key();
    let day = NOW / 86_400_000;
    let mut sql = vec![
        format!(
            "INSERT INTO puzzles VALUES (7, '2025-11-28', 0, 1, 'A teapot', 1899, 'Fine.', '{URL}', 3, 'edit')"
        ),
        format!(
            "INSERT INTO source_images VALUES (7, '{URL}', 'ready', '{key}', 'image/jpeg', 9, NULL, 0, 0)"
        ),
        format!("INSERT INTO job_leases VALUES ('publication:7', 'me', 4, {}, 0)", NOW + 1),
        format!("INSERT INTO daily_quotas VALUES ({day}, 1, 2, NULL)"),
        format!(
            "INSERT INTO publication_items VALUES (7, '{}', {NOW}, 0, 0, NULL)",
            kind.state_before().as_str()
        ),
    ];
    if kind != CommitKind::Publish {
        sql.extend(page(&key, if kind == CommitKind::Reinstate { "5" } else { "NULL" }));
    }
    sql
}

/// A page at version 1, with its receipt.
fn page(key: &ImageKey, withdrawn_at: &str) -> [String; 3] {
    [
        format!(
            "INSERT INTO answer_posts VALUES (7, 1, 'first', 3, '2025-11-28', 'Old', 1, '', '{key}', 1, 5, 5, {withdrawn_at})"
        ),
        "INSERT INTO commit_receipts VALUES ('first', 7, 'publish', 'you', 3, 1, 1, 5)".to_owned(),
        "UPDATE site_state SET publication_revision = 1".to_owned(),
    ]
}

/// What makes exactly this predicate false.
fn violation(kind: CommitKind, predicate: Predicate) -> Vec<String> {
    let one = |sql: &str| vec![sql.to_owned()];
    match predicate {
        Predicate::LeaseOwner => one("UPDATE job_leases SET owner_id = 'you'"),
        Predicate::LeaseFence => one("UPDATE job_leases SET fence = 5"),
        Predicate::LeaseLive => vec![format!("UPDATE job_leases SET expires_at = {NOW}")],
        Predicate::ItemState => match kind {
            // No page may contradict the state, or the assertion would speak first.
            CommitKind::Publish => one("UPDATE publication_items SET state = 'scheduled'"),
            CommitKind::Update | CommitKind::Withdraw => vec![
                "UPDATE publication_items SET state = 'withdrawn'".to_owned(),
                "UPDATE answer_posts SET withdrawn_at = 5".to_owned(),
            ],
            CommitKind::Reinstate => vec![
                "UPDATE publication_items SET state = 'published'".to_owned(),
                "UPDATE answer_posts SET withdrawn_at = NULL".to_owned(),
            ],
        },
        Predicate::ItemDue => vec![format!("UPDATE publication_items SET due_at = {}", NOW + 1)],
        Predicate::NotTooLate => vec![
            "UPDATE site_state SET skip_older_than = 1".to_owned(),
            format!("UPDATE publication_items SET due_at = {}", NOW - 2),
        ],
        Predicate::BankVersion => one("UPDATE puzzles SET bank_version = 4"),
        Predicate::ImageReady => one("UPDATE puzzles SET image_url = 'https://example.org/other.jpg'"),
        Predicate::ContentVersion => match kind {
            CommitKind::Publish => page(&key(), "5").to_vec(),
            _ => vec![
                "UPDATE answer_posts SET content_version = 2, commit_token = 'second'".to_owned(),
                "INSERT INTO commit_receipts VALUES ('second', 7, 'update', 'you', 3, 2, 2, 6)".to_owned(),
                "UPDATE site_state SET publication_revision = 2".to_owned(),
            ],
        },
        Predicate::StaysIndexable => vec![
            "UPDATE puzzles SET image_url = NULL".to_owned(),
            "UPDATE answer_posts SET image_key = NULL".to_owned(),
        ],
        Predicate::KeepsPhoto => vec![
            "UPDATE puzzles SET image_url = NULL".to_owned(),
            "UPDATE answer_posts SET indexable = 0".to_owned(),
        ],
        Predicate::QuotaLeft => one("UPDATE daily_quotas SET published = 2"),
        Predicate::NotPaused => one("UPDATE site_state SET paused = 1"),
    }
}

/// The commit that lands on [`ready_for`]. Without a photo where the predicate is about losing it.
pub(crate) fn attempt(kind: CommitKind, with_photo: bool) -> Commit {
    let content = AnswerContent {
        play_date: "2025-11-28".parse().unwrap(),
        name: "A teapot".to_owned(),
        price_cents: 1899,
        body_html: "<p>Fine.</p>".to_owned(),
        image_key: with_photo.then(key),
    };
    Commit {
        lease: Lease {
            key: LeaseKey::Publication(PuzzleId::try_from(7).unwrap()),
            owner: OwnerId::new("me"),
            fence: Fence::new(4),
            expires_at: UnixMillis::new(NOW + 1),
        },
        token: CommitToken::new("mine"),
        change: match kind {
            CommitKind::Publish => Change::Publish(content),
            CommitKind::Update => Change::Update(content),
            CommitKind::Withdraw => Change::Withdraw,
            CommitKind::Reinstate => Change::Reinstate,
        },
        bank_version: BankVersion::new(3),
        content_version: ContentVersion::new(i64::from(kind != CommitKind::Publish)),
        daily_quota: 0,
        by: None,
    }
}

fn key() -> ImageKey {
    ImageKey::new([7; 32], ImageFormat::Jpeg)
}

/// What a batch led to.
#[derive(Debug, PartialEq)]
enum Ran {
    Landed,
    Refused,
    Raised(String),
}

/// A change of the batch's texts, by the name of the text.
type Mutation<'a> = &'a dyn Fn(&str, &str) -> String;

fn unchanged(_: &str, sql: &str) -> String {
    sql.to_owned()
}

/// Sets a state up, runs the batch with changed texts, and returns the tables around it.
async fn run(setup: &[String], attempt: &Commit, mutation: Mutation<'_>) -> (Ran, Tables, Tables) {
    let (_store, _, file) = fresh().await;
    for sql in setup {
        sqlx::raw_sql(AssertSqlSafe(sql.clone())).execute(&file.pool).await.unwrap();
    }
    let before = file.tables().await.unwrap();
    let ran = run_batch(&file, attempt, mutation).await;
    let after = file.tables().await.unwrap();
    (ran, before, after)
}

async fn run_batch(file: &File, attempt: &Commit, mutation: Mutation<'_>) -> Ran {
    let batch = commit::commit(attempt);
    let mut transaction = file.pool.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let mut landed = false;
    for statement in batch.statements() {
        let sql = mutation(statement.text().name(), statement.sql());
        match bound(sql, statement.params(), NOW).fetch_all(&mut *transaction).await {
            Ok(rows) => landed = rows.first().is_some_and(|row| row.get::<i64, _>("landed") == 1),
            Err(error) => return Ran::Raised(error.to_string()),
        }
    }
    transaction.commit().await.unwrap();
    if landed { Ran::Landed } else { Ran::Refused }
}

/// Replaces `needle` in the text `name`, and insists that it was there.
fn without<'a>(name: &'a str, needle: String, replacement: &'a str) -> impl Fn(&str, &str) -> String + 'a {
    move |text, sql| {
        if text != name {
            return sql.to_owned();
        }
        assert!(sql.contains(&needle), "{name} does not contain {needle:?}");
        sql.replace(&needle, replacement)
    }
}

fn page_text(kind: CommitKind) -> String {
    format!("commit/{}_page", kind.as_str())
}

#[tokio::test]
async fn each_kind_of_commit_lands_when_every_predicate_holds() {
    for kind in CommitKind::ALL {
        let (ran, _, _) = run(&ready_for(kind), &attempt(kind, true), &unchanged).await;
        assert_eq!(ran, Ran::Landed, "{kind:?}");
    }
}

#[tokio::test]
async fn every_predicate_of_every_kind_is_missed_when_it_is_gone() {
    for kind in CommitKind::ALL {
        for predicate in kind.guard().iter().copied() {
            let case = format!("{kind:?} without {predicate:?}");
            let mut setup = ready_for(kind);
            setup.extend(violation(kind, predicate));
            let with_photo = !matches!(predicate, Predicate::StaysIndexable | Predicate::KeepsPhoto);
            let attempt = attempt(kind, with_photo);

            // A published page under a `processing` item is a contradiction of its own,
            // which the assertion catches whether or not the guard does.
            let contradicts = kind == CommitKind::Publish && predicate == Predicate::ContentVersion;
            let (ran, before, after) = run(&setup, &attempt, &unchanged).await;
            match &ran {
                Ran::Raised(_) => assert!(contradicts, "{case}: {ran:?}"),
                _ => assert_eq!(ran, Ran::Refused, "{case}"),
            }
            assert_eq!(before, after, "{case}: a refusal wrote something");

            let name = page_text(kind);
            let gone = without(&name, predicate_sql(predicate), "true");
            let (mutant, _, _) = run(&setup, &attempt, &gone).await;
            assert_ne!(mutant, ran, "{case}: nobody would notice");
        }
    }
}

#[tokio::test]
async fn the_key_of_the_lease_bears_weight() {
    for kind in CommitKind::ALL {
        let mut setup = ready_for(kind);
        setup.push("UPDATE job_leases SET key = 'image:7'".to_owned());
        let attempt = attempt(kind, true);
        let (ran, before, after) = run(&setup, &attempt, &unchanged).await;
        assert_eq!((ran, before), (Ran::Refused, after), "{kind:?}");
        let name = page_text(kind);
        let (mutant, _, _) = run(&setup, &attempt, &without(&name, "WHERE l.key = ?3".to_owned(), "")).await;
        assert_eq!(mutant, Ran::Landed, "{kind:?}: any lease would do");
    }
}

/// A stale writer's commit: with its lease taken over, on a state that others made.
async fn check_link(text: &str, link: &str, setup: &[String], attempt: &Commit) {
    let (ran, before, after) = run(setup, attempt, &unchanged).await;
    assert_eq!((ran, &before), (Ran::Refused, &after), "{text}");
    let (mutant, _, after) = run(setup, attempt, &without(text, link.to_owned(), "")).await;
    assert!(
        matches!(mutant, Ran::Raised(_)) || before != after,
        "{text}: without its link it changes nothing, so the link is not shown to matter ({mutant:?})"
    );
}

const LINK: &str =
    "  AND EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = ?2 AND a.commit_token = ?7)";

#[tokio::test]
async fn every_link_of_the_token_chain_is_missed_when_it_is_gone() {
    let stale = |kind| {
        let mut setup = ready_for(kind);
        setup.push("UPDATE job_leases SET owner_id = 'you', fence = 5".to_owned());
        setup
    };
    // The rival has published, and the item is out.
    let mut overtaken = stale(CommitKind::Publish);
    overtaken.extend(page(&key(), "NULL"));
    overtaken.push("UPDATE publication_items SET state = 'published'".to_owned());
    // The lease is in hand, but the bank has moved on.
    let mut edited = ready_for(CommitKind::Publish);
    edited.push("UPDATE puzzles SET bank_version = 4".to_owned());

    let publish = attempt(CommitKind::Publish, true);
    let update = attempt(CommitKind::Update, true);
    let withdraw = attempt(CommitKind::Withdraw, true);
    check_link("commit/move_item", LINK, &stale(CommitKind::Publish), &publish).await;
    check_link("commit/move_item", LINK, &stale(CommitKind::Withdraw), &withdraw).await;
    check_link("commit/raise_revision", LINK, &stale(CommitKind::Publish), &publish).await;
    check_link("commit/raise_revision", LINK, &stale(CommitKind::Update), &update).await;
    check_link("commit/write_receipt", "  AND a.commit_token = ?7", &stale(CommitKind::Update), &update)
        .await;
    check_link("commit/count_quota", "  AND a.commit_token = ?7", &overtaken, &publish).await;
    let by = Some(Actor::new("Ada", None).unwrap().does(ActionKind::Withdraw));
    let of_a_person = Commit { by, ..withdraw };
    check_link("commit/trace_deed", "  AND a.commit_token = ?7", &stale(CommitKind::Withdraw), &of_a_person)
        .await;
    check_link("commit/release_lease", LINK, &edited, &publish).await;
}

/// A batch with a bug that only one part of the assertion can see.
async fn check_assertion(part: &str, setup: &[String], attempt: &Commit, bug: Mutation<'_>) {
    let (ran, before, after) = run(setup, attempt, bug).await;
    let Ran::Raised(message) = ran else { panic!("{part}: the bug went unnoticed ({ran:?})") };
    assert!(message.contains(part), "another part spoke: {message}");
    assert_eq!(before, after, "{part}: the batch was not rolled back");

    let silenced = |name: &str, sql: &str| {
        let sql = bug(name, sql);
        let Some(end) = sql.find(&format!("THEN 'assertion failed: {part}'")) else { return sql };
        let start = sql[..end].rfind("WHEN (").unwrap();
        format!("{}WHEN false {}", &sql[..start], &sql[end..])
    };
    let (silent, before, after) = run(setup, attempt, &silenced).await;
    assert!(!matches!(silent, Ran::Raised(_)), "{part}: another part would have caught it: {silent:?}");
    assert_ne!(before, after, "{part}: nothing was damaged");
}

#[tokio::test]
async fn every_part_of_the_assertion_is_missed_when_it_is_gone() {
    let mut stale = ready_for(CommitKind::Publish);
    stale.push("UPDATE job_leases SET owner_id = 'you', fence = 5".to_owned());
    let ready = ready_for(CommitKind::Publish);
    let publish = attempt(CommitKind::Publish, true);

    // A stale writer and no page yet: the parts hold in a SELECT that always has a row.
    let unlinked_revision = without("commit/raise_revision", LINK.to_owned(), "");
    check_assertion("the revision is not that of the newest receipt", &stale, &publish, &unlinked_revision)
        .await;
    let unlinked_state = without("commit/move_item", LINK.to_owned(), "");
    check_assertion("the state of the item does not fit the page", &stale, &publish, &unlinked_state).await;

    let foreign_token = without("commit/write_receipt", "SELECT ?7,".to_owned(), "SELECT ?7 || 'x',");
    check_assertion("token and receipt are not together", &ready, &publish, &foreign_token).await;
    let wrong_version =
        without("commit/write_receipt", "a.content_version, s.".to_owned(), "a.content_version + 1, s.");
    check_assertion("the version is not that of the newest receipt", &ready, &publish, &wrong_version).await;
}
