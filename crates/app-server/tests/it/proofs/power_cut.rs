//! The power fails, at any moment, while two servers write.
//!
//! A power cut is not a kill. After a kill, all that was written is there, since the
//! system keeps it; after a power cut, only what the disk had. And a kill ends one process
//! while the others go on. Here, all processes are stopped where they stand, each of their
//! threads, and database and photos are copied while nobody writes: a picture of one
//! moment. Then the processes go on, or are killed with `kill -9` and started anew. Each
//! picture is what one power cut leaves behind.
//!
//! # What is shown
//!
//! - Whatever the moment, a picture opens, with its `-shm` and without. `verify` and SQLite
//!   itself find nothing wrong, and every photo is whole.
//! - All that clients had been told by then is in it: changes of pages that an answer or a
//!   line of the log reported, answers that a reader was shown, imports that were answered.
//!   Nothing is told before it is written.
//! - The picture goes on: once its leases are over, one run publishes all that is due, each
//!   once.
//! - A disk may have kept less than was written, in any order. So pictures are harmed as
//!   well: the log ends anywhere, within a header or a frame or between two; it ends in
//!   noise; it has holes; and pages of the main file that the log has anew are half written,
//!   as by a checkpoint that was cut off. All of this is as sound as before. If the harm is
//!   beyond the last commit, or in the main file only, nothing that was told is missing; if
//!   it reaches into commits, as on a disk that lies about what it has, the last ones are
//!   lost whole.
//! - A photo that is stored and not yet recorded may be lost. It is fetched again.
//!
//! # What is not shown
//!
//! - That a commit is on the disk when it is told. A picture has what was written, synced
//!   or not. That a commit is synced is SQLite's promise for `synchronous=FULL`, which a test
//!   of the adapter finds set; and that a synced write stays is the disk's. A log that is
//!   cut within commits shows what becomes of a broken promise, and not that it is kept.
//! - The same for photos: that a file and its name are synced before it counts as stored is
//!   in the code (`disk_blobs`), and no picture could tell.
//! - The middle of a single write, or of a sync: a thread that is told to stop finishes its
//!   call first. The cuts and holes stand for it.
//! - A checkpoint, but by chance: a life is short, and hardly any picture meets one under
//!   way. The figures tell how many did. Torn pages stand for it.
//! - The moment at which the first process makes the database. There is nothing to lose yet.
//! - A log that lost what a checkpoint has begun to move, see [`disk`]; a main file that
//!   lost what was synced long ago; and photos that were. This is damage, and a backup's
//!   business.

mod disk;
mod load;

use std::collections::BTreeSet;

use serde_json::Value;
use tokio::task::JoinSet;

use self::{
    disk::{Log, beside},
    load::{Load, TODAY, Told},
};
use super::killed::check_photos;
use crate::harness::{Dice, Place, Server, alone, rounds, until};

const DAY_MS: i64 = 86_400_000;
/// Longer than any lease here, and than an item rests after a failure.
const ALL_IS_OVER_MS: i64 = 2 * DAY_MS;
/// On a day without end, and without a limit.
const QUOTA: [&str; 2] = ["--daily-quota", "1000000"];
/// The servers' leases end soon. A run on a picture has those that everybody has.
const OPTIONS: [&str; 4] = ["--lease-seconds", "1", QUOTA[0], QUOTA[1]];

/// What the disk held at one moment.
struct Picture {
    place: Place,
    log: Option<Log>,
    /// What clients had been told by then.
    told: Told,
    /// When the servers of the picture had begun.
    servers_began: i64,
}

impl Picture {
    /// Takes a picture of servers that stand still.
    async fn take(place: &Place, servers: &[Server], load: &Load, servers_began: i64) -> Self {
        let place = place.copied().await;
        // What was said before they stood still may have been heard while they did.
        servers.iter().for_each(|server| load.read_log(&server.log()));
        Self { log: Log::of(&place), told: load.told(), place, servers_began }
    }
}

/// What was met.
#[derive(Debug, Default)]
struct Figures {
    lives: usize,
    pictures: usize,
    with_a_log: usize,
    with_a_transaction_cut_off: usize,
    with_a_checkpoint_under_way: usize,
    with_a_run_cut_off: usize,
    with_an_item_in_hand: usize,
    with_answers_due: usize,
    harmed: usize,
    logs_harmed: usize,
    harmed_without_loss: usize,
    photos_lost: usize,
    commits_told: usize,
}

