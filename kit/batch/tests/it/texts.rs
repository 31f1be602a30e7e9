//! What the texts of a guarded batch come to, as SQL. It is reviewed like code.

use std::{panic::catch_unwind, sync::LazyLock};

use expect_test::{Expect, expect};
use fencepost_batch::{
    Chain, Change, Guard, Insert, Linked, Marking, Raising, ReadBack, Sql, SqlText, Statement, Text, Tracing,
    Value,
};
use fencepost_core::{attempt::Attempt, id::CommitToken};

use crate::orders::{self, Order, change, guard, lease, ship};

fn check(text: &SqlText, expected: &Expect) {
    expected.assert_eq(&format!("{}, {} parameters\n{}\n", text.name(), text.arity(), text.sql()));
}

fn all() -> String {
    let write = |text: &SqlText| format!("-- {}: {} parameters\n{}\n", text.name(), text.arity(), text.sql());
    orders::texts().into_iter().map(write).collect::<Vec<_>>().join("\n")
}

#[test]
fn every_text_of_a_guarded_batch_has_its_condition() {
    expect![[r#"
        -- orders/ship: 8 parameters
        UPDATE orders
        SET version = version + 1,
            commit_token = ?7,
            updated_at = clock.now,
            shipped_to = ?8
        FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
        WHERE orders.order_id = ?2
          AND ((SELECT l.owner_id FROM job_leases AS l WHERE l.key = ?3) = ?4)
          AND ((SELECT l.fence FROM job_leases AS l WHERE l.key = ?3) = ?5)
          AND ((SELECT l.expires_at > clock.now AND l.expires_at <= clock.now + 900000 FROM job_leases AS l WHERE l.key = ?3))
          AND (coalesce((SELECT marked.version FROM orders AS marked WHERE marked.order_id = ?2), 0) = ?6)
          AND ((SELECT s.pieces >= o.pieces FROM orders AS o JOIN stock AS s ON s.item = o.item WHERE o.order_id = ?2))

        -- orders/write_receipt: 7 parameters
        INSERT INTO order_receipts (commit_token, order_id, version)
        SELECT ?7, marked.order_id, marked.version
        FROM orders AS marked
        WHERE marked.order_id = ?2
          AND marked.commit_token = ?7

        -- orders/take_from_stock: 7 parameters
        UPDATE stock
        SET pieces = pieces - (SELECT o.pieces FROM orders AS o WHERE o.order_id = ?2)
        WHERE (item = (SELECT o.item FROM orders AS o WHERE o.order_id = ?2))
          AND EXISTS (SELECT 1 FROM orders AS marked WHERE marked.order_id = ?2 AND marked.commit_token = ?7)

        -- orders/take_from_stock: 7 parameters
        SELECT
          json_extract('{}', CASE
            WHEN changes() IS NOT (1) AND EXISTS (SELECT 1 FROM orders AS marked WHERE marked.order_id = ?2 AND marked.commit_token = ?7)
              THEN 'assertion failed: orders/take_from_stock wrote ' || changes() || ' rows instead of ' || coalesce(1, 'NULL')
            ELSE '$' END) AS assertion

        -- orders/release: 7 parameters
        UPDATE job_leases
        SET expires_at = 0,
            updated_at = (SELECT marked.updated_at FROM orders AS marked WHERE marked.order_id = ?2)
        WHERE (key = ?3 AND owner_id = ?4 AND fence = ?5)
          AND EXISTS (SELECT 1 FROM orders AS marked WHERE marked.order_id = ?2 AND marked.commit_token = ?7)

        -- orders/read_back: 7 parameters
        SELECT
          json_extract('{}', CASE
            WHEN (EXISTS (SELECT 1 FROM orders AS marked WHERE marked.order_id = ?2 AND marked.commit_token = ?7) = EXISTS (SELECT 1 FROM order_receipts AS r WHERE r.commit_token = ?7)) IS NOT TRUE
              THEN 'assertion failed: token and receipt are not together'
            WHEN (coalesce((SELECT marked.version FROM orders AS marked WHERE marked.order_id = ?2), 0) = coalesce((SELECT max(r.version) FROM order_receipts AS r WHERE r.order_id = ?2), 0)) IS NOT TRUE
              THEN 'assertion failed: the version is not that of the newest receipt'
            ELSE '$' END) AS assertion,
          EXISTS (SELECT 1 FROM orders AS marked WHERE marked.order_id = ?2 AND marked.commit_token = ?7) AS landed,
          coalesce((SELECT marked.version FROM orders AS marked WHERE marked.order_id = ?2), 0) AS row_version,
          ((SELECT l.owner_id FROM job_leases AS l WHERE l.key = ?3) = ?4) IS TRUE AS 'lease_owner',
          ((SELECT l.fence FROM job_leases AS l WHERE l.key = ?3) = ?5) IS TRUE AS 'lease_fence',
          ((SELECT l.expires_at > clock.now AND l.expires_at <= clock.now + 900000 FROM job_leases AS l WHERE l.key = ?3)) IS TRUE AS 'lease_live',
          (coalesce((SELECT marked.version FROM orders AS marked WHERE marked.order_id = ?2), 0) = ?6) IS TRUE AS 'version',
          ((SELECT s.pieces >= o.pieces FROM orders AS o JOIN stock AS s ON s.item = o.item WHERE o.order_id = ?2)) IS TRUE AS 'in_stock'
        FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock

        -- orders/trace: 3 parameters
        SELECT clock.now,
          coalesce((SELECT marked.version FROM orders AS marked WHERE marked.order_id = ?2), 0) AS row_version,
          r.commit_token, r.version AS receipt_version
        FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
        LEFT JOIN order_receipts AS r ON r.commit_token IN (SELECT value FROM json_each(?3)) AND r.order_id = ?2
        LIMIT 1
    "#]].assert_eq(&all());
}

#[test]
fn a_row_that_appears_is_under_the_guard_too() {
    let sql = Sql::<Marking<Order>>::insert_marked("item, pieces", "?8, CAST(?9 AS INTEGER)", &guard());
    check(
        Text::new("orders/place", sql).as_ref(),
        &expect![[r#"
        orders/place, 9 parameters
        INSERT INTO orders (order_id, version, commit_token, updated_at, item, pieces)
        SELECT ?2, CAST(?6 AS INTEGER) + 1, ?7, clock.now, ?8, CAST(?9 AS INTEGER)
        FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
        WHERE ((SELECT l.owner_id FROM job_leases AS l WHERE l.key = ?3) = ?4)
          AND ((SELECT l.fence FROM job_leases AS l WHERE l.key = ?3) = ?5)
          AND ((SELECT l.expires_at > clock.now AND l.expires_at <= clock.now + 900000 FROM job_leases AS l WHERE l.key = ?3))
          AND (coalesce((SELECT marked.version FROM orders AS marked WHERE marked.order_id = ?2), 0) = ?6)
          AND ((SELECT s.pieces >= o.pieces FROM orders AS o JOIN stock AS s ON s.item = o.item WHERE o.order_id = ?2))
    "#]],
    );
}

#[test]
fn rows_go_and_are_joined_on_the_same_condition() {
    let sql = Sql::<Linked<Order>>::delete("reservations", "order_id = ?2");
    check(
        Text::new("orders/free", sql).as_ref(),
        &expect![[r#"
            orders/free, 7 parameters
            DELETE FROM reservations
            WHERE (order_id = ?2)
              AND EXISTS (SELECT 1 FROM orders AS marked WHERE marked.order_id = ?2 AND marked.commit_token = ?7)
        "#]],
    );
    let sql = Sql::<Linked<Order>>::insert(Insert {
        table: "parcels",
        columns: "order_id, part",
        values: "marked.order_id, p.part",
        joins: "JOIN parts AS p ON p.item = marked.item",
        on_conflict: "(order_id, part) DO NOTHING",
    });
    check(
        Text::new("orders/pack", sql).as_ref(),
        &expect![[r#"
            orders/pack, 7 parameters
            INSERT INTO parcels (order_id, part)
            SELECT marked.order_id, p.part
            FROM orders AS marked
            JOIN parts AS p ON p.item = marked.item
            WHERE marked.order_id = ?2
              AND marked.commit_token = ?7
            ON CONFLICT (order_id, part) DO NOTHING
        "#]],
    );
}

#[test]
fn a_rehearsal_raises_whatever_the_tables_hold() {
    let sql = Sql::<Raising<Order>>::raising(&[("stock is negative", "true".to_owned())], "'told:' || 1");
    check(
        Text::new("orders/raise", sql).as_ref(),
        &expect![[r#"
        orders/raise, 7 parameters
        SELECT
          json_extract('{}', CASE
            WHEN (EXISTS (SELECT 1 FROM orders AS marked WHERE marked.order_id = ?2 AND marked.commit_token = ?7) = EXISTS (SELECT 1 FROM order_receipts AS r WHERE r.commit_token = ?7)) IS NOT TRUE
              THEN 'assertion failed: token and receipt are not together'
            WHEN (coalesce((SELECT marked.version FROM orders AS marked WHERE marked.order_id = ?2), 0) = coalesce((SELECT max(r.version) FROM order_receipts AS r WHERE r.order_id = ?2), 0)) IS NOT TRUE
              THEN 'assertion failed: the version is not that of the newest receipt'
            WHEN (true) IS NOT TRUE
              THEN 'assertion failed: stock is negative'
            ELSE 'told:' || 1 END) AS raised
        FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
    "#]],
    );
}

#[test]
fn a_batch_binds_the_same_lease_row_and_token_everywhere() {
    let lease = lease();
    let attempt = Attempt::vouched_for(CommitToken::new("t"));
    let batch = ship(attempt, &change(&lease)).into_batch();
    let bound = |statement: &Statement| format!("{}: {:?}\n", statement.text().name(), statement.params());
    let bound: String = batch.statements().map(bound).collect();
    expect![[r#"
        orders/ship: [Clock, Integer(7), Text("order:7"), Text("worker-1/x"), Integer(3), Integer(0), Text("t"), Text("Kyoto")]
        orders/write_receipt: [Null, Integer(7), Null, Null, Null, Null, Text("t")]
        orders/take_from_stock: [Null, Integer(7), Null, Null, Null, Null, Text("t")]
        orders/take_from_stock: [Null, Integer(7), Null, Null, Null, Null, Text("t")]
        orders/release: [Null, Integer(7), Text("order:7"), Text("worker-1/x"), Integer(3), Null, Text("t")]
        orders/read_back: [Clock, Integer(7), Text("order:7"), Text("worker-1/x"), Integer(3), Integer(0), Text("t")]
    "#]].assert_eq(&bound);
    assert_eq!(batch.name(), "orders/ship");
}

/// Puts a text together.
type Make = Box<dyn Fn() + std::panic::UnwindSafe>;

#[test]
fn a_part_that_would_get_around_the_condition_is_refused() {
    let insert = Insert { table: "t", columns: "a", values: "1", ..Insert::default() };
    let refused: [(&str, Make); 12] = [
        (
            "values over rows",
            Box::new(move || drop(Sql::<Linked<Order>>::insert(Insert { values: "count(*)", ..insert }))),
        ),
        (
            "another source",
            Box::new(move || drop(Sql::<Linked<Order>>::insert(Insert { values: "1 FROM t --", ..insert }))),
        ),
        (
            "no table",
            Box::new(move || {
                drop(Sql::<Linked<Order>>::insert(Insert { table: "t (a) SELECT 1", ..insert }))
            }),
        ),
        (
            "a condition that is closed",
            Box::new(|| drop(Sql::<Linked<Order>>::update("t", "a = 1", "true) OR (true"))),
        ),
        (
            "a change with a condition",
            Box::new(|| drop(Sql::<Linked<Order>>::update("t", "a = 1 WHERE true", "true"))),
        ),
        ("another statement", Box::new(|| drop(Sql::<Linked<Order>>::delete("t", "true; SELECT (1")))),
        ("a row over rows", Box::new(|| drop(Sql::<Marking<Order>>::insert_marked("a", "max(1)", &guard())))),
        (
            "a change with a source",
            Box::new(|| drop(Sql::<Marking<Order>>::update_marked("a = 1 FROM t", &guard()))),
        ),
        (
            "a guard that is closed",
            Box::new(|| drop(Guard::<Order>::under_lease().and("a", "true) OR (true"))),
        ),
        (
            "columns with a source",
            Box::new(|| drop(Sql::<ReadBack<Order>>::of_guard(&guard(), &[], "1 AS a FROM t"))),
        ),
        (
            "an assertion with an end",
            Box::new(|| {
                drop(Sql::<ReadBack<Order>>::of_guard(&guard(), &[("it's wrong", "true".to_owned())], ""));
            }),
        ),
        ("receipts of elsewhere", Box::new(|| drop(Sql::<Tracing<Order>>::receipts("1 UNION SELECT 2")))),
    ];
    for (what, make) in refused {
        assert!(catch_unwind(make).is_err(), "{what}");
    }
    drop(Sql::<Linked<Order>>::insert(insert));
}

/// The clock goes on between two statements of a batch.
#[test]
fn a_linked_text_takes_the_instant_from_the_row() {
    let refused = catch_unwind(|| drop(Sql::<Linked<Order>>::update("t", "at = ?1", "true")));
    let message = *refused.unwrap_err().downcast::<String>().expect("a message");
    assert!(message.contains("marked.updated_at"), "{message}");
}

static TOLD_OF_ANOTHER_GUARD: LazyLock<Text<ReadBack<Order>>> = LazyLock::new(|| {
    let guard = Guard::under_lease().and("in_stock", "true");
    Text::new("orders/read_back_otherwise", Sql::of_guard(&guard, &[], ""))
});

/// Otherwise it would tell of no condition that does not hold, or of another one.
#[test]
fn a_batch_is_not_read_back_by_another_guard() {
    let lease = lease();
    let read_back = |text| {
        catch_unwind(|| {
            let attempt = Attempt::vouched_for(CommitToken::new("t"));
            let chain = Chain::begin(attempt, &change(&lease), &orders::SHIP, ["Kyoto".into()]);
            drop(chain.read_back(text, |_| Ok(())));
        })
    };
    assert!(read_back(&orders::READ_BACK).is_ok());
    assert!(read_back(&TOLD_OF_ANOTHER_GUARD).is_err());
}

#[test]
fn a_change_is_made_under_the_lease_of_its_row() {
    let told = |order| catch_unwind(move || format!("{:?}", Change::<Order>::new(&lease(), order, 0)));
    assert!(told(7).unwrap().contains("key: 7"));
    assert!(told(8).is_err());
}

#[test]
fn a_statement_has_as_many_parameters_as_its_text() {
    let lease = lease();
    let begin = |own: Vec<Value>| {
        catch_unwind(|| {
            let attempt = Attempt::vouched_for(CommitToken::new("t"));
            drop(Chain::begin(attempt, &change(&lease), &orders::SHIP, own));
        })
    };
    assert!(begin(vec!["Kyoto".into()]).is_ok());
    assert!(begin(vec![]).is_err() && begin(vec!["Kyoto".into(), 1.into()]).is_err());
    let go_on = |own: Vec<Value>| {
        catch_unwind(|| {
            let attempt = Attempt::vouched_for(CommitToken::new("t"));
            let chain = Chain::begin(attempt, &change(&lease), &orders::SHIP, ["Kyoto".into()]);
            drop(chain.then(&orders::WRITE_RECEIPT, own));
        })
    };
    assert!(go_on(vec![]).is_ok());
    assert!(go_on(vec![1.into()]).is_err());
}
