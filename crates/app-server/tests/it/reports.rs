//! What the commands print, and the codes they end with.

use serde_json::{Value, json};

use crate::{
    bank::{bank, november, row_with_photo},
    harness::Place,
    image_server::ImageServer,
};

fn fields(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn a_run_reports_every_item_as_documented() {
    let place = Place::at("2026-11-04T12:00:00Z").await;
    place.import(&bank(november(6))).await;

    let report = place.run(&["run", "publish", "--json"]).await.json();
    for field in ["run_id", "job", "utc_day", "started_at", "finished_at", "revision", "items", "counts"] {
        assert!(report.get(field).is_some(), "no {field} in {report}");
    }
    assert_eq!((&report["left"], report.get("budget")), (&json!(0), None), "calls are not limited here");
    assert_eq!(report["job"], "publish");
    assert_eq!(report["counts"], json!({"published": 3}));
    assert_eq!(report["revision"], 3);
    let first = json!({
        "puzzle_id": 1, "outcome": "published", "content_version": 1, "revision": 1, "blocked_by": []
    });
    assert_eq!(report["items"][0], first);

    let again = place.run(&["run", "compensate", "--json"]).await.json();
    assert_eq!(
        (&again["job"], &again["counts"], &again["revision"]),
        (&json!("compensate"), &json!({}), &json!(3))
    );
}

#[tokio::test]
async fn a_run_prints_a_table_for_people() {
    let place = Place::at("2026-11-04T12:00:00Z").await;
    let images = ImageServer::start().await;
    let mut bank = bank(november(2));
    bank["puzzles"].as_array_mut().unwrap().push(row_with_photo(
        3,
        "2026-11-03",
        &images.photo("missing.png"),
    ));
    place.import(&bank).await;

    let ended = place.run(&["run", "publish"]).await;
    assert_eq!(ended.code, Some(1), "one item is blocked");
    assert!(ended.stderr.contains("1 item ended as blocked or unknown"), "{}", ended.stderr);
    let said = ended.stdout;
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines[0], "puzzle  outcome    version  revision  detail");
    assert_eq!(lines[1], "1       published  1        1");
    assert!(lines[3].starts_with("3       blocked    -        -         http://"), "{said}");
    assert_eq!(lines[5], "publish: 3 items due, 2 published; revision 2");
}

#[tokio::test]
async fn a_run_tells_how_much_is_left() {
    let place = Place::at("2026-11-04T12:00:00Z").await;
    place.import(&bank(november(6))).await;
    let said = place.succeed(&["run", "publish", "--daily-quota", "1"]).await;
    assert!(said.ends_with("1 published; revision 1; 2 due items left to the next run\n"), "{said}");
    let report = place.run(&["run", "publish", "--json", "--daily-quota", "2"]).await.json();
    assert_eq!((&report["left"], &report["interrupted"]), (&json!(1), &json!(true)));
    let said = place.succeed(&["run", "publish"]).await;
    assert!(said.ends_with("1 published; revision 3\n"), "{said}");
}

#[tokio::test]
async fn a_dry_run_tells_what_a_run_then_does_and_changes_nothing() {
    let place = Place::at("2026-11-04T12:00:00Z").await;
    let images = ImageServer::start().await;
    let mut bank = bank(november(2));
    let photo = images.photo("a.png");
    bank["puzzles"].as_array_mut().unwrap().push(row_with_photo(3, "2026-11-03", &photo));
    place.import(&bank).await;
    let before = place.dump(&[]).await;

    let said = place.succeed(&["run", "publish", "--dry-run"]).await;
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines[1], "1       published  1        1");
    assert!(
        lines[3].starts_with("3       conflict   -        -         the photo is not stored; a run would"),
        "{said}"
    );
    assert_eq!(
        lines[5],
        "publish, rehearsed: 3 items due, 2 would be published, up to revision 2; nothing was changed"
    );
    let told = place.run(&["run", "compensate", "--dry-run", "--json"]).await.json();
    assert_eq!(
        (&told["dry_run"], &told["job"], &told["revision"]),
        (&json!(true), &json!("compensate"), &json!(2))
    );
    assert_eq!(place.dump(&[]).await, before, "not even a lease or a run");
    assert!(!place.blobs().exists(), "and no photo is fetched");

    let done = place.run(&["run", "publish", "--json"]).await.json();
    assert_eq!((&done["items"][0], &done["items"][1]), (&told["items"][0], &told["items"][1]));
    let told = place.run(&["run", "publish", "--dry-run", "--json"]).await.json();
    assert_eq!((&told["items"], &told["revision"]), (&json!([]), &json!(3)));
}

#[tokio::test]
async fn a_dry_run_ends_with_1_where_the_run_would() {
    let place = Place::at("2026-11-04T12:00:00Z").await;
    place.import(&bank(november(2))).await;
    place.execute("UPDATE puzzles SET name = 7, play_date = 'yesterday' WHERE puzzle_id = 1").await;
    let ended = place.run(&["run", "publish", "--dry-run"]).await;
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("1 item would end as blocked or unknown"), "{}", ended.stderr);
}