/// The servers of one life, from their start until they are killed, and the pictures of it.
async fn live(place: &Place, load: &Load, pictures: usize, dice: &mut Dice) -> Vec<Picture> {
    let began = place.now().await;
    let mut clients = JoinSet::new();
    let mut servers = Vec::new();
    for _ in 0..2 {
        let server = place.serve(&OPTIONS).await;
        load.on(&server, dice.below(1 << 32), &mut clients);
        servers.push(server);
    }
    until("a commit that is told", async || !load.told().commits.is_empty()).await;
    let mut taken = Vec::new();
    for _ in 0..pictures {
        for server in &servers {
            server.signal("CONT").await;
        }
        dice.pause_below(150).await;
        Server::freeze(&servers).await;
        taken.push(Picture::take(place, &servers, load, began).await);
    }
    for server in servers {
        server.kill().await;
    }
    while let Some(client) = clients.join_next().await {
        client.unwrap();
    }
    taken
}

/// A picture opens, is sound, has everything that clients were told, and goes on.
async fn check(picture: Picture, figures: &mut Figures, dice: &mut Dice) {
    let Picture { mut place, log, told, servers_began } = picture;
    if let Some(log) = &log {
        figures.with_a_log += usize::from(log.committed > 0);
        figures.with_a_transaction_cut_off += usize::from(log.has_more_than_commits());
        figures.with_a_checkpoint_under_way += usize::from(log.checkpoint_under_way);
        for _ in 0..rounds(2, 4) {
            check_harmed(place.copied().await, log, &told, figures, dice).await;
        }
    }
    if dice.below(2) == 0 {
        std::fs::remove_file(beside(&place, "-shm")).unwrap();
    }
    check_sound(&place, "as it was").await;
    check_has(&place, &told, "as it was").await;
    let number = async |sql: &str| usize::try_from(place.number(sql).await).unwrap();
    let run =
        format!("SELECT count(*) FROM job_runs WHERE finished_at IS NULL AND started_at >= {servers_began}");
    let in_hand = "SELECT count(*) FROM publication_items WHERE state = 'processing'";
    figures.pictures += 1;
    figures.commits_told = told.commits.len();
    figures.with_a_run_cut_off += usize::from(number(&run).await > 0);
    figures.with_an_item_in_hand += usize::from(number(in_hand).await > 0);
    figures.photos_lost += lose_photos(&place).await;
    place.let_pass(ALL_IS_OVER_MS);
    figures.with_answers_due += usize::from(check_goes_on(&place).await > 0);
}

/// Takes away the photos that are stored and not recorded. Returns how many those were.
async fn lose_photos(place: &Place) -> usize {
    let recorded = place.rows("SELECT DISTINCT object_key FROM source_images WHERE state = 'ready' UNION SELECT image_key FROM answer_posts").await;
    let stored = place.files_of_photos();
    let lost: Vec<_> = stored.iter().filter(|name| !recorded.contains(name)).collect();
    for name in &lost {
        std::fs::remove_file(place.blobs().join(name)).unwrap();
    }
    lost.len()
}

async fn check_harmed(place: Place, log: &Log, told: &Told, figures: &mut Figures, dice: &mut Dice) {
    let harmed = log.harm(&place, figures.harmed, dice);
    check_sound(&place, &harmed.how).await;
    if !harmed.commits {
        check_has(&place, told, &harmed.how).await;
    }
    figures.harmed += 1;
    figures.logs_harmed += usize::from(harmed.log && harmed.commits);
    figures.harmed_without_loss += usize::from(!harmed.commits);
}

/// The file is whole, and nothing in it is half done.
async fn check_sound(place: &Place, how: &str) {
    let verified = place.run(&["verify"]).await;
    assert_eq!(verified.code, Some(0), "a picture, {how}: {verified:?}");
    assert_eq!(place.rows("PRAGMA integrity_check").await, ["ok"], "a picture, {how}");
    check_photos(place);
}

