//! Exports: all of it, or nothing.

use serde_json::{Value, json};

use crate::{
    bank::{bank, november, row},
    harness::Place,
};

/// The names of everything in a place but its database and photos.
fn files(place: &Place) -> Vec<String> {
    let entries = std::fs::read_dir(place.path()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.filter(|name| !name.starts_with("fencepost.db")).collect();
    names.sort();
    names
}

#[tokio::test]
async fn an_exported_bank_makes_the_same_bank_elsewhere_and_changes_nothing_at_home() {
    let place = Place::new();
    let mut hostile = row(31, "2026-12-24");
    hostile["name"] = json!("=HYPERLINK(\"https://evil.example\",\"x\")");
    hostile["description"] = json!("one\n\n* two, with \"quotes\"\n\ttab \u{2028} 茶壺");
    hostile["image_url"] = json!("https://photos.example/31.webp");
    place.import(&bank(november(30).chain([hostile]))).await;
    place.succeed(&["export", "bank", "--output", "bank.jsonl"]).await;
    assert_eq!(files(&place), ["bank.jsonl"], "nothing is left beside it");
    let file = std::fs::read_to_string(place.path().join("bank.jsonl")).unwrap();
    assert_eq!(file, place.succeed(&["export", "bank"]).await);
    assert_eq!(file.lines().count(), 31);

    let before = place.dump(&["bank_edits"]).await;
    let said = place.succeed(&["import", "bank.jsonl"]).await;
    assert_eq!(said, "imported: 0 new, 0 changed, 31 as they were\n");
    assert_eq!(place.dump(&["bank_edits"]).await, before);

    let elsewhere = Place::new();
    let ended = elsewhere.run_with_input(&["import", "-"], &file).await;
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(0), "imported: 31 new, 0 changed, 0 as they were\n")
    );
    assert_eq!(elsewhere.succeed(&["export", "bank"]).await, file);
    const SAME: &str =
        "SELECT puzzle_id, play_date, opens_at, playable_until, name, price_cents, description,
       image_url, bank_version FROM puzzles ORDER BY puzzle_id";
    assert_eq!(elsewhere.rows(SAME).await, place.rows(SAME).await);
}

#[tokio::test]
async fn every_kind_is_exported_in_both_formats() {
    let place = Place::at("2026-11-03T12:00:00Z").await;
    place.import(&bank(november(3))).await;
    place.succeed(&["run", "publish", "--as", "Ada"]).await;
    place.succeed(&["withdraw", "1", "--as", "Ada", "--reason", "=1+1, \"recalled\""]).await;

    for (what, rows) in [("bank", 3), ("ledger", 3), ("receipts", 3), ("actions", 3)] {
        let lines = place.succeed(&["export", what]).await;
        assert_eq!(lines.lines().count(), rows, "{what}: {lines}");
        assert!(
            lines.lines().all(|line| serde_json::from_str::<Value>(line).unwrap().is_object()),
            "{lines}"
        );
        let table = place.succeed(&["export", what, "--format", "csv"]).await;
        assert_eq!(table.matches("\r\n").count(), rows + 1, "{what}: {table}");
    }
    let receipts = place.succeed(&["export", "receipts"]).await;
    let told: Vec<(i64, String)> = receipts
        .lines()
        .map(|line| {
            let receipt: Value = serde_json::from_str(line).unwrap();
            (receipt["revision"].as_i64().unwrap(), receipt["kind"].as_str().unwrap().to_owned())
        })
        .collect();
    assert_eq!(told, [(1, "publish".to_owned()), (2, "publish".to_owned()), (3, "withdraw".to_owned())]);
    let actions = place.succeed(&["export", "actions", "--format", "csv"]).await;
    assert!(actions.contains(",Ada,withdraw,1,\"'=1+1, \"\"recalled\"\"\","), "{actions}");
}

#[tokio::test]
async fn an_export_that_fails_leaves_the_file_before_it_alone() {
    let place = Place::new();
    place.import(&bank(november(3))).await;
    std::fs::write(place.path().join("old.jsonl"), "the one before\n").unwrap();
    place.execute("UPDATE puzzles SET play_date = 'no date' WHERE puzzle_id = 2").await;
    let ended = place.run(&["export", "bank", "--output", "old.jsonl"]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("play_date"), "{}", ended.stderr);
    assert_eq!(files(&place), ["old.jsonl"]);
    assert_eq!(std::fs::read_to_string(place.path().join("old.jsonl")).unwrap(), "the one before\n");

    let ended = place.run(&["export", "receipts", "--output", "nowhere/x.csv"]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stderr.contains("nothing was exported"), "{}", ended.stderr);
    let ended = Place::new().run(&["export", "bank"]).await;
    assert!(ended.code == Some(1) && ended.stderr.contains("no database"), "{ended:?}");
}

#[cfg(unix)]
#[tokio::test]
async fn only_a_file_is_replaced_and_nobody_else_may_read_it() {
    use std::{
        fs,
        os::unix::fs::{FileTypeExt, PermissionsExt, symlink},
    };
    let place = Place::new();
    place.import(&bank(november(3))).await;
    let at = |name: &str| place.path().join(name);
    fs::write(at("kept.jsonl"), "the one before\n").unwrap();
    symlink("kept.jsonl", at("link.jsonl")).unwrap();
    symlink("nowhere.jsonl", at("loose.jsonl")).unwrap();
    fs::create_dir(at("folder")).unwrap();
    let made = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
    assert!(made.success());
    let before = files(&place);
    for (output, why) in [
        ("link.jsonl", "symbolic link"),
        ("loose.jsonl", "symbolic link"),
        ("pipe", "no regular file"),
        ("folder", "no regular file"),
    ] {
        let ended = place.run(&["export", "bank", "--output", output]).await;
        assert_eq!(ended.code, Some(1), "{output}: {ended:?}");
        assert!(ended.stderr.contains(why), "{output}: {}", ended.stderr);
        assert!(ended.stderr.contains("standard output"), "{output}: {}", ended.stderr);
        assert_eq!(files(&place), before, "{output}");
    }
    assert!(fs::symlink_metadata(at("pipe")).unwrap().file_type().is_fifo());
    assert!(fs::symlink_metadata(at("link.jsonl")).unwrap().file_type().is_symlink());
    assert_eq!(fs::read_to_string(at("kept.jsonl")).unwrap(), "the one before\n");

    fs::set_permissions(at("kept.jsonl"), fs::Permissions::from_mode(0o644)).unwrap();
    for output in ["kept.jsonl", "new.jsonl"] {
        place.succeed(&["export", "bank", "--output", output]).await;
        assert_eq!(fs::metadata(at(output)).unwrap().permissions().mode() & 0o777, 0o600, "{output}");
    }
}
