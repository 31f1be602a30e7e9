//! The newsletter on SQLite: `newsletter DATABASE FOLDER`. The mail service is a folder of files by key.

use std::{env, error::Error, fs, path::PathBuf, process};

use fencepost_core::{RandomTokens, retry::Patience};
use fencepost_example_newsletter::{MailService, Newsletter};
use fencepost_sqlite::{Migration, SqliteOptions, SqliteRunner, TokioTimer};

const MIGRATIONS: &[Migration] =
    &[Migration { name: "0001_newsletter.sql", sql: include_str!("../migrations/0001_newsletter.sql") }];

struct Folder(PathBuf);

impl MailService for Folder {
    async fn send(&self, key: &str, mail: &str) -> Result<(), Box<dyn Error>> {
        let part = self.0.join(format!("{key}.{}.part", process::id()));
        fs::write(&part, mail)?;
        Ok(fs::rename(&part, self.0.join(key))?)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let word = |n| env::args().nth(n).ok_or("say where: newsletter DATABASE FOLDER");
    let (database, folder) = (word(1)?, PathBuf::from(word(2)?));
    fs::create_dir_all(&folder)?;
    let runner = SqliteRunner::open(SqliteOptions::new(database, MIGRATIONS)).await?;
    let patience = Patience { timer: &TokioTimer, tokens: &RandomTokens };
    Ok(Newsletter::new(runner, patience, Folder(folder)).run().await?)
}
