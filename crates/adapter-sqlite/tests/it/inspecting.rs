//! Looking at a file that somebody else wrote, and leaving it as it is.

use std::{collections::BTreeMap, path::Path};

use fencepost_adapter_sqlite::{FileForm, SqliteStore, StoreClock, inspect, open, site_in};
use fencepost_domain::{id::OwnerId, lease::LeaseKey};
use fencepost_ports::{JobRuns, LeaseStore, RevisionSource, Verifier};
use fencepost_sql::migrations::CREATE_JOURNAL;
use sqlx::{AssertSqlSafe, SqlitePool, sqlite::SqliteConnectOptions};
use tempfile::TempDir;

use crate::upgrading::{CONTENT, MIGRATIONS, left_behind};

/// Every file of a folder, and what is in it, but for what processes that read a database at
/// the same time tell each other.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let files = entries.map(|entry| {
        let name = entry.file_name().into_string().unwrap();
        let content = if name.ends_with("-shm") { Vec::new() } else { std::fs::read(entry.path()).unwrap() };
        (name, content)
    });
    files.collect()
}

/// Looks at a file, and checks that it and its folder are as they were.
async fn look(path: &Path) -> Result<(SqliteStore, FileForm), String> {
    let folder = path.parent().unwrap();
    let before = files(folder);
    let looked = inspect(path, StoreClock::Database).await.map_err(|error| error.to_string());
    if let Ok((store, _)) = &looked {
        assert_eq!(store.moment().await.unwrap().publication_revision.get(), 1);
        store.violations().await.unwrap();
        let key: LeaseKey = "publication:7".parse().unwrap();
        let refused = store.claim(key, &OwnerId::new("me"), 1).await.unwrap_err();
        assert!(!refused.may_have_written(), "{refused}");
    }
    let after = files(folder);
    assert!(before == after, "{:?} became {:?}", before.keys(), after.keys());
    looked
}

async fn refusal(path: &Path) -> String {
    let Err(message) = look(path).await else { panic!("{} is not refused", path.display()) };
    message
}

/// A database at rest, of the release that had so many migrations.
async fn at_rest(migrations: usize) -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.db");
    let pool = left_behind(&path, &MIGRATIONS[..migrations]).await;
    sqlx::raw_sql(CONTENT).execute(&pool).await.unwrap();
    pool.close().await;
    (folder, path)
}

/// The tables, their rows and then their indexes, as `wrangler d1 export` writes them.
async fn export(database: &Path) -> String {
    let pool = SqlitePool::connect_with(SqliteConnectOptions::new().filename(database)).await.unwrap();
    let mut script = "PRAGMA defer_foreign_keys=TRUE;\n".to_owned();
    let schema = |kind: &str| {
        let sql = format!("SELECT name, sql FROM sqlite_schema WHERE type = '{kind}' AND sql IS NOT NULL");
        let tables = format!("{sql} AND name NOT LIKE 'sqlite_%' ORDER BY rowid");
        sqlx::query_as::<_, (String, String)>(AssertSqlSafe(tables)).fetch_all(&pool)
    };
    for (table, sql) in schema("table").await.unwrap() {
        script.push_str(&format!("{sql};\n"));
        let columns = format!(
            "SELECT group_concat('quote(' || name || ')', ' || '','' || ') FROM pragma_table_info('{table}')"
        );
        let columns: String = sqlx::query_scalar(AssertSqlSafe(columns)).fetch_one(&pool).await.unwrap();
        let rows = format!("SELECT 'INSERT INTO \"{table}\" VALUES(' || {columns} || ');' FROM {table}");
        let rows: Vec<String> = sqlx::query_scalar(AssertSqlSafe(rows)).fetch_all(&pool).await.unwrap();
        script.extend(rows.into_iter().map(|row| row + "\n"));
    }
    script.push_str(
        "DELETE FROM sqlite_sequence;\nINSERT INTO \"sqlite_sequence\" VALUES('d1_migrations',3);\n",
    );
    for (_, sql) in schema("index").await.unwrap() {
        script.push_str(&format!("{sql};\n"));
    }
    pool.close().await;
    script.trim_end().to_owned()
}

