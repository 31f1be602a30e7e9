//! Invoices, exactly once per tenant and month, and what was missed is caught up.
//!
//! A *run* invoices one tenant for one month, by one guarded batch. It is a row that appears: there is
//! either none, and the month is still to be invoiced, or there is one, and it never will be again. A
//! job that comes late, or never came for a year, finds the months that have no row. However many
//! workers try, each of them is invoiced once, one after the other, and the numbers have no gap.
//!
//! What month it is, is decided where the row is written, by the clock of the database. A worker may
//! have looked before midnight, and write after it.

use fencepost_batch::clock::CLOCK;
use fencepost_batch::{Chain, Change, Committed, Guard, Insert, Linked, Marked, Marking, PlanRunner, Query};
use fencepost_batch::{ReadBack, Row, Sql, Store, Tracing, Value, decode, sql_texts};
use fencepost_core::{StoreError, id::OwnerId, landing::Ended, lease::DEFAULT_LEASE_MS, retry::Patience};

#[cfg(target_arch = "wasm32")]
mod worker;

/// A row of `invoice_runs`. It never changes, so its version is 0 before it is there, and then 1.
enum Run {}

impl Marked for Run {
    type Key = String;
    type LeaseKey = String;
    const TABLE: &'static str = "invoice_runs";
    const KEY: &'static str = "run_id";
    const RECEIPTS: &'static str = "run_receipts";

    /// One for all months of a tenant, `TENANT/MONTH`.
    fn lease_key(run: &String) -> String {
        format!("invoices-{}", run.split('/').next().unwrap_or_default())
    }
}

/// The month that the clock shows, `months` earlier. On the 31st, `-1 month` alone would ask for the 31st
/// of the month before, and where it has none, arrive in this month again: hence its first day.
fn month_ago(months: &str) -> String {
    format!(
        "strftime('%Y-%m', clock.now / 1000, 'unixepoch', 'start of month',
            '-' || CAST({months} AS INTEGER) || ' months')"
    )
}

/// The month after this one, or before it: `by` is `+1` or `-1`.
fn neighbour(month: &str, by: &str) -> String {
    format!("strftime('%Y-%m', {month} || '-01', '{by} month')")
}

/// Whether the tenant `t` is invoiced for a month.
fn is_customer(month: &str) -> String {
    format!("{month} >= t.since_month AND {month} <= coalesce(t.until_month, {month})")
}

/// Whether the tenant `t` was invoiced for a month.
fn is_done(month: &str) -> String {
    format!("EXISTS (SELECT 1 FROM invoice_runs AS r WHERE r.tenant_id = t.tenant_id AND r.month = {month})")
}

/// `?8` is the tenant, `?9` the month, and `?10` how many months are caught up.
fn guard() -> Guard<Run> {
    let of_tenant = |what| format!("(SELECT {what} FROM tenants AS t WHERE t.tenant_id = ?8)");
    let (oldest, before) = (month_ago("?10"), neighbour("?9", "-1"));
    let is_first = format!("NOT ({}) OR {before} < {oldest}", is_customer(&before));
    Guard::under_lease()
        .and("over", format!("?9 < {}", month_ago("0")))
        .and("customer", of_tenant(is_customer("?9")))
        .and("in_order", of_tenant(format!("{} OR {is_first}", is_done(&before))))
        .and("recent", format!("?9 >= {oldest}"))
}

