//! `verify FILE`: a copy of a database, or an export of one, is checked and left as it is.

use std::path::Path;

use serde_json::json;

use crate::{
    bank::{bank, november, row_with_photo},
    harness::{Ended, Place},
    image_server::ImageServer,
};

/// Runs `verify`, and nobody has said where photos are.
async fn verify(place: &Place, arguments: &[&str]) -> Ended {
    let mut command = place.command(&[&["verify"], arguments].concat());
    command.env_remove("FENCEPOST_BLOBS");
    Ended::of(command.spawn().unwrap()).await
}

/// A script that makes a site with one page, of revision 1. There is a `;` in its texts.
fn script() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|it| it == "sql")).collect();
    files.sort();
    let mut script = "PRAGMA defer_foreign_keys=TRUE;
        CREATE TABLE d1_migrations(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE);\n"
        .to_owned();
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap();
        script.push_str(&std::fs::read_to_string(&file).unwrap());
        script.push_str(&format!("INSERT INTO \"d1_migrations\" (name) VALUES('{name}');\n"));
    }
    script
        + "INSERT INTO \"job_leases\" VALUES('publication:7','ada',3,0,5);
        INSERT INTO \"publication_items\" VALUES(7,'published',2,0,0,NULL);
        INSERT INTO \"answer_posts\" VALUES(7,1,'c1',1,'2026-11-28','A; teapot',1899,'',NULL,0,3,3,NULL);
        INSERT INTO \"puzzles\" VALUES(7,'2026-11-28',1,2,'A; teapot',1899,'it''s --; one',NULL,1,'e1');
        INSERT INTO \"commit_receipts\" VALUES('c1',7,'publish','ada',3,1,1,3);
        INSERT INTO \"daily_quotas\" VALUES(0,1,100,NULL);
        INSERT INTO \"visibility_instants\" VALUES(1);
        INSERT INTO \"visibility_instants\" VALUES(2);
        UPDATE site_state SET publication_revision = 1;"
}

#[tokio::test]
async fn a_copy_is_checked_without_the_database_in_use_and_its_photos_if_they_are_named() {
    let place = Place::at("2026-11-04T12:00:00Z").await;
    let images = ImageServer::start().await;
    let with_photo = row_with_photo(3, "2026-11-03", &images.photo("a.png"));
    place.import(&bank(november(2).chain([with_photo]))).await;
    place.succeed(&["run", "publish"]).await;
    let elsewhere = Place::new();
    place.execute(&format!("VACUUM INTO '{}'", elsewhere.path().join("copy.db").display())).await;

    let ended = verify(&elsewhere, &["copy.db"]).await;
    let fine = "nothing wrong in the database copy.db: 3 pages public, 0 withdrawn, revision 3\n";
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.starts_with(fine) && ended.stdout.contains("not checked: "), "{ended:?}");
    let ended = verify(&elsewhere, &["copy.db", "--json"]).await;
    assert_eq!(ended.json(), json!({"ok": true, "violations": [], "unchecked": ["photos"]}));

    let blobs = place.blobs();
    let with_photos = ["copy.db", "--blobs", blobs.to_str().unwrap()];
    let ended = verify(&elsewhere, &with_photos).await;
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), fine));
    let ended = verify(&elsewhere, &[&with_photos[..], &["--json"]].concat()).await;
    assert_eq!(ended.json(), json!({"ok": true, "violations": []}));
    let ended = verify(&elsewhere, &["copy.db", "--blobs", "nowhere"]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(ended.stdout.contains("missing_photo  nowhere  answer_posts/3, source_images/3"), "{ended:?}");

    let left: Vec<_> = std::fs::read_dir(elsewhere.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[tokio::test]
async fn an_export_is_checked_and_what_is_wrong_is_told_with_the_rows_concerned() {
    let place = Place::new();
    let file = place.path().join("export.sql");
    std::fs::write(&file, script()).unwrap();
    let ended = verify(&place, &["export.sql"]).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let fine = "nothing wrong in the export export.sql: 1 page public, 0 withdrawn, revision 1\n";
    assert!(ended.stdout.starts_with(fine) && ended.stdout.contains("not checked: "), "{ended:?}");

    let damaged = script().replace("'publish','ada',3,1,1,3", "'publish','ada',3,1,2,3");
    std::fs::write(&file, &damaged).unwrap();
    let ended = verify(&place, &["export.sql"]).await;
    assert_eq!(ended.code, Some(1), "{ended:?}");
    for part in ["rows", "revision_missing", "revision_surplus", "commit_receipts/c1", "not checked: "] {
        assert!(ended.stdout.contains(part), "no {part} in: {}", ended.stdout);
    }
    let report = verify(&place, &["export.sql", "--json"]).await.json();
    assert_eq!((&report["ok"], &report["unchecked"]), (&json!(false), &json!(["photos"])));
    assert_eq!(report["violations"][1]["rule"], "revision_surplus");
    let rows = json!([{"table": "commit_receipts", "key": "c1"}, {"table": "site_state", "key": "1"}]);
    assert_eq!(report["violations"][1]["rows"], rows);

    assert_eq!(std::fs::read_to_string(&file).unwrap(), damaged);
    assert!(!place.database().exists(), "the database in use was not asked for");
}

#[tokio::test]
async fn what_cannot_be_checked_is_a_fault_and_no_finding() {
    let place = Place::new();
    place.import(&bank(november(1))).await;
    place.execute("DELETE FROM d1_migrations WHERE name = '0009_builds.sql'").await;
    std::fs::write(place.path().join("notes.txt"), "some notes; nothing else").unwrap();
    for (file, part) in [
        ("nowhere.sql", "name another file"),
        ("notes.txt", "no export of a whole database"),
        ("fencepost.db", "0009_builds.sql"),
    ] {
        let ended = verify(&place, &[file]).await;
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""), "{file}");
        assert!(ended.stderr.contains(file) && ended.stderr.contains(part), "{}", ended.stderr);
    }
}
