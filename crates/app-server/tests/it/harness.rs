//! Processes of the built binary, and what they leave behind.
//!
//! A [`Place`] is a folder with a database and photos; any number of processes may work
//! in it at once. [`Place::run`] runs a command to its end, [`Place::serve`] starts a
//! server on a free port and returns once it answers. Every process is told everything
//! by options, so that neither the environment of the test run nor another test has a
//! say, and is killed when its handle is dropped.
//!
//! Tests never wait for the real clock to reach midnight: [`Place::at`] makes all
//! processes of a place believe that it was some instant when the place was made. The
//! clock runs on from there.
//!
//! What a database holds is read with [`Place::number`], [`Place::rows`] and
//! [`Place::dump`], past all of the code under test.
//!
//! Some tests repeat one thing with other timing each time. [`rounds`] says how often:
//! a few times in `cargo test`, and many times when `FENCEPOST_FULL_PROOFS` is set, as
//! `cargo xtask proofs` does. Tests that measure time and tests that keep every core
//! busy take turns, see [`alone`].

mod rounds;
pub(crate) use rounds::{Dice, alone, at_most, rounds};

mod server;
pub(crate) use server::{Ended, Launched, Server};

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Stdio,
    sync::LazyLock,
    time::Duration,
};

use reqwest::Client;
use serde_json::Value;
use sqlx::{
    Column, Connection, Row, SqliteConnection, TypeInfo, ValueRef,
    sqlite::{SqliteConnectOptions, SqliteRow},
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWriteExt, BufReader, Lines},
    process::Command,
};

/// The admin token of every server.
pub(crate) const TOKEN: &str = "token-of-the-tests";
/// The program under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_fencepost");

/// How long anything may take before a test gives up: ample, for slow machines.
static PATIENCE: LazyLock<Duration> =
    LazyLock::new(|| Duration::from_secs(if rounds::is_full() { 900 } else { 60 }));

static CLIENT: LazyLock<Client> = LazyLock::new(|| {
    // Only plain HTTP is spoken here, and still the client wants to know its cryptography.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder().no_proxy().timeout(*PATIENCE).build().expect("a plain client can be built")
});

/// A client for what a [`Server`] has no method for.
pub(crate) fn client() -> &'static Client {
    &CLIENT
}

/// What a process says, line by line.
pub(crate) fn lines<R: AsyncRead + Unpin>(from: R) -> Lines<BufReader<R>> {
    BufReader::new(from).lines()
}

/// A folder of its own, with a database and photos.
pub(crate) struct Place {
    folder: TempDir,
    clock_offset_ms: Option<i64>,
}