sql_texts! {
    /// What is missing of the last `?2` months, oldest first.
    MISSING = "monthly/missing", format!("\
        WITH RECURSIVE months (month) AS (
          SELECT {oldest} FROM {CLOCK}
          UNION ALL SELECT {next} FROM months JOIN {CLOCK} WHERE month < {this})
        SELECT t.tenant_id, m.month FROM months AS m JOIN tenants AS t JOIN {CLOCK}
        WHERE m.month < {this} AND {is_customer} AND NOT {is_done} ORDER BY m.month, t.tenant_id",
        oldest = month_ago("?2"), next = neighbour("month", "+1"), this = month_ago("0"),
        is_customer = is_customer("m.month"), is_done = is_done("m.month"));
    RUN: Marking<Run> = "monthly/run", Sql::insert_marked("tenant_id, month", "?8, ?9", &guard());
    COUNT: Linked<Run> = "monthly/count", Sql::insert(Insert {
        table: "invoice_numbers", columns: "series, last_number", values: "'invoices', 1",
        on_conflict: "(series) DO UPDATE SET last_number = last_number + 1", ..Insert::default() });
    WRITE_INVOICE: Linked<Run> = "monthly/write_invoice", Sql::insert(Insert {
        table: "invoices", columns: "number, run_id, tenant_id, month, amount_cents, issued_at",
        values: "n.last_number, marked.run_id, marked.tenant_id, marked.month, t.monthly_fee_cents,
            marked.updated_at",
        joins: "JOIN tenants AS t ON t.tenant_id = marked.tenant_id
            JOIN invoice_numbers AS n ON n.series = 'invoices'", ..Insert::default() }).exactly(1);
    WRITE_RECEIPT: Linked<Run> = "monthly/write_receipt", Sql::write_receipt();
    RELEASE: Linked<Run> = "monthly/release", Sql::release_lease();
    /// A batch that would leave a gap is rolled back, as is one that writes no invoice.
    READ_BACK: ReadBack<Run> = "monthly/read_back", Sql::of_guard(&guard(), &[
        ("the numbers have a gap", "coalesce((SELECT n.last_number = 1 OR EXISTS (SELECT 1 FROM invoices AS i
            WHERE i.number = n.last_number - 1) FROM invoice_numbers AS n), true)".into())], "");
    TRACE: Tracing<Run> = "monthly/trace", Sql::receipts("");
}

/// A tenant, and a month for which it is invoiced, such as `2026-02` (in UTC).
pub type TenantMonth = (i64, String);

/// A worker of the invoice run. Any number of them may be at work at the same time.
pub struct Invoicing<'a, R> {
    store: Store<R>,
    patience: Patience<'a>,
    owner: OwnerId,
    catch_up_months: u32,
}

impl<'a, R: PlanRunner> Invoicing<'a, R> {
    /// A worker with a name of its own. Months are caught up if they are among the last
    /// `catch_up_months` that are over; what is older is left to people.
    pub fn new(runner: R, patience: Patience<'a>, catch_up_months: u32) -> Self {
        Self { store: Store::new(runner), patience, owner: patience.tokens.owner("monthly"), catch_up_months }
    }

    /// Invoices what is missing, and tells what it has invoiced. What another worker has in hand is left to
    /// it. A store out of reach ends the run; what is wrong with one month is told at the end. The next run
    /// does what is left.
    pub async fn run(&self) -> Result<Vec<TenantMonth>, StoreError> {
        let missing = |row: &dyn Row| Ok((decode::integer(row, "tenant_id")?, decode::text(row, "month")?));
        let params = vec![Value::Clock, i64::from(self.catch_up_months).into()];
        let (mut invoiced, mut problem) = (Vec::new(), None);
        for month in self.store.read(Query::new(&MISSING, params, missing)).await? {
            match self.invoice(&month).await {
                Ok(Some(Ended::Landed(_))) => invoiced.push(month),
                Ok(_) => {}
                Err(error) if error.is_passing() || error.is_over_budget() => return Err(error),
                Err(error) => problem = problem.or(Some(error)),
            }
        }
        problem.map_or(Ok(invoiced), Err)
    }

    /// Invoices a tenant for a month if it is to be done and not done yet, and tells how that ended;
    /// `None` if another worker has the tenant in hand.
    pub async fn invoice(&self, what: &TenantMonth) -> Result<Option<Committed>, StoreError> {
        let (tenant, month) = what;
        let run = format!("{tenant}/{month}");
        let lease = self.store.hold(&Run::lease_key(&run), &self.owner, DEFAULT_LEASE_MS).await?;
        let Some(lease) = lease else { return Ok(None) };
        let change = Change::new(&lease, run, 0);
        let own = || [(*tenant).into(), month.as_str().into(), i64::from(self.catch_up_months).into()];
        let batch = |attempt| {
            let chain = Chain::begin(attempt, &change, &RUN, own()).then(&COUNT, []).then(&WRITE_INVOICE, []);
            chain.then(&WRITE_RECEIPT, []).then(&RELEASE, []).read_back(&READ_BACK, |_| Ok(()))
        };
        self.store.commit(self.patience, &change, &TRACE, batch).await.map(Some)
    }
}
