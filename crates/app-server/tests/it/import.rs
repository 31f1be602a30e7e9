//! Imports: all rows, or none.

use serde_json::{Value, json};

use crate::{
    bank::{bank, november, row},
    harness::Place,
};

/// Imports `file`, which has to be refused with each of `words`, and changes nothing.
async fn check(place: &Place, file: &str, words: &[&str]) {
    let before = place.dump(&[]).await;
    let ended = place.run_with_input(&["import", "-"], file).await;
    assert_eq!(ended.code, Some(1), "{file} was not refused: {ended:?}");
    for word in words.iter().chain(&["nothing was imported"]) {
        assert!(ended.stderr.contains(word), "no {word:?} in: {}", ended.stderr);
    }
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
    assert_eq!(place.dump(&[]).await, before, "{file} left something behind");

    let ended = place.run_with_input(&["import", "-", "--json"], file).await;
    assert_eq!(ended.code, Some(1), "{file} was not refused with --json: {ended:?}");
}

fn with(change: impl FnOnce(&mut Value)) -> String {
    let mut bad = row(2, "2026-11-02");
    change(&mut bad);
    bank([row(1, "2026-11-01"), bad, row(3, "2026-11-03")]).to_string()
}

#[tokio::test]
async fn rows_that_cannot_be_are_named_and_nothing_is_imported() {
    let place = Place::new();
    place.import(&bank([row(100, "2026-10-01")])).await;

    check(&place, "", &["standard input", "EOF"]).await;
    check(&place, "{", &["line 1"]).await;
    check(&place, "[]", &["\"puzzles\": [", "play_date", "price_cents"]).await;
    check(&place, r#"{"rows": []}"#, &["rows"]).await;
    check(&place, r#"{"puzzles": []}"#, &["no puzzles"]).await;
    let full = bank(november(3)).to_string();
    check(&place, &full[..full.len() / 2], &["EOF"]).await;

    check(&place, &with(|row| *row = Value::Null), &["row 1"]).await;
    check(&place, &with(|row| drop(row.as_object_mut().unwrap().remove("name"))), &["row 1", "name"]).await;
    check(&place, &with(|row| row["price"] = json!(5)), &["row 1", "price"]).await;
    check(&place, &with(|row| row["price_cents"] = json!("18.99")), &["row 1"]).await;
    check(&place, &with(|row| row["price_cents"] = json!(18.99)), &["row 1"]).await;
    check(&place, &with(|row| row["price_cents"] = json!(0)), &["row 1, price_cents"]).await;
    check(&place, &with(|row| row["price_cents"] = json!(-100)), &["row 1, price_cents"]).await;
    check(&place, &with(|row| row["id"] = json!(0)), &["row 1, id"]).await;
    check(&place, &with(|row| row["id"] = json!(1)), &["row 1, id", "row 0"]).await;
    check(&place, &with(|row| row["id"] = json!(9_007_199_254_740_992_i64)), &["row 1, id"]).await;
    check(&place, &with(|row| row["play_date"] = json!("2026-02-30")), &["row 1, play_date"]).await;
    check(&place, &with(|row| row["play_date"] = json!("28.11.2026")), &["row 1, play_date"]).await;
    check(&place, &with(|row| row["play_date"] = json!("2026-11-01")), &["row 1, play_date", "row 0"]).await;
    check(&place, &with(|row| row["name"] = json!("  ")), &["row 1, name"]).await;
    check(&place, &with(|row| row["name"] = json!("x".repeat(300))), &["row 1, name"]).await;
    check(&place, &with(|row| row["description"] = json!("a\u{0}b")), &["row 1, description"]).await;
    check(&place, &with(|row| row["image_url"] = json!("javascript:alert(1)")), &["row 1, image_url"]).await;
    check(&place, &with(|row| row["expected_version"] = json!(-1)), &["row 1, expected_version"]).await;

    let three = bank([json!({"id": "x"}), row(0, "2026-11-32"), row(3, "2026-11-03")]).to_string();
    check(
        &place,
        &three,
        &["row 0, id", "row 1, id", "row 1, price_cents", "row 1, play_date", "4 complaints"],
    )
    .await;
}

#[tokio::test]
async fn rows_that_contradict_the_bank_are_named_and_nothing_is_imported() {
    let place = Place::new();
    place.import(&bank(november(3))).await;

    check(&place, &bank([row(9, "2026-11-09"), row(8, "2026-11-02")]).to_string(), &["puzzle 8", "puzzle 2"])
        .await;
    let mut late = row(2, "2026-11-02");
    late["name"] = json!("An older name");
    for stale in [7, 0] {
        late["expected_version"] = json!(stale);
        let file = bank([row(9, "2026-11-09"), late.clone()]).to_string();
        check(&place, &file, &["puzzle 2", "version 1"]).await;
    }
}

#[tokio::test]
async fn an_import_comes_from_a_file_or_from_standard_input_and_is_idempotent() {
    let place = Place::new();
    let file = bank(november(3)).to_string();
    std::fs::write(place.path().join("bank.json"), &file).unwrap();

    let said = place.succeed(&["import", "bank.json"]).await;
    assert_eq!(said, "imported: 3 new, 0 changed, 0 as they were\n");
    let before = place.dump(&[]).await;
    let ended = place.run_with_input(&["import", "-"], &file).await;
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(0), "imported: 0 new, 0 changed, 3 as they were\n")
    );
    assert_eq!(place.dump(&["bank_edits"]).await, without(before, "bank_edits"));

    let mut changed = bank(november(4));
    changed["puzzles"][1]["price_cents"] = json!(4_999);
    let ended = place.run_with_input(&["import", "-", "--json"], &changed.to_string()).await;
    let report = ended.json();
    assert_eq!(
        report,
        json!({"inserted": 1, "updated": 1, "unchanged": 2, "bank_revision": 2, "refused": []})
    );
    assert_eq!(ended.stderr, "", "nothing but the report is wanted");
}

