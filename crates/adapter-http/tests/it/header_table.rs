//! The table of all headers, on the router. The same table is held against the Worker.

use std::collections::BTreeMap;

use axum::{
    body::{Body, HttpBody},
    http::Method,
};
use serde::Deserialize;
use serde_json::Value;

use crate::world::{Answer, FUTURE, PUBLISHED, TOKEN, WITHDRAWN, World};

#[derive(Deserialize)]
struct Table {
    types: BTreeMap<String, String>,
    kept: BTreeMap<String, String>,
    headers: Vec<String>,
    columns: Vec<String>,
    cases: Vec<Vec<String>>,
    spellings: Vec<(String, String)>,
    puzzles: Vec<Value>,
}

impl Table {
    fn read() -> Self {
        serde_json::from_str(include_str!("../header_table.json")).unwrap()
    }

    /// A cell, as the header that it stands for.
    fn spelled_out(&self, column: &str, cell: &str) -> String {
        let found = match (column, cell) {
            ("content-type", "photo") => "image/webp",
            ("content-type", _) => &self.types[cell],
            ("cache-control", _) => &self.kept[cell],
            ("referrer-policy", "same-site") => "strict-origin-when-cross-origin",
            ("referrer-policy", "nobody") => "no-referrer",
            _ => cell,
        };
        found.to_owned()
    }
}

/// The paths in braces.
async fn places(world: &World) -> BTreeMap<&'static str, String> {
    let between = |text: &str, from: &str| {
        let (_, rest) = text.split_once(from).unwrap();
        rest.split('"').next().unwrap().replace("&#38;", "&")
    };
    let mut links = Vec::new();
    for id in [FUTURE, WITHDRAWN, PUBLISHED] {
        let answer = world.admin(Method::POST, &format!("/items/{id}/preview"), None).await.json();
        links.push(answer["url"].as_str().unwrap().strip_prefix("https://example.org").unwrap().to_owned());
    }
    let photo = r#"<img class="photo" src=""#;
    let home = world.get("/").await.text();
    BTreeMap::from([
        ("{photo}", between(&world.get(&format!("/answers/{PUBLISHED}")).await.text(), photo)),
        ("{photo of the day}", between(&home, photo)),
        ("{photo of a preview}", between(&world.get(&links[2]).await.text(), photo)),
        ("{style}", between(&home, r#"<link rel="stylesheet" href=""#)),
        ("{icon}", between(&home, r#"<link rel="icon" href=""#)),
        ("{preview}", links[0].clone()),
        ("{preview of a withdrawn page}", links[1].clone()),
    ])
}

fn filled(path: &str, places: &BTreeMap<&str, String>) -> String {
    places.iter().fold(path.to_owned(), |path, (name, place)| path.replace(name, place))
}

/// Sends a request as the table writes it: `GET /path`, `GET* /path` with the token, or
/// `POST /path {…}` with a body.
async fn ask(world: &World, method: &str, path: &str) -> Answer {
    let authorization = format!("Bearer {TOKEN}");
    let (method, mut headers) = match method.strip_suffix('*') {
        Some(method) => (method, vec![("authorization", authorization.as_str())]),
        None => (method, Vec::new()),
    };
    let (path, body) = match path.split_once(" {") {
        Some((path, json)) => (path, Body::from(format!("{{{json}"))),
        None => (path, Body::empty()),
    };
    if !body.is_end_stream() {
        headers.push(("content-type", "application/json"));
    }
    world.send(method.parse().unwrap(), path, &headers, body).await
}

#[tokio::test]
async fn every_route_says_in_every_state_what_may_be_kept_of_it() {
    let (world, table) = (World::new().await, Table::read());
    let places = places(&world).await;
    for case in &table.cases {
        let (method, path) = case[0].split_once(' ').unwrap();
        let path = filled(path, &places);
        let answer = ask(&world, method, &path).await;
        let got = table.columns.iter().map(|column| match column.as_str() {
            "status" => answer.status.as_str(),
            "etag" if answer.headers.contains_key("etag") => "tag",
            column => answer.header(column),
        });
        let expected: Vec<_> = table
            .columns
            .iter()
            .zip(&case[1..])
            .map(|(column, cell)| table.spelled_out(column, cell))
            .collect();
        assert_eq!(got.collect::<Vec<_>>(), expected, "{}", case[0]);
        for name in answer.headers.keys() {
            assert!(table.headers.iter().any(|known| known == name.as_str()), "{} tells {name}", case[0]);
        }
        if let Some(star) = method.strip_prefix("GET") {
            // By now from the cache, if it is kept at all.
            assert_eq!(ask(&world, method, &path).await.headers, answer.headers, "{} again", case[0]);
            let head = ask(&world, &format!("HEAD{star}"), &path).await;
            assert_eq!((head.status, head.headers), (answer.status, answer.headers), "HEAD {path}");
        }
    }
}

#[tokio::test]
async fn no_spelling_of_an_address_splits_or_poisons_its_entry() {
    let (world, table) = (World::new().await, Table::read());
    let places = places(&world).await;
    for (_, path) in &table.spellings {
        world.get(&filled(path, &places)).await;
    }
    let entries = world.cache.entries();
    assert!(entries.len() >= 6, "{} entries", entries.len());
    for (spelling, path) in &table.spellings {
        let (spelling, path) = (filled(spelling, &places), filled(path, &places));
        let answer = world.get(&path).await;
        assert_eq!(world.get(&spelling).await, answer, "{spelling} and {path}");
        for host in ["example.org", "EXAMPLE.org:8443", "evil.example", "127.0.0.1"] {
            let headers = [("host", host), ("x-forwarded-host", host), ("x-original-url", "/nope")];
            assert_eq!(world.get_with(&spelling, &headers).await, answer, "{spelling} at {host}");
            let absolute = format!("https://{host}{spelling}");
            assert_eq!(world.get(&absolute).await, answer, "{absolute}");
        }
        let refused = world.send(Method::POST, &spelling, &[], Body::empty()).await;
        assert!([404, 405].contains(&refused.status.as_u16()), "POST {spelling}");
    }
    assert_eq!(world.cache.entries(), entries, "the cache has what it had");
}

/// The Worker is filled from the table; this world is made by hand.
#[tokio::test]
async fn the_tables_bank_is_that_of_this_world() {
    let world = World::new().await;
    for row in Table::read().puzzles {
        let id = row["id"].as_i64().unwrap();
        let puzzle = world.admin(Method::GET, &format!("/items/{id}"), None).await.json()["puzzle"].clone();
        for member in ["play_date", "name", "price_cents"] {
            assert_eq!(puzzle[member], row[member], "{member} of {id}");
        }
        let photo = row["photo"].as_str().map(|name| format!("https://photos.example/{name}.webp"));
        assert_eq!(puzzle["image_url"].as_str().map(str::to_owned), photo, "the photo of {id}");
    }
}