#[tokio::test]
async fn an_item_is_explained_in_the_words_of_the_api() {
    let place = Place::at("2026-11-04T12:00:00Z").await;
    place.import(&bank(november(6))).await;
    place.succeed(&["run", "publish", "--daily-quota", "1"]).await;

    let said = place.succeed(&["explain", "2", "--daily-quota", "1"]).await;
    for line in [
        "state                 scheduled\n",
        "due                   2026-11-03T00:10:00Z\n",
        "next attempt          the next run\n",
        "in hand               nobody has it\n",
        "item_due         yes    the answer's embargo has ended\n",
        "quota_left       no     today's quota is used up\n",
        "It is not published because of quota_left: today's quota is used up.\n",
    ] {
        assert!(said.contains(line), "{line}{said}");
    }
    let said = place.succeed(&["explain", "6"]).await;
    assert!(said.contains("next attempt          the first run from 2026-11-07T00:10:00Z on\n"), "{said}");
    assert!(said.ends_with("because of item_due: the answer is due at 2026-11-07T00:10:00Z.\n"), "{said}");
    let said = place.succeed(&["explain", "3"]).await;
    assert!(said.ends_with("Nothing keeps it from being published.\n"), "{said}");
    let said = place.succeed(&["explain", "1"]).await;
    assert!(said.contains("1        publish  1         2026-11-04T12:"), "{said}");
    assert!(said.ends_with("There is nothing to be published.\n"), "{said}");

    let server = place.serve(&["--no-cron"]).await;
    for id in ["1", "3", "6"] {
        let (mut told, mut served) =
            (place.run(&["explain", id, "--json"]).await.json(), server.read(&format!("/items/{id}")).await);
        for answer in [&mut told, &mut served] {
            assert!(answer["now"].take().is_i64());
        }
        assert_eq!(told, served);
    }
    let ended = place.run(&["explain", "77"]).await;
    assert_eq!(
        (ended.code, ended.stderr.contains("there is no puzzle 77")),
        (Some(1), true),
        "{}",
        ended.stderr
    );
}

#[tokio::test]
async fn verify_ends_with_1_when_something_is_half_published() {
    let place = Place::at("2026-11-04T12:00:00Z").await;
    let images = ImageServer::start().await;
    place.import(&bank([row_with_photo(1, "2026-11-01", &images.photo("a.png"))])).await;
    place.succeed(&["run", "publish"]).await;

    let fine = place.run(&["verify"]).await;
    assert_eq!(
        (fine.code, fine.stdout.as_str()),
        (Some(0), "nothing wrong: 1 page public, 0 withdrawn, revision 1\n")
    );
    let fine = place.run(&["verify", "--json"]).await;
    assert_eq!((fine.code, fine.json()), (Some(0), json!({"ok": true, "violations": []})));

    for entry in std::fs::read_dir(place.blobs()).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let wrong = place.run(&["verify"]).await;
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.stdout.contains("missing_photo"), "{}", wrong.stdout);
    assert!(wrong.stdout.contains("1 violation found"), "{}", wrong.stdout);

    place.execute("UPDATE site_state SET publication_revision = 7").await;
    let wrong = place.run(&["verify", "--json"]).await;
    assert_eq!((wrong.code, &wrong.json()["ok"]), (Some(1), &json!(false)));
    let violations = wrong.json()["violations"].as_array().unwrap().clone();
    assert!(violations.len() > 1, "{violations:?}");
    assert_eq!(fields(&violations[0]), ["detail", "rows", "rule", "subject"]);
    assert_eq!(violations[0]["rows"][0]["table"], "answer_posts");
}

#[tokio::test]
async fn a_command_that_only_looks_leaves_nothing_behind_and_names_the_folder_that_is_not_there() {
    let place = Place::at("2026-11-04T12:00:00Z").await;
    place.import(&bank(november(2))).await;
    for command in [&["run", "publish"][..], &["status"], &["verify"], &["withdraw", "1"]] {
        place.succeed(command).await;
        assert!(!place.blobs().exists(), "{command:?} made a folder of photos");
    }

    let images = ImageServer::start().await;
    let photos = [("a.png", 3), ("b.png", 4)];
    place
        .import(&bank(
            photos.map(|(name, day)| row_with_photo(day, &format!("2026-11-{day:02}"), &images.photo(name))),
        ))
        .await;
    place.succeed(&["run", "publish"]).await;
    assert!(place.blobs().is_dir());
    let ended = place.run(&["verify", "--json", "--blobs", "elsewhere"]).await;
    let violations = ended.json()["violations"].as_array().unwrap().clone();
    assert_eq!((ended.code, violations.len(), &violations[0]["subject"]), (Some(1), 1, &json!("elsewhere")));
    let detail = violations[0]["detail"].as_str().unwrap();
    assert!(detail.contains("does not exist") && detail.contains("--blobs"), "{detail}");
    assert!(!place.path().join("elsewhere").exists());
}

