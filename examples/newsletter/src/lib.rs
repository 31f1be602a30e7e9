//! A newsletter whose issues go to each subscriber exactly once, a hundred at a time.
//!
//! An issue is *cut*: a guarded batch moves it on by a hundred subscribers and puts a mail to them into
//! the outbox, with an idempotency key. However many workers try, each cut is made once. And the outbox
//! is *delivered*: the mail service gets each mail at least once, always with its key, and sends it once.

use std::{error::Error, mem};

use fencepost_batch::clock::{CLOCK, NOW};
use fencepost_batch::{Batch, Chain, Change, Guard, Insert, Linked, Marked, Marking, PlanRunner, Query};
use fencepost_batch::{ReadBack, Row, Sql, Store, Tracing, Value, decode, sql_texts};
use fencepost_core::{StoreError, id::OwnerId, landing::Ended, lease::DEFAULT_LEASE_MS, retry::Patience};

#[cfg(target_arch = "wasm32")]
mod worker;

/// A row of `issues`. Its version counts the cuts.
enum Issue {}

impl Marked for Issue {
    type Key = i64;
    type LeaseKey = String;
    const TABLE: &'static str = "issues";
    const KEY: &'static str = "issue_id";
    const RECEIPTS: &'static str = "issue_receipts";
    fn lease_key(issue: &i64) -> String {
        format!("issue-{issue}")
    }
}

const DUE: &str = "i.due_at <= clock.now";
const UNFINISHED: &str = "(i.audience_id IS NULL OR i.upto_id < i.audience_id)";
/// Whoever joins after the first cut gets the next issue.
const NEWEST: &str = "(SELECT coalesce(max(s.subscriber_id), 0) FROM subscribers AS s)";
/// Those whom the last cut is for.
const CHOSEN: &str = "FROM subscribers AS s WHERE s.subscriber_id BETWEEN marked.from_id AND marked.upto_id";

fn guard() -> Guard<Issue> {
    let of_issue = |what| format!("(SELECT {what} FROM issues AS i WHERE i.issue_id = ?2)");
    Guard::under_lease().and("due", of_issue(DUE)).and("unfinished", of_issue(UNFINISHED))
}

