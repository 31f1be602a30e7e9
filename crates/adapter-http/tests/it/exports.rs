//! Exports: for whoever has the token or is signed in, whole or in parts that say so.

use axum::http::Method;
use fencepost_ports::Budget;
use serde_json::{Value, json};

use crate::world::{Answer, TOKEN, World};

async fn export(world: &World, path: &str) -> Answer {
    let answer = world.admin(Method::GET, path, None).await;
    assert_eq!(answer.status.as_u16(), 200, "{path}: {}", answer.text());
    assert_eq!(answer.header("cache-control"), "no-store", "{path}");
    answer
}

/// A world with more puzzles than one page of an export has.
async fn long() -> World {
    let world = World::new().await;
    let row = |n: i64| {
        let (year, month, day) = (2030 + n / 336, 1 + n / 28 % 12, 1 + n % 28);
        json!({ "id": 5_000 + n, "play_date": format!("{year}-{month:02}-{day:02}"), "name": "Thing", "price_cents": 100 })
    };
    let puzzles: Vec<_> = (0..300).map(row).collect();
    let answer = world.admin(Method::POST, "/puzzles", Some(json!({ "puzzles": puzzles }))).await;
    assert_eq!(answer.status.as_u16(), 200, "{}", answer.text());
    world
}

#[tokio::test]
async fn the_bank_comes_as_lines_that_an_import_takes_and_changes_nothing() {
    let world = World::new().await;
    let answer = export(&world, "/export/bank").await;
    assert_eq!(answer.header("content-type"), "application/jsonl");
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"fencepost-bank.jsonl\"");
    assert!(!answer.headers.contains_key("link"), "that is all of it");
    let rows: Vec<Value> = answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.len() > 3, "{rows:?}");
    let count = rows.len();
    let again = world.admin(Method::POST, "/puzzles", Some(json!({ "puzzles": rows }))).await.json();
    assert_eq!(
        (&again["inserted"], &again["updated"], &again["unchanged"]),
        (&json!(0), &json!(0), &json!(count))
    );
}

#[tokio::test]
async fn a_table_has_a_header_and_a_name() {
    let world = World::new().await;
    let answer = export(&world, "/export/receipts?format=csv").await;
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8; header=present");
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"fencepost-receipts.csv\"");
    assert!(answer.text().starts_with("revision,commit_token,puzzle_id,"), "{}", answer.text());
    let behind = export(&world, "/export/receipts?format=csv&after=1").await;
    assert_eq!(behind.text().lines().count() + 1, answer.text().lines().count());
    assert_eq!(
        behind.header("content-disposition"),
        "attachment; filename=\"fencepost-receipts-after-1.csv\""
    );
}

#[tokio::test]
async fn what_does_not_fit_into_one_answer_is_told_and_comes_with_the_next() {
    let mut world = long().await;
    let all = export(&world, "/export/ledger").await.text();
    world.config.site.budget = Budget::of(0);
    let (mut path, mut told, mut parts) = ("/export/ledger".to_owned(), String::new(), 0);
    loop {
        let part = export(&world, &path).await;
        told.push_str(&part.text());
        parts += 1;
        let Some(link) = part.headers.get("link") else { break };
        let link = link.to_str().unwrap();
        let next = link.strip_prefix("</admin/api").and_then(|link| link.strip_suffix(">; rel=\"next\""));
        path = next.unwrap_or_else(|| panic!("{link}")).to_owned();
    }
    assert_eq!((told == all, parts), (true, 2));
}

#[tokio::test]
async fn what_is_not_understood_is_refused() {
    let world = World::new().await;
    for query in [
        "format=xml",
        "format=",
        "after=x",
        "after=-1",
        "before=7",
        "part=yes",
        "format=csv&format=jsonl",
        "after=1&format=csv&after=1",
        "Format=csv",
        "after=99999999999999999999",
    ] {
        let answer = world.admin(Method::GET, &format!("/export/bank?{query}"), None).await;
        assert_eq!(answer.status.as_u16(), 400, "{query}: {}", answer.text());
        assert!(answer.text().contains("urn:fencepost:problem:invalid-query"), "{}", answer.text());
    }
    for what in ["puzzles", "Bank", "%62ank"] {
        let answer = world.admin(Method::GET, &format!("/export/{what}"), None).await;
        assert_eq!(answer.status.as_u16(), 404, "{what}: {}", answer.text());
    }
}

#[tokio::test]
async fn nobody_else_gets_any_of_it() {
    let world = World::new().await;
    for what in ["bank", "ledger", "receipts", "actions", "nope"] {
        let strangers = world.get(&format!("/admin/api/export/{what}")).await;
        assert_eq!(strangers.status.as_u16(), 401, "{what}");
        let strangers = world.get(&format!("/admin/export/{what}")).await;
        assert_eq!(strangers.status.as_u16(), 401, "{what}");
    }
}

#[tokio::test]
async fn an_operator_saves_a_file_or_is_told_of_its_parts() {
    let mut world = long().await;
    let answer = world.submit("/admin/sign-in", &[], &[("name", "Ada"), ("token", TOKEN)]).await;
    let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
    let headers = [("cookie", cookie.as_str())];

    let page = world.get_with("/admin/bank", &headers).await.text();
    assert!(page.contains("href=\"/admin/export/bank?format=csv\""), "{page}");
    let file = world.get_with("/admin/export/bank?format=csv", &headers).await;
    assert_eq!((file.status.as_u16(), file.header("cache-control")), (200, "no-store"));
    assert_eq!(file.header("content-disposition"), "attachment; filename=\"fencepost-bank.csv\"");
    let all = file.text();

    world.config.site.budget = Budget::of(0);
    let parts = world.get_with("/admin/export/bank?format=csv", &headers).await;
    assert_eq!(parts.header("content-type"), "text/html; charset=utf-8");
    let links: Vec<_> = parts
        .text()
        .split("href=\"/admin/export/")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().replace("&#38;", "&").replace("&amp;", "&"))
        .collect();
    assert_eq!(links.len(), 2, "{}", parts.text());
    let mut told = String::new();
    for link in &links {
        let part = world.get_with(&format!("/admin/export/{link}"), &headers).await;
        assert!(part.header("content-disposition").starts_with("attachment"), "{link}: {}", part.text());
        told.push_str(part.text().split_once("\r\n").unwrap().1);
    }
    assert_eq!(told, all.split_once("\r\n").unwrap().1);
    assert_eq!(world.get_with("/admin/export/nope", &headers).await.status.as_u16(), 404);
    assert_eq!(world.get_with("/admin/export/bank?format=xml", &headers).await.status.as_u16(), 404);
}
