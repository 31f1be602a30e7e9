//! Databases that cannot be used, or not now: one clear line, nothing changed, and work
//! goes on as soon as it can.

use std::{
    fs::Permissions,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
};

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use sqlx::Connection;
use tokio::process::Command;

use crate::{
    bank::{bank, november, row},
    harness::{BINARY, Ended, Place, in_time, until},
};

/// Ended with a fault that it told in one line, with all of `words`.
fn assert_told(ended: &Ended, words: &[&str]) {
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let told: Vec<_> = ended.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(told.len(), 1, "{ended:?}");
    for word in words {
        assert!(told[0].contains(word), "no {word:?} in: {}", told[0]);
    }
    for noise in ["panicked", "Os {", "Error {"] {
        assert!(!ended.stderr.contains(noise), "{}", ended.stderr);
    }
}

const BUSY: &[&str] = &["another process keeps writing", "find the process that holds the file"];

#[tokio::test]
async fn a_database_that_is_locked_for_long_is_told_and_read_all_the_same_and_used_when_it_is_free() {
    let place = Place::at("2026-11-04T00:09:55Z").await;
    place.import(&bank(november(6))).await;
    let admin = place.serve(&["--no-cron"]).await;
    let jobs = place.serve(&[]).await;
    until("two answers", async || place.number("SELECT count(*) FROM answer_posts").await == 2).await;
    until("the first run", async || place.number("SELECT count(finished_at) FROM job_runs").await == 1).await;
    // The third answer falls due while somebody else keeps the file to himself.
    let before = place.dump(&[]).await;
    let mut hog = place.connect().await;
    let transaction = hog.begin_with("BEGIN IMMEDIATE").await.unwrap();

    let ask = async |path: &str| {
        let answer = admin.admin(Method::POST, path, Some(&json!({}))).await;
        let status = answer.status();
        (status, answer.json::<Value>().await.unwrap())
    };
    let more = bank([row(9, "2026-11-09")]).to_string();
    let began = place.now().await;
    let ((status, problem), run, import) = tokio::join!(
        ask("/jobs/publish"),
        place.run(&["run", "publish"]),
        place.run_with_input(&["import", "-"], &more),
    );
    println!("all three gave up within {} ms", place.now().await - began);
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{problem}");
    assert_eq!(problem["may_have_written"], json!(false), "{problem}");
    let detail = problem["detail"].as_str().unwrap();
    assert!(BUSY.iter().all(|word| detail.contains(word)), "{detail}");
    assert_told(&run, BUSY);
    assert_told(&import, BUSY);
    until("the jobs to notice", async || jobs.log().contains("no job can run")).await;

    // Reading goes on, and so does starting.
    for server in [&admin, &jobs, &place.serve(&["--no-cron"]).await] {
        assert_eq!(server.get("/answers/2").await.status(), StatusCode::OK);
        assert_eq!(server.read("/status").await["overdue"], json!(1));
    }
    place.run(&["verify"]).await.assert_quiet();
    place.run(&["status"]).await.assert_quiet();
    assert_eq!(place.dump(&[]).await, before);

    transaction.rollback().await.unwrap();
    hog.close().await.unwrap();
    until("the third answer", async || place.number("SELECT count(*) FROM answer_posts").await == 3).await;
    let report = admin.post("/jobs/publish", &json!({})).await;
    assert_eq!(report["items"], json!([]));
    assert_eq!(jobs.stop().await.stderr.matches("no job can run").count(), 1);
    admin.stop().await;
    place.run(&["verify"]).await.assert_quiet();
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused_by_everything_that_would_use_it() {
    let place = Place::at("2026-11-04T12:00:00Z").await;
    place.import(&bank(november(6))).await;
    place.execute("INSERT INTO d1_migrations (name) VALUES ('9999_from_the_future.sql')").await;
    let before = place.dump(&[]).await;
    let more = bank([row(9, "2026-11-09")]).to_string();
    for command in [
        &["serve", "--listen", "127.0.0.1:0"][..],
        &["run", "publish"],
        &["import", "-"],
        &["withdraw", "1"],
        &["verify"],
        &["status"],
    ] {
        let ended = place.run_with_input(command, &more).await;
        assert_told(&ended, &["newer version", "9999_from_the_future.sql", "restore a backup"]);
    }
    assert_eq!(place.dump(&[]).await, before);
}

/// A user that owns nothing, for tests that run as one that may write everywhere.
const NOBODY: u32 = 65_534;

/// The command, run by somebody whom permissions hold back: file permissions mean
/// nothing to root, which containers often run tests as.
fn held_back(place: &Place, arguments: &[&str]) -> Command {
    if std::fs::metadata(place.path()).unwrap().uid() != 0 {
        return place.command(arguments);
    }
    // Where the binary was built, that user may have no way to it.
    let copy = place.path().join("fencepost-copy");
    if !copy.exists() {
        // By another process: while this one had it open for writing, a child of another test
        // could be forked with it, and nobody could start the copy until that child is gone.
        let copied = std::process::Command::new("cp").arg(BINARY).arg(&copy).status().unwrap();
        assert!(copied.success(), "cp ended with {copied}");
        set_mode(&copy, 0o755);
    }
    let mut command = place.command_of(&copy, arguments);
    command.uid(NOBODY).gid(NOBODY);
    command
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

async fn check_held_back(place: &Place, arguments: &[&str], words: &[&str]) {
    let output = in_time("a refusal", held_back(place, arguments).output()).await.unwrap();
    let ended = Ended {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    };
    assert_told(&ended, words);
}

#[tokio::test]
async fn a_database_that_may_not_be_written_is_told_and_left_alone() {
    let place = Place::at("2026-11-04T12:00:00Z").await;
    place.import(&bank(november(6))).await;
    std::fs::create_dir_all(place.blobs()).unwrap();
    let before = place.dump(&[]).await;
    let listed = ["serve", "--listen", "127.0.0.1:0"];

    // The file.
    set_mode(place.path(), 0o777);
    set_mode(&place.blobs(), 0o777);
    set_mode(&place.database(), 0o444);
    for command in [&listed[..], &["run", "publish"]] {
        check_held_back(&place, command, &["fencepost.db", "write permission"]).await;
    }
    // Its folder, in which the write-ahead log would have to be made.
    set_mode(&place.database(), 0o666);
    set_mode(place.path(), 0o555);
    for command in [&listed[..], &["run", "publish"]] {
        check_held_back(&place, command, &["fencepost.db", "write permission", "its folder"]).await;
    }
    set_mode(place.path(), 0o777);
    assert_eq!(place.dump(&[]).await, before);

    // A folder in which there is no database yet.
    let file = std::fs::read(place.database()).unwrap();
    std::fs::remove_file(place.database()).unwrap();
    set_mode(place.path(), 0o555);
    check_held_back(&place, &listed, &["fencepost.db", "may be written"]).await;
    set_mode(place.path(), 0o777);
    std::fs::write(place.database(), file).unwrap();
    place.run(&["verify"]).await.assert_quiet();
}