#[tokio::test]
async fn status_tells_how_the_site_is_doing() {
    let place = Place::at("2026-11-04T12:00:00Z").await;
    place.import(&bank(november(6))).await;
    let said = place.succeed(&["status"]).await;
    assert!(said.contains("overdue               3\n"), "{said}");
    assert!(said.contains("last run              never\n"), "{said}");

    place.succeed(&["run", "publish"]).await;
    let said = place.succeed(&["status"]).await;
    assert!(said.contains("published today       3 of at most 100\n"), "{said}");
    assert!(said.contains("next due              2026-11-05T00:10:00Z\n"), "{said}");
    assert!(said.contains("publish by build      0.1.0-"), "{said}");
    let report = place.run(&["status", "--json"]).await.json();
    assert_eq!(report["recent_builds"][0]["build"], report["last_runs"][0]["build"]);
    assert_eq!(
        (&report["published"], &report["scheduled"], &report["paused"]),
        (&json!(3), &json!(3), &json!(false))
    );
    assert_eq!(report["last_runs"][0]["job"], "publish");
}

#[tokio::test]
async fn a_page_is_withdrawn_once() {
    let place = Place::at("2026-11-04T12:00:00Z").await;
    place.import(&bank(november(6))).await;
    place.succeed(&["run", "publish"]).await;

    let report = place.run(&["withdraw", "2", "--json"]).await.json();
    assert_eq!((&report["outcome"], &report["revision"]), (&json!("withdrawn"), &json!(4)));
    let report = place.run(&["withdraw", "2", "--json"]).await.json();
    assert_eq!((&report["outcome"], report.get("revision")), (&json!("unchanged"), None));
    assert_eq!(place.run(&["verify"]).await.code, Some(0));
}

#[tokio::test]
async fn the_status_tells_what_to_look_at_and_a_monitor_may_go_by_its_code() {
    let mut place = Place::at("2026-11-04T12:00:00Z").await;
    place.import(&bank(november(6))).await;
    let ended = place.run(&["status"]).await;
    assert_eq!(ended.code, Some(0), "whoever only looks is not told by the code");
    for words in ["alert: 3 items are due and not out. Since 2026-11-02T00:10:00Z.", "  Run `compensate`."] {
        assert!(ended.stdout.contains(words), "{}", ended.stdout);
    }
    assert_eq!(place.run(&["status", "--check"]).await.code, Some(1));
    let told = place.run(&["status", "--check", "--json"]).await;
    let kinds = |status: &Value| {
        let alerts = status["alerts"].as_array().unwrap();
        alerts.iter().map(|alert| alert["kind"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        (told.code, kinds(&told.json())),
        (Some(1), vec!["overdue".to_owned(), "no_heartbeat".to_owned()])
    );

    place.succeed(&["run", "compensate"]).await;
    place.succeed(&["run", "publish"]).await;
    let said = place.succeed(&["status", "--check"]).await;
    assert!(!said.contains("alert:") && !said.contains("notice:"), "{said}");
    // For two of its intervals, nothing of the kind.
    place.let_pass(2 * 3_600_000 - 60_000);
    place.succeed(&["status", "--check"]).await;
    place.let_pass(120_000);
    let silent = place.run(&["status", "--check", "--json"]).await;
    assert_eq!((silent.code, kinds(&silent.json())), (Some(1), vec!["no_heartbeat".to_owned()]));
    place.succeed(&["run", "compensate"]).await;
    place.succeed(&["status", "--check"]).await;
}

#[tokio::test]
async fn a_run_keeps_what_is_old_for_as_many_days_as_it_is_told() {
    const DAY_MS: i64 = 86_400_000;
    let mut place = Place::at("2026-11-04T12:30:00Z").await;
    place.import(&bank(november(1))).await;
    for _ in 0..4 {
        place.succeed(&["run", "compensate"]).await;
    }
    place.let_pass(10 * DAY_MS);
    // The kinds of rows take turns by the hour.
    for days in ["90", "5"] {
        for _ in 0..3 {
            place.succeed(&["run", "publish", "--keep-runs-days", days]).await;
            place.let_pass(3_600_000);
        }
        let left = if days == "90" { 4 } else { 2 };
        let runs = "SELECT count(*) FROM job_runs WHERE job = 'compensate'";
        assert_eq!(place.number(runs).await, left, "{days} days: all, or the first and the newest");
    }
}

#[tokio::test]
async fn who_runs_a_job_by_hand_stands_on_it_with_the_reason() {
    let place = Place::new();
    place.import(&bank(november(1))).await;
    place.succeed(&["run", "publish", "--as", "Ada", "--reason", "to catch up"]).await;
    let runs = "SELECT count(*) FROM operator_actions WHERE action = 'run' AND actor = 'Ada' AND reason = 'to catch up'";
    assert_eq!(place.number(runs).await, 1);
}

#[tokio::test]
async fn what_is_too_late_for_jobs_has_no_next_attempt_by_one() {
    let place = Place::at("2026-11-20T12:00:00Z").await;
    place.import(&bank(november(1))).await;
    place.execute("UPDATE site_state SET publish_late = 0").await;
    let told = place.succeed(&["explain", "1"]).await;
    assert!(told.contains("because of not_too_late"), "{told}");
    assert!(!told.contains("the next run"), "{told}");
}
