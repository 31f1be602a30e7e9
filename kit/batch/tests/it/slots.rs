//! Slots up to a cap.

use expect_test::expect;
use fencepost_batch::{
    Sql, Value,
    slots::{SlotRow, Slotted, Taking, last_slot, take_slot},
    sql_texts,
};

enum Seats {}

impl Slotted for Seats {
    const TABLE: &'static str = "seats";
    const GROUP: &'static str = "event_id";
    const WHO: &'static str = "guest_id";
    const CAP: i64 = 100;
}

sql_texts! {
    TAKE: Taking<Seats> = "seats/take", Sql::take_slot(SlotRow {
        columns: "mark, taken_at",
        values: "?4, clock.now",
        joins: "JOIN events AS e ON e.event_id = ?2",
        condition: "clock.now < e.begins_at",
    });
}

#[test]
fn a_slot_is_found_checked_and_taken_by_one_statement() {
    expect![[r#"
        INSERT INTO seats (event_id, guest_id, slot, mark, taken_at)
        SELECT ?2, ?3, next.slot, ?4, clock.now
        FROM (SELECT CASE typeof(?1) WHEN 'text' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) + CAST(?1 AS INTEGER) WHEN 'null' THEN CAST(round(unixepoch('subsec') * 1000) AS INTEGER) ELSE CAST(?1 AS INTEGER) END AS now) AS clock
        JOIN (SELECT coalesce((SELECT max(taken.slot) FROM seats AS taken WHERE taken.event_id = ?2), 0) + 1 AS slot) AS next
        JOIN events AS e ON e.event_id = ?2
        WHERE (clock.now < e.begins_at)
          AND next.slot <= 100
        ON CONFLICT (event_id, guest_id) DO NOTHING"#]].assert_eq(TAKE.as_ref().sql());
    assert!(TAKE.as_ref().sql().contains(&last_slot::<Seats>()));
    assert_eq!(texts().len(), 1);
}

#[test]
fn whoever_asks_is_bound_behind_clock_and_group() {
    let statement = take_slot(&TAKE, 7, "guest", ["m".into()]);
    assert_eq!(statement.params(), [Value::Clock, 7.into(), "guest".into(), "m".into()]);
}

#[test]
fn a_slot_is_not_taken_by_a_value_over_rows() {
    let slot = SlotRow { columns: "n", values: "count(*)", joins: "", condition: "true" };
    assert!(std::panic::catch_unwind(|| Sql::<Taking<Seats>>::take_slot(slot)).is_err());
}