/// Nothing is missing that a client was told.
async fn check_has(place: &Place, told: &Told, how: &str) {
    let numbers = async |sql: &str| -> BTreeSet<i64> {
        place.rows(sql).await.iter().map(|row| row.parse().unwrap()).collect()
    };
    let receipts: BTreeSet<_> =
        place.rows("SELECT revision, puzzle_id FROM commit_receipts").await.into_iter().collect();
    let told_of: BTreeSet<_> = told.commits.iter().map(|(revision, id)| format!("{revision} {id}")).collect();
    let lost: Vec<_> = told_of.difference(&receipts).collect();
    assert!(
        lost.is_empty(),
        "a picture, {how}, lost commits that were reported (revision, puzzle): {lost:?}"
    );
    let pages = numbers("SELECT puzzle_id FROM answer_posts").await;
    let lost: Vec<_> = told.shown.difference(&pages).collect();
    assert!(lost.is_empty(), "a picture, {how}, lost pages that were shown: {lost:?}");
    let puzzles = numbers("SELECT puzzle_id FROM puzzles").await;
    let lost: Vec<_> = told.imported.difference(&puzzles).collect();
    assert!(lost.is_empty(), "a picture, {how}, lost puzzles that were imported: {lost:?}");
}

/// One run publishes all that is due, each once. Returns how many those were.
async fn check_goes_on(place: &Place) -> usize {
    let now = place.now().await;
    let due = format!(
        "SELECT puzzle_id FROM publication_items \
         WHERE due_at <= {now} AND state NOT IN ('published', 'withdrawn') ORDER BY puzzle_id"
    );
    let waiting = place.rows(&due).await;
    let ended = place.run(&["run", "publish", "--json", QUOTA[0], QUOTA[1]]).await;
    ended.assert_quiet();
    let report = ended.json();
    let published =
        |item: &Value| (item["outcome"] == "published").then(|| item["puzzle_id"].as_i64().unwrap());
    let mut published: Vec<_> = report["items"].as_array().unwrap().iter().filter_map(published).collect();
    published.sort_unstable();
    assert_eq!(published.iter().map(i64::to_string).collect::<Vec<_>>(), waiting, "{report}");
    assert_eq!(place.rows(&due).await, [] as [&str; 0], "due and not published");

    let revision = place.number("SELECT publication_revision FROM site_state").await;
    let receipts = place.number("SELECT count(*) FROM commit_receipts").await;
    assert_eq!(revision, receipts);
    let first = "SELECT count(*) FROM commit_receipts WHERE kind = 'publish'";
    let pages = place.number("SELECT count(*) FROM answer_posts").await;
    let items = format!("SELECT count(*) FROM publication_items WHERE due_at <= {now}");
    assert_eq!((place.number(first).await, place.number(&items).await), (pages, pages), "published once");
    check_sound(place, "after a run").await;
    waiting.len()
}

#[tokio::test]
async fn whenever_the_power_fails_what_was_reported_is_there_and_nothing_is_half_done() {
    let _turn = alone().await;
    let mut place = Place::at(&format!("{TODAY}T12:00:00Z")).await;
    let load = Load::new(&place).await;
    let mut dice = Dice::seeded(20_261_130);
    let mut figures = Figures::default();
    for life in 1..=rounds(2, 20) {
        let pictures = live(&place, &load, rounds(3, 10), &mut dice).await;
        figures.lives = life;
        for picture in pictures {
            check(picture, &mut figures, &mut dice).await;
        }
        println!("life {life}: {} pictures so far, and {} harmed ones", figures.pictures, figures.harmed);
        // The next ones find the leases live, or over, or a day gone by.
        place.let_pass([0, 2_000, DAY_MS][dice.within(0..=2)]);
    }
    place.let_pass(ALL_IS_OVER_MS);
    check_goes_on(&place).await;
    check_has(&place, &load.told(), "none: the database itself").await;
    let pages = place.number("SELECT count(*) FROM answer_posts").await;
    println!("{figures:#?}, {pages} pages at the end");
    for (met, what) in [
        (figures.with_a_log, "a log"),
        (figures.with_a_run_cut_off, "a run that was cut off"),
        (figures.with_answers_due, "answers due"),
        (figures.logs_harmed, "commits in the part of the log that was harmed"),
        (figures.harmed_without_loss, "harm to what no commit needs"),
        (figures.commits_told, "commits that a client was told"),
    ] {
        assert!(met > 0, "no picture had {what}: the timing proves nothing");
    }
}