/// Puts an export into a folder of its own.
fn written(script: &str) -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("export.sql");
    std::fs::write(&path, script).unwrap();
    (folder, path)
}

#[tokio::test]
async fn a_database_is_read_as_it_is() {
    let (_folder, path) = at_rest(MIGRATIONS.len()).await;
    assert_eq!(look(&path).await.unwrap().1, FileForm::Database);
}

#[tokio::test]
async fn a_database_of_a_server_that_has_ended_is_read_and_nothing_is_left_beside_it() {
    let (_folder, path) = at_rest(MIGRATIONS.len()).await;
    // From now on, it has a write-ahead log.
    open(site_in(&path)).await.unwrap().runner().close().await;
    assert_eq!(look(&path).await.unwrap().1, FileForm::Database);
}

#[tokio::test]
async fn what_stands_in_the_log_of_a_running_server_is_read_as_well() {
    let (_folder, path) = at_rest(MIGRATIONS.len()).await;
    let running = open(site_in(&path)).await.unwrap();
    let key: LeaseKey = "publication:7".parse().unwrap();
    running.claim(key, &OwnerId::new("late"), 60_000).await.unwrap();
    assert!(std::fs::metadata(path.with_extension("db-wal")).unwrap().len() > 0);
    let (store, _) = look(&path).await.unwrap();
    let leases = async |store: &SqliteStore| store.overview(9).await.unwrap().leases;
    assert_eq!(leases(&store).await, leases(&running).await);
    assert_eq!(leases(&store).await.len(), 1);
    let held = running.claim(key, &OwnerId::new("other"), 60_000).await.unwrap();
    assert_eq!(held.owner, OwnerId::new("late"), "the server goes on");
}

#[tokio::test]
async fn a_log_that_was_copied_together_with_its_database_is_read_and_stays() {
    let (_source, path) = at_rest(MIGRATIONS.len()).await;
    let running = open(site_in(&path)).await.unwrap();
    let key: LeaseKey = "publication:7".parse().unwrap();
    running.claim(key, &OwnerId::new("late"), 60_000).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    for name in ["copy.db", "copy.db-wal"] {
        std::fs::copy(path.with_file_name(name), folder.path().join(name)).unwrap();
    }
    let before = files(folder.path());
    let (store, _) = inspect(&folder.path().join("copy.db"), StoreClock::Database).await.unwrap();
    assert_eq!(store.overview(9).await.unwrap().leases.len(), 1);
    store.runner().close().await;
    let mut after = files(folder.path());
    assert_eq!(after.remove("copy.db-shm"), Some(Vec::new()), "the index of the log");
    assert!(before == after, "nothing was put into the database, and the log is still there");
}

#[tokio::test]
async fn an_export_is_a_database_whatever_its_texts_say() {
    let (_source, database) = at_rest(MIGRATIONS.len()).await;
    let pool = SqlitePool::connect_with(SqliteConnectOptions::new().filename(&database)).await.unwrap();
    sqlx::query("UPDATE puzzles SET name = ?1, description = ?2")
        .bind("It''s; DROP TABLE puzzles; --")
        .bind("a\n');\n/* \"half\" a comment\n-- END;\n\u{1f600}")
        .execute(&pool)
        .await
        .unwrap();
    pool.close().await;
    let (_folder, path) = written(&export(&database).await);

    let (store, form) = look(&path).await.unwrap();

    assert_eq!(form, FileForm::Export);
    let (original, _) = look(&database).await.unwrap();
    assert_eq!(store.violations().await, original.violations().await);
}