sql_texts! {
    TO_CUT = "newsletter/to_cut",
        format!("SELECT i.issue_id, i.version FROM issues AS i JOIN {CLOCK} WHERE {DUE} AND {UNFINISHED}");
    /// Up to the hundredth subscriber from here, or to the last.
    CUT: Marking<Issue> = "newsletter/cut", Sql::update_marked(&format!("\
        audience_id = coalesce(audience_id, {NEWEST}), from_id = upto_id + 1,
        upto_id = coalesce((SELECT s.subscriber_id FROM subscribers AS s
          WHERE s.subscriber_id > upto_id AND s.subscriber_id <= coalesce(audience_id, s.subscriber_id)
          ORDER BY s.subscriber_id LIMIT 1 OFFSET 99), audience_id, {NEWEST})"), &guard());
    /// No mail to nobody: all of them may have left.
    MAIL: Linked<Issue> = "newsletter/mail", Sql::insert(Insert {
        table: "deliveries", columns: "idempotency_key, issue_id, batch, next_attempt_at, mail",
        values: &format!("'issue-' || marked.issue_id || '-' || marked.version, marked.issue_id, marked.version,
            marked.updated_at, json_object('subject', marked.subject, 'body', marked.body,
            'to', json((SELECT json_group_array(s.address) {CHOSEN})))"),
        joins: &format!("JOIN (SELECT 1) ON EXISTS (SELECT 1 {CHOSEN})"), on_conflict: "" });
    RECEIPT: Linked<Issue> = "newsletter/receipt", Sql::write_receipt();
    RELEASE: Linked<Issue> = "newsletter/release", Sql::release_lease();
    READ_BACK: ReadBack<Issue> = "newsletter/read_back", Sql::of_guard(&guard(), &[], "");
    TRACE: Tracing<Issue> = "newsletter/trace", Sql::receipts("");
    /// Takes what waits longest, to be taken again after 1, 2, 4, … minutes unless it is delivered. But not
    /// after 23 hours: mail services forget a key after a day, and would send once more.
    TAKE = "newsletter/take", format!("UPDATE deliveries SET attempts = attempts + 1,
        first_attempt_at = coalesce(first_attempt_at, {NOW}), next_attempt_at = {NOW} + (60000 << attempts)
        WHERE idempotency_key = (SELECT d.idempotency_key FROM deliveries AS d WHERE d.delivered_at IS NULL
            AND d.next_attempt_at <= {NOW} AND coalesce(d.first_attempt_at > {NOW} - 23 * 3600000, true)
          ORDER BY d.next_attempt_at LIMIT 1) RETURNING idempotency_key, mail");
    /// What came of it: the problem `?3`, or none.
    NOTE = "newsletter/note", format!("UPDATE deliveries SET problem = ?3, delivered_at =
        coalesce(delivered_at, iif(?3 IS NULL, {NOW}, NULL)) WHERE idempotency_key = ?2 RETURNING problem");
}

/// Whatever sends mail. It MUST send what it gets with one key once.
pub trait MailService: Send + Sync {
    /// Hands over a mail, `{"subject", "body", "to": […]}`. After an error it may be sent all the same.
    fn send(&self, key: &str, mail: &str) -> impl Future<Output = Result<(), Box<dyn Error>>> + Send;
}

/// A worker of the newsletter. Any number of them may be at work at the same time.
pub struct Newsletter<'a, R, S> {
    store: Store<R>,
    patience: Patience<'a>,
    owner: OwnerId,
    service: S,
}

impl<'a, R: PlanRunner, S: MailService> Newsletter<'a, R, S> {
    /// A worker with a name of its own.
    pub fn new(runner: R, patience: Patience<'a>, service: S) -> Self {
        Self { store: Store::new(runner), patience, owner: patience.tokens.owner("newsletter"), service }
    }

    /// Cuts and delivers what there is. What a run leaves undone by an error, the next one does.
    pub async fn run(&self) -> Result<(), StoreError> {
        let issue = |row: &dyn Row| Ok((decode::integer(row, "issue_id")?, decode::integer(row, "version")?));
        let mut is_moving = true;
        while mem::take(&mut is_moving) {
            for (issue, version) in self.store.read(Query::new(&TO_CUT, vec![Value::Clock], issue)).await? {
                is_moving |= self.cut(issue, version).await?;
            }
            self.deliver().await?;
        }
        Ok(())
    }

    /// Cuts an issue once more, and tells whether it has moved on: by this worker or by another.
    async fn cut(&self, issue: i64, seen: i64) -> Result<bool, StoreError> {
        let lease = self.store.hold(&Issue::lease_key(&issue), &self.owner, DEFAULT_LEASE_MS).await?;
        let Some(lease) = lease else { return Ok(false) };
        let change = Change::new(&lease, issue, seen);
        let batch = |attempt| {
            let chain = Chain::begin(attempt, &change, &CUT, []).then(&MAIL, []).then(&RECEIPT, []);
            chain.then(&RELEASE, []).read_back(&READ_BACK, |_| Ok(()))
        };
        Ok(self.store.commit(self.patience, &change, &TRACE, batch).await? != Ended::Unknown)
    }

    /// Takes to the service what waits.
    async fn deliver(&self) -> Result<(), StoreError> {
        let mail = |row: &dyn Row| Ok((decode::text(row, "idempotency_key")?, decode::text(row, "mail")?));
        let take = || self.store.batch_optional(Batch::of(Query::new(&TAKE, vec![Value::Clock], mail)));
        while let Some((key, mail)) = take().await? {
            let problem = self.service.send(&key, &mail).await.err().map(|problem| problem.to_string());
            let note = Query::new(&NOTE, vec![Value::Clock, key.into(), problem.into()], |_| Ok(()));
            self.store.batch_optional(Batch::of(note)).await?;
        }
        Ok(())
    }
}
