//! A small service with its tenants, and a look at what they were invoiced for.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use fencepost_batch::{
    Committed, PlanRunner, StoreClock,
    faults::{Fate, Faulty},
};
use fencepost_core::{
    AtOnce, RandomTokens, StoreError, lease::DEFAULT_LEASE_MS, retry::Patience, time::UnixMillis,
};
use fencepost_example_monthly::{Invoicing, TenantMonth};
use fencepost_sqlite::{Durability, Migration, SqliteOptions, SqliteRunner};
use rusqlite::Connection;

const SCHEMA: &str = include_str!("../../migrations/0001_invoices.sql");
const MIGRATIONS: &[Migration] = &[Migration { name: "0001_invoices.sql", sql: SCHEMA }];

/// After this, a lease may change hands.
pub(crate) const LATER: i64 = DEFAULT_LEASE_MS;

/// A whole year is caught up.
pub(crate) const YEAR: u32 = 12;

/// A database in a folder of its own, and its clock.
pub(crate) struct Office {
    folder: tempfile::TempDir,
    clock: Arc<AtomicI64>,
    pub(crate) catch_up_months: u32,
}

impl Office {
    /// At this instant, with these tenants: from which month, and until which.
    pub(crate) fn at(instant: &str, tenants: &[(&str, Option<&str>)]) -> Self {
        let clock = Arc::new(AtomicI64::new(0));
        let office = Self { folder: tempfile::tempdir().unwrap(), clock, catch_up_months: YEAR };
        office.set_clock(instant);
        office.sql(SCHEMA);
        // As the runner would note it.
        office.sql(
            "CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
            applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL);
            INSERT INTO d1_migrations (name) VALUES ('0001_invoices.sql')",
        );
        for (since, until) in tenants {
            office.join(since, *until);
        }
        office
    }

    pub(crate) fn join(&self, since: &str, until: Option<&str>) {
        let until = until.map_or("NULL".to_owned(), |until| format!("'{until}'"));
        self.sql(&format!(
            "INSERT INTO tenants (name, monthly_fee_cents, since_month, until_month)
             VALUES ('A tenant', 1000 + (SELECT count(*) FROM tenants), '{since}', {until})"
        ));
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.path().join("monthly.db")
    }

    /// Runs statements past the runner.
    pub(crate) fn sql(&self, statements: &str) {
        Connection::open(self.database()).unwrap().execute_batch(statements).unwrap();
    }

    /// The rows of a query with one column.
    pub(crate) fn texts(&self, query: &str) -> Vec<String> {
        let connection = Connection::open(self.database()).unwrap();
        let mut statement = connection.prepare(query).unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    }

    /// What was invoiced, such as `1/2026-02`, in the order of the numbers.
    pub(crate) fn invoiced(&self) -> Vec<String> {
        self.texts("SELECT run_id FROM invoices ORDER BY number")
    }

    /// All that an invoice run writes and that must not change any more.
    pub(crate) fn lasting(&self) -> Vec<String> {
        self.texts(
            "SELECT json_array(run_id, tenant_id, month, version, commit_token, updated_at) FROM invoice_runs
             UNION ALL SELECT json_array(commit_token, run_id, version) FROM run_receipts
             UNION ALL SELECT json_array(series, last_number) FROM invoice_numbers
             UNION ALL SELECT json_array(number, run_id, amount_cents, issued_at) FROM invoices ORDER BY 1",
        )
    }

    /// Every month of this list was invoiced once, those of a tenant in their order, for their fees,
    /// with numbers that have no gap and with a receipt each.
    #[track_caller]
    pub(crate) fn check(&self, what: &str, expected: &[&str]) {
        let invoiced = self.invoiced();
        let mut sorted = invoiced.clone();
        sorted.sort();
        assert_eq!(sorted, expected, "{what}");
        let numbers = self.texts("SELECT CAST(number AS TEXT) FROM invoices ORDER BY number");
        let counted: Vec<_> = (1..=expected.len()).map(|number| number.to_string()).collect();
        assert_eq!(numbers, counted, "{what}: the numbers");
        // They were sorted by tenant and month; by number, the months of one tenant come in order too.
        let in_order = self.texts("SELECT run_id FROM invoices ORDER BY CAST(tenant_id AS TEXT), number");
        assert_eq!(in_order, expected, "{what}: the order");
        for table in ["invoice_runs", "run_receipts"] {
            let ids = self.texts(&format!("SELECT run_id FROM {table} WHERE version = 1 ORDER BY 1"));
            assert_eq!(ids, expected, "{what}: {table}");
        }
        let wrong = self.texts(
            "SELECT run_id FROM invoices AS i JOIN tenants AS t USING (tenant_id)
             WHERE i.amount_cents <> t.monthly_fee_cents OR run_id <> tenant_id || '/' || month",
        );
        assert_eq!(wrong, [""; 0], "{what}: the amounts");
    }

    pub(crate) fn pass_time(&self, ms: i64) {
        self.clock.fetch_add(ms, Ordering::SeqCst);
    }

    pub(crate) fn set_clock(&self, instant: &str) {
        let instant: UnixMillis = instant.parse().unwrap();
        self.clock.store(instant.get(), Ordering::SeqCst);
    }

    pub(crate) async fn runner(&self) -> SqliteRunner {
        let options = SqliteOptions {
            clock: StoreClock::Manual(self.clock.clone()),
            durability: Durability::Normal,
            ..SqliteOptions::new(self.database(), MIGRATIONS)
        };
        SqliteRunner::open(options).await.unwrap()
    }

    /// Lets a worker of its own do what there is, on a runner of its own.
    pub(crate) async fn run(&self) -> Vec<TenantMonth> {
        self.run_on(self.runner().await).await.unwrap()
    }

    pub(crate) async fn run_on(&self, runner: impl PlanRunner) -> Result<Vec<TenantMonth>, StoreError> {
        Invoicing::new(runner, PATIENCE, self.catch_up_months).run().await
    }

    /// Lets a worker of its own try this very month.
    pub(crate) async fn invoice(
        &self,
        runner: impl PlanRunner,
        tenant: i64,
        month: &str,
    ) -> Option<Committed> {
        let what: TenantMonth = (tenant, month.to_owned());
        Invoicing::new(runner, PATIENCE, self.catch_up_months).invoice(&what).await.unwrap()
    }

    /// Once all leases are over, another run does whatever is left.
    pub(crate) async fn finish(&self) {
        self.pass_time(LATER);
        self.run().await;
    }

    /// How many calls an undisturbed run makes.
    pub(crate) async fn calls(&self) -> u32 {
        let runner = Faulty::new(self.runner().await, |_| async { Fate::Answered });
        self.run_on(&runner).await.unwrap();
        runner.calls()
    }
}

const PATIENCE: Patience<'static> = Patience { timer: &AtOnce, tokens: &RandomTokens };
