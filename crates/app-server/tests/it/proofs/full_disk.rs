//! A disk that is full, staged as a limit on the size of files.
//!
//! The process may open and read everything, and what it writes beyond the limit fails.
//! The limit is lifted while it runs, as when somebody frees space. SQLite calls it an
//! I/O error and not a full disk, which is the harder one of the two: nobody knows what
//! became of a commit that ends so.

use std::path::Path;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::{
    bank::{bank, november, row, row_with_photo},
    harness::{BINARY, Ended, Launched, Place, Server, in_time, until},
    image_server::ImageServer,
};

const TOLD: &str = "check the disk";

/// A process whose files may have `kib` KiB.
fn cramped(place: &Place, kib: u32, arguments: &[&str]) -> Command {
    // The unit of `ulimit` is half a KiB. The limit is a soft one, which can be lifted.
    let script = format!("trap '' XFSZ; ulimit -S -f {}; exec \"$0\" \"$@\"", 2 * kib);
    place.command_of(Path::new("sh"), &[&["-c", &script, BINARY], arguments].concat())
}

async fn serve(place: &Place, kib: u32, options: &[&str]) -> Server {
    let arguments = [&["serve", "--listen", "127.0.0.1:0", "--no-cron"], options].concat();
    Launched::of(cramped(place, kib, &arguments)).ready().await
}

async fn free_space(server: &Server) {
    let lifted = Command::new("prlimit").args(["--pid", &server.pid(), "--fsize=unlimited:"]).status().await;
    assert!(lifted.unwrap().success());
}

/// An import that is larger than any limit here.
fn large_import() -> Value {
    let rows = (1..=20).map(|day| {
        let mut row = row(100 + day, &format!("2026-10-{day:02}"));
        row["description"] = "A long story. ".repeat(1_000).into();
        row
    });
    bank(rows)
}

#[tokio::test]
async fn a_server_on_a_full_disk_says_so_writes_nothing_by_halves_and_goes_on_when_there_is_space() {
    let place = Place::at("2026-11-03T12:00:00Z").await;
    place.import(&bank(november(3))).await;
    place.succeed(&["run", "publish"]).await;
    place.import(&bank([row(9, "2026-10-31")])).await;
    let public = ["answer_posts", "commit_receipts", "daily_quotas", "puzzles", "site_state"];
    let before = place.dump(&[]).await;

    let server = serve(&place, 32, &["--lease-seconds", "5"]).await;
    let refused = server.admin(Method::POST, "/puzzles", Some(&large_import())).await;
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    let problem: Value = refused.json().await.unwrap();
    assert!(problem["detail"].as_str().unwrap().contains(TOLD), "{problem}");
    // A run writes small things as well. Whether those fit is not the point.
    let run = server.admin(Method::POST, "/jobs/publish", Some(&json!({}))).await;
    let (status, told) = (run.status(), run.text().await.unwrap());
    match status {
        StatusCode::OK => assert!(!told.contains("published"), "{told}"),
        status => assert!(status == StatusCode::SERVICE_UNAVAILABLE && told.contains(TOLD), "{told}"),
    }
    assert!(server.log().contains(TOLD), "{}", server.log());
    assert_eq!(server.get("/answers/1").await.status(), StatusCode::OK, "reading goes on");
    assert_eq!(server.get("/answers/9").await.status(), StatusCode::NOT_FOUND);
    place.run(&["verify"]).await.assert_quiet();
    let after = place.dump(&[]).await;
    for table in public {
        assert_eq!(after[table], before[table], "{table}");
    }

    free_space(&server).await;
    until("the answer, after the lease that could not be given back", async || {
        server.post("/jobs/publish", &json!({})).await;
        server.get("/answers/9").await.status() == StatusCode::OK
    })
    .await;
    server.post("/puzzles", &large_import()).await;
    assert_eq!(place.number("SELECT publication_revision FROM site_state").await, 3);
    assert_eq!(server.stop().await.code, Some(0));
    place.run(&["verify"]).await.assert_quiet();
}

#[tokio::test]
async fn a_command_on_a_full_disk_ends_with_one_clear_line_and_can_be_repeated() {
    let place = Place::at("2026-11-03T12:00:00Z").await;
    place.import(&bank(november(1))).await;
    let before = place.dump(&[]).await;
    let file = place.path().join("large.json");
    std::fs::write(&file, large_import().to_string()).unwrap();
    let import = ["import", file.to_str().unwrap()];

    let ended = in_time("a refusal", Ended::of(cramped(&place, 48, &import).spawn().unwrap())).await;
    assert_eq!((ended.code, ended.stderr.matches("error: ").count()), (Some(1), 1), "{ended:?}");
    assert!(ended.stderr.contains(TOLD) && ended.stderr.contains("again is safe"), "{ended:?}");
    assert_eq!(place.dump(&[]).await, before);

    let said = place.succeed(&import).await;
    assert_eq!(said, "imported: 20 new, 0 changed, 0 as they were\n");
    place.run(&["verify"]).await.assert_quiet();
}

#[tokio::test]
async fn a_photo_that_does_not_fit_on_the_disk_lets_its_item_wait_and_no_other() {
    let images = ImageServer::start().await;
    let place = Place::at("2026-11-03T12:00:00Z").await;
    let photo = images.photo("large.png");
    place.import(&bank([row_with_photo(1, "2026-11-01", &photo), row(2, "2026-11-02")])).await;

    let server = serve(&place, 400, &[]).await;
    let report = server.post("/jobs/publish", &json!({})).await;
    assert_eq!(report["counts"], json!({"blocked": 1, "published": 1}), "{report}");
    let item = server.read("/items/1").await;
    assert_eq!((&item["state"], &item["attempts"]), (&json!("scheduled"), &json!(1)), "{item}");
    assert!(item["blocked_by"].to_string().contains("cannot store"), "{item}");
    assert_eq!(place.files_of_photos(), [] as [&str; 0], "half a photo is left");

    free_space(&server).await;
    let report = server.post("/items/1/republish", &json!({})).await;
    assert_eq!(report["outcome"], json!("published"), "{report}");
    assert_eq!(place.stored_photos(), 1);
    assert_eq!(server.stop().await.code, Some(0));
    place.run(&["verify"]).await.assert_quiet();
}
