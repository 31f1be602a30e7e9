//! The contract of the store ports as a Worker: `GET /` lists the cases, `POST /case/NAME`
//! runs one, `POST /history/SEED/LENGTH` plays a random history on the model and on D1.
//!
//! A case that fails panics, which ends the instance and the request; the message is in
//! the log. The driver of the test waits for each answer before it asks for the next, as
//! the cases share one database.

use std::sync::Arc;

use async_trait::async_trait;
use fencepost_d1::D1Runner;
use fencepost_domain::{id::PuzzleId, time::UnixMillis};
use fencepost_plan_store::{PlanStore, StoreClock};
use fencepost_ports::{
    StoreCounts, StoreError, Stores,
    contract::{self, Backend, CASES, Fixture, Inspect, ManualClock, MemoryBackend, Row, SCHEMA, Tables},
};
use worker::{Context, Env, Request, Response, Result, d1::D1Database, event};

#[event(start)]
fn start() {
    std::panic::set_hook(Box::new(|info| worker::console_error!("{info}")));
}

#[event(fetch)]
async fn fetch(request: Request, env: Env, _: Context) -> Result<Response> {
    let path = request.path();
    let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
    match parts[..] {
        [""] => Response::from_json(&CASES.iter().map(|case| case.name).collect::<Vec<_>>()),
        ["case", name] => {
            contract::run(&D1Backend(env), name).await;
            Response::ok("kept")
        }
        ["history", seed, length] => match (seed.parse(), length.parse()) {
            (Ok(seed), Ok(length)) => {
                contract::agree(&MemoryBackend, &D1Backend(env), seed, length).await;
                Response::ok("agreed")
            }
            _ => Response::error("a seed and a length are numbers", 400),
        },
        _ => Response::error("no such case", 404),
    }
}

struct D1Backend(Env);

impl D1Backend {
    fn database(&self) -> D1Database {
        self.0.d1("DB").expect("the driver binds the database as DB")
    }
}

#[async_trait]
impl Backend for D1Backend {
    async fn fresh(&self) -> Fixture {
        let tables = D1Tables(self.database());
        tables.empty().await;
        let clock = ManualClock::new(UnixMillis::new(0));
        let runner =
            D1Runner::new(self.database(), StoreClock::Manual(clock.shared()), StoreCounts::default());
        let store = Arc::new(PlanStore::new(runner));
        Fixture { stores: Stores::of(store), clock, inspect: Arc::new(tables) }
    }
}

/// All tables, past the ports.
struct D1Tables(D1Database);

impl D1Tables {
    /// What the migrations leave behind, and nothing else.
    #[worker::send]
    async fn empty(&self) {
        let children_first = SCHEMA.iter().rev().map(|shape| format!("DELETE FROM {}", shape.name));
        let state =
            "INSERT INTO site_state (id, publication_revision, bank_revision, paused) VALUES (1, 0, 0, 0)";
        let statements = std::iter::once("PRAGMA defer_foreign_keys = ON".to_owned())
            .chain(children_first)
            .chain([state.to_owned()])
            .map(|sql| self.0.prepare(sql))
            .collect();
        self.0.batch(statements).await.expect("the tables can be emptied");
    }

    #[worker::send]
    async fn plant(&self, puzzle: PuzzleId, count: i64) -> Result<()> {
        let sql = format!(
            "WITH RECURSIVE slots (slot) AS (
               SELECT 1
               UNION ALL
               SELECT slot + 1 FROM slots WHERE slot < {count})
             INSERT INTO daily_results (puzzle_id, session_id, slot, outcome, guesses_used, created_at,
               won_with_1, won_with_2, won_with_3, won_with_4, won_with_5, won_with_6)
             SELECT {puzzle}, printf('planted-session-%05d', slot), slot, 'won', 3, 0, 0, 0, slot, 0, 0, 0
             FROM slots"
        );
        self.0.prepare(sql).run().await.map(drop)
    }

    #[worker::send]
    async fn rows(&self, table: &str) -> Result<Vec<Row>> {
        self.0.prepare(format!("SELECT * FROM {table}")).all().await?.results()
    }
}

#[async_trait]
impl Inspect for D1Tables {
    async fn tables(&self) -> std::result::Result<Tables, StoreError> {
        let mut tables = Tables::new();
        for shape in SCHEMA {
            let rows = self.rows(shape.name).await.map_err(|error| StoreError::unknown(error.to_string()))?;
            tables.insert(shape.name.to_owned(), rows);
        }
        Ok(tables)
    }

    async fn plant_results(&self, puzzle: PuzzleId, count: i64) -> std::result::Result<(), StoreError> {
        self.plant(puzzle, count).await.map_err(|error| StoreError::unknown(error.to_string()))
    }
}