impl Place {
    /// An empty place with the real time.
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), clock_offset_ms: None }
    }

    /// An empty place at which it is `instant` (RFC 3339) now.
    pub(crate) async fn at(instant: &str) -> Self {
        let mut place = Self::new();
        place.set_time(instant).await;
        place
    }

    /// From now on, processes started here believe that it is `instant` now. Those that
    /// run already go on as they were.
    pub(crate) async fn set_time(&mut self, instant: &str) {
        let wanted = millis(instant).await;
        self.clock_offset_ms = Some(wanted - real_now().await);
    }

    /// From now on, processes started here believe that it is so much later.
    pub(crate) fn let_pass(&mut self, ms: i64) {
        self.clock_offset_ms = Some(self.clock_offset_ms.unwrap_or(0) + ms);
    }

    /// The time here, in milliseconds since 1970.
    pub(crate) async fn now(&self) -> i64 {
        real_now().await + self.clock_offset_ms.unwrap_or(0)
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The database's file.
    pub(crate) fn database(&self) -> PathBuf {
        self.path().join("fencepost.db")
    }

    /// The folder of photos.
    pub(crate) fn blobs(&self) -> PathBuf {
        self.path().join("blobs")
    }

    /// How many photos are stored.
    pub(crate) fn stored_photos(&self) -> usize {
        self.files_of_photos().len()
    }

    /// The names of all files in the folder of photos, in order.
    pub(crate) fn files_of_photos(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.blobs()).into_iter().flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// A process that works here, not started yet. It may fetch photos from loopback.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(Path::new(BINARY), arguments)
    }

    /// The same with another program, which leads to the binary somehow.
    pub(crate) fn command_of(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("FENCEPOST_") || name == "RUST_LOG" {
                command.env_remove(name);
            }
        }
        command
            .current_dir(self.path())
            .env("FENCEPOST_DATABASE", self.database())
            .env("FENCEPOST_BLOBS", self.blobs())
            .env("FENCEPOST_ADMIN_TOKEN", TOKEN)
            .env("FENCEPOST_ALLOW_PRIVATE_IMAGES", "true")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(offset) = self.clock_offset_ms {
            command.env("FENCEPOST_TEST_CLOCK_OFFSET_MS", offset.to_string());
        }
        command
    }

    /// Another place at the same time, with the same files, byte by byte. It is a picture
    /// of one moment only if nobody writes meanwhile.
    #[cfg(target_os = "linux")]
    pub(crate) async fn copied(&self) -> Self {
        let copy = Self { folder: tempfile::tempdir().unwrap(), clock_offset_ms: self.clock_offset_ms };
        let (from, to) = (self.path().to_owned(), copy.path().to_owned());
        // What the processes have said goes on being read meanwhile.
        tokio::task::spawn_blocking(move || copy_folder(&from, &to)).await.unwrap();
        copy
    }

    /// Runs a command to its end.
    pub(crate) async fn run(&self, arguments: &[&str]) -> Ended {
        self.run_with_input(arguments, "").await
    }

    /// Runs a command to its end that reads `input`.
    pub(crate) async fn run_with_input(&self, arguments: &[&str], input: &str) -> Ended {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A command that does not read its input closes it, which is no fault.
        let _ = stdin.write_all(input.as_bytes()).await;
        drop(stdin);
        in_time("the end of a command", Ended::of(child)).await
    }

    /// Runs a command that has to succeed, and returns what it printed.
    pub(crate) async fn succeed(&self, arguments: &[&str]) -> String {
        let ended = self.run(arguments).await;
        assert_eq!(ended.code, Some(0), "{arguments:?} failed: {}", ended.stderr);
        ended.stdout
    }

    /// Imports a bank, by the command line.
    pub(crate) async fn import(&self, bank: &Value) {
        let ended = self.run_with_input(&["import", "-"], &bank.to_string()).await;
        assert_eq!(ended.code, Some(0), "the import failed: {}", ended.stderr);
    }

    /// Starts a server on a free port and waits until it answers. Further options follow
    /// `serve`.
    pub(crate) async fn serve(&self, options: &[&str]) -> Server {
        self.launch(options).ready().await
    }

    /// Starts a server on a free port and waits for nothing.
    pub(crate) fn launch(&self, options: &[&str]) -> Launched {
        let arguments = [&["serve", "--listen", "127.0.0.1:0"], options].concat();
        Launched::of(self.command(&arguments))
    }

    /// Starts a server from its whole command line.
    pub(crate) async fn start(&self, arguments: &[&str]) -> Server {
        Launched::of(self.command(arguments)).ready().await
    }

    /// The first column of the first row of a query, as a number.
    pub(crate) async fn number(&self, sql: &str) -> i64 {
        let mut connection = self.connect().await;
        let number = sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        number
    }

    /// The rows of a query, each as its values divided by blanks.
    pub(crate) async fn rows(&self, sql: &str) -> Vec<String> {
        let mut connection = self.connect().await;
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_all(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        rows.iter().map(|row| cells(row).map(|(_, cell)| cell).collect::<Vec<_>>().join(" ")).collect()
    }

    /// Runs a statement past all of the code, to break something.
    pub(crate) async fn execute(&self, sql: &str) {
        let mut connection = self.connect().await;
        sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    }

    /// Every row of every table of the design but those named, as text, in order.
    pub(crate) async fn dump(&self, but: &[&str]) -> BTreeMap<String, Vec<String>> {
        let mut connection = self.connect().await;
        let tables: Vec<String> = sqlx::query_scalar(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
        )
        .fetch_all(&mut connection)
        .await
        .unwrap();
        let mut dump = BTreeMap::new();
        for table in tables.into_iter().filter(|table| !but.contains(&table.as_str())) {
            let sql = format!("SELECT * FROM \"{table}\"");
            let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_all(&mut connection).await.unwrap();
            let mut rows: Vec<_> = rows.iter().map(shown).collect();
            rows.sort();
            dump.insert(table, rows);
        }
        connection.close().await.unwrap();
        dump
    }

    /// A connection past all of the code.
    pub(crate) async fn connect(&self) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(self.database()).busy_timeout(*PATIENCE);
        SqliteConnection::connect_with(&options).await.unwrap()
    }
}

/// Waits until `ready` says so, asking every few milliseconds.
pub(crate) async fn until(what: &str, ready: impl AsyncFn() -> bool) {
    in_time(what, async {
        while !ready().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}

/// Waits for `future`, and fails the test when it takes too long.
pub(crate) async fn in_time<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(*PATIENCE, future).await.unwrap_or_else(|_| panic!("waited in vain for {what}"))
}

/// The real time, by the same clock as the processes': SQLite's.
async fn real_now() -> i64 {
    ask_sqlite("SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)", "").await
}

/// An instant in RFC 3339, to the second, as milliseconds since 1970.
pub(crate) async fn millis(instant: &str) -> i64 {
    ask_sqlite("SELECT CAST(unixepoch(?1, 'subsec') * 1000 AS INTEGER)", instant).await
}

async fn ask_sqlite(sql: &'static str, argument: &str) -> i64 {
    let mut connection = SqliteConnection::connect("sqlite::memory:").await.unwrap();
    let query = sqlx::query_scalar(sql);
    let query = if argument.is_empty() { query } else { query.bind(argument) };
    query.fetch_one(&mut connection).await.unwrap()
}

#[cfg(target_os = "linux")]
fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&from, &to);
        } else {
            std::fs::copy(from, to).unwrap();
        }
    }
}

fn shown(row: &SqliteRow) -> String {
    cells(row).map(|(name, cell)| format!("{name}={cell}")).collect::<Vec<_>>().join(", ")
}

/// The columns of a row and their values as text.
fn cells(row: &SqliteRow) -> impl Iterator<Item = (&str, String)> {
    let cell = |at: usize| -> String {
        let value = row.try_get_raw(at).unwrap();
        match (value.is_null(), value.type_info().name()) {
            (true, _) => "NULL".to_owned(),
            (false, "INTEGER") => row.get::<i64, _>(at).to_string(),
            (false, "TEXT") => row.get::<String, _>(at),
            (false, other) => format!("{other} {:?}", row.get_unchecked::<Vec<u8>, _>(at)),
        }
    };
    row.columns().iter().map(move |column| (column.name(), cell(column.ordinal())))
}