#[tokio::test]
async fn an_export_of_a_damaged_database_is_read_and_its_damage_found() {
    let (_source, database) = at_rest(MIGRATIONS.len()).await;
    let script = export(&database).await;
    let page = script.lines().find(|line| line.starts_with("INSERT INTO \"answer_posts\"")).unwrap();
    let puzzle = script.lines().find(|line| line.starts_with("INSERT INTO \"puzzles\"")).unwrap();
    // Nothing that the others point to is there.
    let (_folder, path) = written(&script.replace(page, "").replace(puzzle, ""));
    let (store, _) = look(&path).await.unwrap();
    let rules: Vec<_> = store.violations().await.unwrap().into_iter().map(|found| found.rule).collect();
    assert!(rules.contains(&"receipt_without_page".to_owned()), "{rules:?}");
}

#[tokio::test]
async fn an_export_that_was_cut_off_is_refused_wherever_that_was() {
    let (_source, database) = at_rest(MIGRATIONS.len()).await;
    let script = export(&database).await;
    let statements: Vec<_> = script.match_indices(";\n").map(|(at, _)| at + 2).collect();
    assert!(statements.len() > 30, "{script}");
    for cut in statements {
        let (_folder, path) = written(&script[..cut]);
        let message = refusal(&path).await;
        assert!(message.contains("lacks ") && message.contains("export it again"), "{cut}: {message}");
    }
    let (_folder, path) = written(&script[..script.len() - 5]);
    let message = refusal(&path).await;
    assert!(message.contains("wrangler d1 export"), "{message}");
}

#[tokio::test]
async fn an_older_file_is_refused_and_told_what_to_do() {
    let (_folder, path) = at_rest(MIGRATIONS.len() - 1).await;
    let message = refusal(&path).await;
    for part in ["copy.db", MIGRATIONS[MIGRATIONS.len() - 1], "left as it is", "--database COPY"] {
        assert!(message.contains(part), "{message}");
    }
    let (_folder, path) = written(&export(&path).await);
    let message = refusal(&path).await;
    for part in ["export.sql", MIGRATIONS[MIGRATIONS.len() - 1], "wrangler d1 migrations apply"] {
        assert!(message.contains(part), "{message}");
    }
}

#[tokio::test]
async fn a_newer_file_is_refused() {
    let (_folder, path) = at_rest(MIGRATIONS.len()).await;
    let pool = SqlitePool::connect_with(SqliteConnectOptions::new().filename(&path)).await.unwrap();
    sqlx::query("INSERT INTO d1_migrations (name) VALUES ('9999_from_tomorrow.sql')")
        .execute(&pool)
        .await
        .unwrap();
    pool.close().await;
    let message = refusal(&path).await;
    assert!(message.contains("newer version") && message.contains("9999_from_tomorrow.sql"), "{message}");
}

#[tokio::test]
async fn what_is_no_database_of_this_program_is_refused() {
    let journal = format!("{CREATE_JOURNAL};");
    for (bytes, part) in [
        (&b""[..], "the list of its migrations"),
        (b"CREATE TABLE other (id INTEGER PRIMARY KEY);", "the list of its migrations"),
        (journal.as_bytes(), "0001_publication.sql"),
        (b"These are notes; nothing else.", "no export of a whole database"),
        (b"\x1f\x8b\x08\x00\xff\xfe\xfd", "neither an SQLite database nor an SQL script"),
        (b"SQLite format 3\0 and then something else", "not a database"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("thing");
        std::fs::write(&path, bytes).unwrap();
        let message = refusal(&path).await;
        assert!(message.contains(part), "{message}");
    }
    let folder = tempfile::tempdir().unwrap();
    let message = refusal(&folder.path().join("nothing.db")).await;
    assert!(message.contains("nothing.db") && message.contains("name another file"), "{message}");
    let message = inspect(folder.path(), StoreClock::Database).await.err().unwrap().to_string();
    assert!(message.contains("name another file"), "{message}");
}
