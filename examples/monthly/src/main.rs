//! The invoice run on SQLite: `monthly DATABASE MONTHS`, once a day and as often as one likes.

use std::{env, error::Error};

use fencepost_core::{RandomTokens, retry::Patience};
use fencepost_example_monthly::Invoicing;
use fencepost_sqlite::{Migration, SqliteOptions, SqliteRunner, TokioTimer};

const MIGRATIONS: &[Migration] =
    &[Migration { name: "0001_invoices.sql", sql: include_str!("../migrations/0001_invoices.sql") }];

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let word = |n| env::args().nth(n).ok_or("say where, and how far back: monthly DATABASE MONTHS");
    let (database, months) = (word(1)?, word(2)?.parse()?);
    let runner = SqliteRunner::open(SqliteOptions::new(database, MIGRATIONS)).await?;
    let patience = Patience { timer: &TokioTimer, tokens: &RandomTokens };
    for (tenant, month) in Invoicing::new(runner, patience, months).run().await? {
        println!("tenant {tenant} is invoiced for {month}");
    }
    Ok(())
}