#[tokio::test]
async fn a_refusal_as_json_names_rows_and_fields() {
    let place = Place::new();
    let bad = bank([row(1, "2026-11-01"), row(1, "2026-11-31")]).to_string();
    let ended = place.run_with_input(&["import", "-", "--json"], &bad).await;
    let complaint = &ended.json()["complaints"][0];
    assert_eq!(
        (ended.code, &complaint["row"], &complaint["field"]),
        (Some(1), &json!(1), &json!("play_date"))
    );

    place.import(&bank([row(1, "2026-11-01")])).await;
    let bad = bank([row(2, "2026-11-01")]).to_string();
    let ended = place.run_with_input(&["import", "-", "--json"], &bad).await;
    let refused = json!([{"puzzle_id": 2, "reason": {"kind": "date_taken", "by": 1}}]);
    assert_eq!((ended.code, &ended.json()["refused"]), (Some(1), &refused));
}

#[tokio::test]
async fn a_byte_order_mark_is_no_part_of_a_file() {
    let place = Place::new();
    let file = format!("\u{feff}{}", bank(november(1)));
    let ended = place.run_with_input(&["import", "-"], &file).await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

#[tokio::test]
async fn only_the_first_hundred_complaints_are_told_and_the_rest_is_counted() {
    let place = Place::new();
    let bad = bank((0..250).map(|_| row(0, "2026-11-01"))).to_string();
    let ended = place.run_with_input(&["import", "-"], &bad).await;
    assert_eq!(ended.stderr.lines().filter(|line| line.starts_with("row ")).count(), 100, "{}", ended.stderr);
    let complaints = ended.stderr.rsplit_once(" complaints").unwrap().0.rsplit_once(' ').unwrap().1;
    let count: usize = complaints.parse().unwrap();
    assert!(ended.stderr.contains(&format!("… and {} more", count - 100)), "{}", ended.stderr);
    let report = place.run_with_input(&["import", "-", "--json"], &bad).await.json();
    assert_eq!(report["complaints"].as_array().unwrap().len(), 100);
    assert_eq!(report["more_complaints"], count - 100);
}

fn without<T>(
    mut dump: std::collections::BTreeMap<String, T>,
    table: &str,
) -> std::collections::BTreeMap<String, T> {
    dump.remove(table);
    dump
}
