//! A process that is killed at any moment, again and again, on one growing database.

use std::{path::Path, process::Stdio};

use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::process::Child;

use crate::{
    bank::{bank, row, row_with_photo},
    harness::{Dice, Place, Server, TOKEN, alone, client, in_time, rounds},
    image_server::ImageServer,
};

const DAY_MS: i64 = 86_400_000;
/// Longer than the leases of the processes here, which live for a second.
const LEASE_ENDS_MS: i64 = 2_000;
/// On a day without end, and without a limit.
const OPTIONS: [&str; 4] = ["--lease-seconds", "1", "--daily-quota", "1000000"];

/// The game of day `number`, and two of long ago, which are due at once. One of four has
/// no photo, and some share one.
async fn rows_of(place: &Place, images: &ImageServer, number: i64) -> Value {
    let dates = ["2026-01-01", "2001-01-01", "2011-01-01"];
    let dates = dates.map(|first| format!("date('{first}', '+{number} days')")).join(", ");
    let dates = place.rows(&format!("SELECT {dates}")).await;
    let rows = dates[0].split(' ').zip(1..).map(|(date, nth)| {
        let id = 10 * number + nth;
        match id % 4 {
            0 => row(id, date),
            _ => row_with_photo(id, date, &images.photo(&format!("{}.png", id / 3))),
        }
    });
    bank(rows)
}

/// Kills a child that may have ended by itself.
async fn kill(mut child: Child) {
    child.start_kill().unwrap();
    in_time("the end of a killed process", child.wait()).await.unwrap();
}

fn run_silently(place: &Place, arguments: &[&str]) -> Child {
    let arguments = [arguments, &OPTIONS].concat();
    place.command(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Asks a server to run a job, and does not wait for an answer that may never come.
fn fire(server: &Server) {
    let url = format!("{}/admin/api/jobs/publish", server.url());
    tokio::spawn(client().post(url).bearer_auth(TOKEN).send());
}

/// Starts something, and kills it after a moment.
async fn work_and_die(place: &Place, import: &Path, dice: &mut Dice) -> &'static str {
    match dice.below(5) {
        0 => {
            let server = run_silently(place, &["serve", "--listen", "127.0.0.1:0"]);
            dice.pause_below(300).await;
            kill(server).await;
            "starting"
        }
        1 => {
            let server = place.serve(&OPTIONS).await;
            dice.pause_below(100).await;
            server.kill().await;
            "serving"
        }
        2 => {
            let server = place.serve(&[&["--no-cron"], &OPTIONS[..]].concat()).await;
            fire(&server);
            dice.pause_below(100).await;
            server.kill().await;
            "running a job for the API"
        }
        3 => {
            let command = run_silently(place, &["run", "publish"]);
            dice.pause_below(150).await;
            kill(command).await;
            "running a job"
        }
        _ => {
            let command = run_silently(place, &["import", import.to_str().unwrap()]);
            dice.pause_below(100).await;
            kill(command).await;
            "importing"
        }
    }
}

/// Every stored file is what its name says. What was being written when its process was
/// killed may be left beside them, under another name, and nothing reads it.
pub(super) fn check_photos(place: &Place) {
    for name in place.files_of_photos().iter().filter(|name| !name.contains('#')) {
        let bytes = std::fs::read(place.blobs().join(name)).unwrap();
        let hash = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        assert_eq!(*name, format!("{hash}.png"));
    }
}

#[tokio::test]
async fn whenever_a_process_is_killed_everything_is_published_once_and_nothing_is_half_done() {
    let _turn = alone().await;
    let images = ImageServer::start().await;
    let mut place = Place::at("2026-01-01T12:00:00Z").await;
    place.import(&bank([row(1, "2000-12-31")])).await;
    let import = place.path().join("bank.json");
    let mut dice = Dice::seeded(20_261_128);
    for round in 1..=rounds(25, 200) {
        let number = i64::try_from(round).unwrap();
        std::fs::write(&import, rows_of(&place, &images, number).await.to_string()).unwrap();
        // Some die while they wait for a photo.
        if dice.below(3) == 0 {
            images.hold();
        }
        if dice.below(2) == 0 {
            place.succeed(&["import", import.to_str().unwrap()]).await;
        }
        let doing = work_and_die(&place, &import, &mut dice).await;
        images.release();
        let verified = place.run(&["verify"]).await;
        assert_eq!(verified.code, Some(0), "round {round}, killed while {doing}: {verified:?}");
        check_photos(&place);
        place.succeed(&["import", import.to_str().unwrap()]).await;
        // The next one finds the lease live, or over, or a day gone by.
        place.let_pass([0, LEASE_ENDS_MS, DAY_MS, 2 * DAY_MS][usize::try_from(dice.below(4)).unwrap()]);
        println!("round {round}: killed while {doing}: {}", place.rows(TALLY).await.join(", "));
    }

    place.let_pass(400 * DAY_MS);
    let last = place.run(&[&["run", "publish", "--json"], &OPTIONS[..]].concat()).await;
    last.assert_quiet();
    check_everything_came_out(&place).await;
}

const TALLY: &str = "SELECT count(*) || ' ' || state FROM publication_items GROUP BY state ORDER BY state";

async fn check_everything_came_out(place: &Place) {
    place.run(&["verify"]).await.assert_quiet();
    let now = place.now().await;
    let overdue = place
        .rows(&format!(
            "SELECT puzzle_id FROM publication_items WHERE due_at <= {now} AND state <> 'published'"
        ))
        .await;
    assert!(overdue.is_empty(), "due and not published: {overdue:?}");
    let puzzles = place.number("SELECT count(*) FROM puzzles").await;
    let due = place.number(&format!("SELECT count(*) FROM publication_items WHERE due_at <= {now}")).await;
    let receipts = place.number("SELECT count(*) FROM commit_receipts WHERE kind = 'publish'").await;
    let pages = place.number("SELECT count(*) FROM answer_posts WHERE content_version = 1").await;
    let revision = place.number("SELECT publication_revision FROM site_state").await;
    assert_eq!((receipts, pages, revision), (due, due, due), "of {puzzles} puzzles");
    let cut_off = place.number("SELECT count(*) FROM job_runs WHERE finished_at IS NULL").await;
    let takeovers = place.number("SELECT sum(fence - 1) FROM job_leases").await;
    println!("{due} published once; {cut_off} runs were cut off, {takeovers} leases changed hands");
    assert!(cut_off > 0, "no kill met a run: the timing proves nothing");
    check_photos(place);
    let stored = place.rows("SELECT DISTINCT object_key FROM source_images ORDER BY 1").await;
    let files: Vec<_> = place.files_of_photos().into_iter().filter(|name| !name.contains('#')).collect();
    assert_eq!(files, stored);
}
