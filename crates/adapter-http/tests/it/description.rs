//! The description of the API, held against the router, the problems and the domain. Whether
//! answers have the members that it tells, a fuzzer finds out: `cargo xtask fuzz`.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use axum::{body::Body, http::Method};
use fencepost_domain::{
    action::ActionKind,
    alert::AlertKind,
    commit::CommitKind,
    guard::Predicate,
    ledger::ItemState,
    outbox::{EventKind, EventState},
    outcome::Outcome,
    puzzle::{MAX_IMAGE_URL_BYTES, MAX_IMPORT_ROWS, MAX_NAME_CHARS, MAX_PRICE_CENTS},
    resolution::Resolution,
    results::{MAX_GUESSES, MAX_RESULTS_PER_PUZZLE},
};
use fencepost_ports::Job;
use serde_json::{Value, json};

use crate::world::{TOKEN, World};

const ADDRESS: &str = "/api/openapi.json";

fn description() -> Value {
    serde_json::from_str(include_str!("../../assets/openapi.json")).unwrap()
}

/// Every operation: method, path, and what is said of it.
fn operations(description: &Value) -> Vec<(Method, String, Value)> {
    let mut all = Vec::new();
    for (path, item) in description["paths"].as_object().unwrap() {
        for (name, operation) in item.as_object().unwrap() {
            if name != "parameters" {
                let method = name.to_uppercase().parse().unwrap();
                all.push((method, path.clone(), operation.clone()));
            }
        }
    }
    all
}

/// Every value below `value`, itself included.
fn each<'a>(value: &'a Value, look: &mut impl FnMut(&'a Value)) {
    look(value);
    match value {
        Value::Array(all) => all.iter().for_each(|value| each(value, look)),
        Value::Object(all) => all.values().for_each(|value| each(value, look)),
        _ => {}
    }
}

/// The references in `value`.
fn references(value: &Value) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    each(value, &mut |value| found.extend(value["$ref"].as_str()));
    found
}

fn is_for_operators(path: &str) -> bool {
    path.starts_with("/admin/api/") || path == "/metrics"
}

/// All sources of the crate.
fn sources() -> String {
    fn collect(folder: &Path, text: &mut String) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { collect(&path, text) } else { *text += &fs::read_to_string(&path).unwrap() }
        }
    }
    let mut text = String::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut text);
    text
}

/// The addresses that a source matches, below `root`: each is a list of words, and of `_` for what
/// differs, that leads to something.
fn addresses(source: &str, root: &str) -> BTreeSet<String> {
    let lists = source.split('[').skip(1).filter_map(|rest| rest.split_once(']'));
    let patterns =
        lists.filter(|(_, rest)| ["=>", "|", "if "].iter().any(|next| rest.trim_start().starts_with(next)));
    let address = |list: &str| {
        let part = |part: &str| match part {
            "_" => Some("/_".to_owned()),
            word => Some(format!("/{}", word.strip_prefix('"')?.strip_suffix('"')?)),
        };
        let parts: Option<String> = list.split(", ").filter(|part| !part.is_empty()).map(part).collect();
        parts.map(|parts| format!("{root}{parts}"))
    };
    patterns.filter_map(|(list, _)| address(list)).collect()
}

/// A match cannot be asked for its patterns, so they are read off the sources.
#[test]
fn every_address_is_described_but_those_of_the_dashboard() {
    let mut expected = addresses(include_str!("../../src/router.rs"), "");
    expected.extend(addresses(include_str!("../../src/handlers/play.rs"), ""));
    expected.extend(addresses(include_str!("../../src/handlers/admin/mod.rs"), "/admin/api"));
    // Beside those below it.
    assert!(expected.remove("/admin/api/metrics") && expected.contains("/metrics"), "{expected:?}");

    let description = description();
    let without_name = |path: &String| {
        let parts = path.split('/').map(|part| if part.starts_with('{') { "_" } else { part });
        parts.collect::<Vec<_>>().join("/")
    };
    let described: BTreeSet<_> = description["paths"].as_object().unwrap().keys().map(without_name).collect();
    assert_eq!(described, expected);
}

/// What leads nowhere has no methods to tell of, so this shows that the paths are there too.
#[tokio::test]
async fn every_address_takes_the_methods_that_are_described_and_no_other() {
    let world = World::new().await;
    let authorization = format!("Bearer {TOKEN}");
    let description = description();
    let mut expected = BTreeMap::<String, BTreeSet<String>>::new();
    for (method, path, _) in operations(&description) {
        let methods = expected.entry(path).or_default();
        methods.insert(method.to_string());
        if method == Method::GET {
            methods.insert("HEAD".to_owned());
        }
    }
    for (path, expected) in expected {
        let headers = [("authorization", authorization.as_str())];
        let address = path.replace("{job}", "publish").replace(['{', '}'], "");
        let answer = world.send(Method::PUT, &address, &headers, Body::empty()).await;
        let allowed: BTreeSet<_> = answer.header("allow").split(',').map(str::to_owned).collect();
        assert_eq!((answer.status.as_u16(), allowed), (405, expected), "{path}");
    }
}

#[test]
fn every_problem_is_described_and_can_occur() {
    let description = description();
    let sources = sources();
    let made: BTreeSet<_> = sources
        .split("\"urn:fencepost:problem:")
        .skip(1)
        .map(|rest| format!("urn:fencepost:problem:{}", rest.split('"').next().unwrap()))
        .collect();
    assert!(made.len() > 30, "{made:?}");
    let words = |value: &Value| -> BTreeSet<_> {
        value.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned()).collect()
    };
    let problem = &description["components"]["schemas"]["Problem"]["properties"];
    assert_eq!(words(&problem["type"]["enum"]), made);

    let responses = description["components"]["responses"].as_object().unwrap();
    let mut told = BTreeSet::new();
    for response in responses.values() {
        let schema = &response["content"]["application/problem+json"]["schema"];
        if !schema.is_null() {
            told.append(&mut words(&schema["properties"]["type"]["enum"]));
        }
    }
    assert_eq!(told, made, "every problem is told by some response");
}

/// With the status that stands beside its type in the sources.
#[test]
fn every_problem_is_told_under_its_own_status() {
    let sources = sources();
    let mut statuses = BTreeMap::new();
    for part in sources.split("StatusCode::").skip(1) {
        let Some((name, rest)) = part.split_once(',') else { continue };
        if let Some(rest) = rest.trim_start().strip_prefix("\"urn:fencepost:problem:") {
            statuses.insert(rest.split('"').next().unwrap(), name);
        }
    }
    assert!(statuses.len() > 25, "{statuses:?}");
    let description = description();
    let mut compared = BTreeSet::new();
    for (_, path, operation) in operations(&description) {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let Some(reference) = response["$ref"].as_str() else { continue };
            let response = description.pointer(reference.strip_prefix('#').unwrap()).unwrap();
            let schema = &response["content"]["application/problem+json"]["schema"];
            for kind in schema["properties"]["type"]["enum"].as_array().into_iter().flatten() {
                let kind = kind.as_str().unwrap().strip_prefix("urn:fencepost:problem:").unwrap();
                let Some(name) = statuses.get(kind) else { continue };
                let expected = match *name {
                    "BAD_REQUEST" => "400",
                    "UNAUTHORIZED" => "401",
                    "FORBIDDEN" => "403",
                    "NOT_FOUND" => "404",
                    "METHOD_NOT_ALLOWED" => "405",
                    "CONFLICT" => "409",
                    "GONE" => "410",
                    "PAYLOAD_TOO_LARGE" => "413",
                    "UNSUPPORTED_MEDIA_TYPE" => "415",
                    "UNPROCESSABLE_ENTITY" => "422",
                    "TOO_MANY_REQUESTS" => "429",
                    "INTERNAL_SERVER_ERROR" => "500",
                    "SERVICE_UNAVAILABLE" => "503",
                    other => panic!("{other} is new here"),
                };
                assert_eq!(status, expected, "{kind} at {path}");
                compared.insert(kind.to_owned());
            }
        }
    }
    assert_eq!(compared.len(), statuses.len(), "every problem is told by some operation");
}

#[test]
fn operators_and_nobody_else_need_the_token() {
    let description = description();
    for (method, path, operation) in operations(&description) {
        let responses = operation["responses"].as_object().unwrap();
        let doors = ["401", "403"].map(|status| responses.contains_key(status));
        if is_for_operators(&path) {
            assert_eq!(operation["security"], json!([{"adminToken": []}]), "{method} {path}");
            assert_eq!(doors, [true, true], "{method} {path}");
        } else {
            assert!(operation.get("security").is_none(), "{method} {path}");
            // A form of another site is the only thing that is forbidden to the public.
            assert_eq!(doors, [false, (method, path.as_str()) == (Method::POST, "/play/{id}")], "{path}");
        }
        assert!(responses.contains_key("405"), "{path}: every address takes some methods only");
    }
}

#[test]
fn every_closed_list_is_that_of_the_domain() {
    let description = description();
    let schemas = &description["components"]["schemas"];
    fn check<T: Copy>(list: &Value, all: &[T], word: impl Fn(T) -> &'static str) {
        let words: Vec<_> = all.iter().map(|value| word(*value)).collect();
        assert_eq!(*list, json!(words));
    }
    check(&schemas["Job"]["enum"], &Job::ALL, Job::as_str);
    check(&schemas["ItemState"]["enum"], &ItemState::ALL, ItemState::as_str);
    check(&schemas["Outcome"]["enum"], &Outcome::ALL, Outcome::as_str);
    check(&schemas["Predicate"]["enum"], &Predicate::ALL, Predicate::as_str);
    check(&schemas["Resolution"]["enum"], &Resolution::ALL, Resolution::as_str);
    check(&schemas["EventKind"]["enum"], &EventKind::ALL, EventKind::as_str);
    check(&schemas["EventState"]["enum"], &EventState::ALL, EventState::as_str);
    check(&schemas["Receipt"]["properties"]["kind"]["enum"], &CommitKind::ALL, CommitKind::as_str);
    check(&schemas["AlertKind"]["enum"], &AlertKind::ALL, AlertKind::as_str);
    check(&schemas["ActionKind"]["enum"], &ActionKind::ALL, ActionKind::as_str);
}

#[test]
fn every_bound_is_that_of_the_domain() {
    let description = description();
    let check = |path: &str, bound: Value| {
        assert_eq!(description["components"]["schemas"].pointer(path), Some(&bound), "{path}");
    };
    check("/Guess/properties/guess_cents/maximum", json!(MAX_PRICE_CENTS));
    check("/ImportRow/properties/price_cents/maximum", json!(MAX_PRICE_CENTS));
    check("/ImportRow/properties/name/maxLength", json!(MAX_NAME_CHARS));
    check("/ImportRow/properties/image_url/maxLength", json!(MAX_IMAGE_URL_BYTES));
    check("/Import/properties/puzzles/maxItems", json!(MAX_IMPORT_ROWS));
    check("/Stats/properties/won_with/maxItems", json!(MAX_GUESSES));
    check("/Verdict/properties/guesses_used/maximum", json!(MAX_GUESSES));
    check("/Recorded/properties/slot/maximum", json!(MAX_RESULTS_PER_PUZZLE));
}

#[test]
fn every_reference_leads_somewhere_and_nothing_is_left_over() {
    let description = description();
    let used = references(&description);
    for reference in &used {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(description.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
    for (kind, components) in description["components"].as_object().unwrap() {
        for name in components.as_object().unwrap().keys() {
            let reference = format!("#/components/{kind}/{name}");
            assert!(
                kind == "securitySchemes" || used.contains(reference.as_str()),
                "{reference} is of no use"
            );
        }
    }
    let names: Vec<_> = operations(&description)
        .into_iter()
        .map(|(_, _, operation)| operation["operationId"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "names are names of one operation");
}

/// Readers know a build by the version of its package.
#[test]
fn the_description_has_the_version_of_the_package() {
    assert_eq!(description()["info"]["version"], env!("CARGO_PKG_VERSION"));
}

/// A Worker carries it, so it is to stay small.
#[tokio::test]
async fn it_is_served_without_blanks() {
    let world = World::new().await;
    let answer = world.get(ADDRESS).await;
    assert_eq!((answer.status.as_u16(), answer.header("content-type")), (200, "application/json"));
    assert_eq!(answer.json(), description());
    let packed = serde_json::to_string(&description()).unwrap();
    assert_eq!(answer.body.len(), packed.len(), "members have another order there, and no blanks either");
    assert!(answer.body.len() < 90_000, "{} bytes", answer.body.len());
}

/// The store is not asked, so it cannot keep anybody from learning what there is.
#[tokio::test]
async fn it_changes_with_the_build_and_not_with_the_store() {
    let world = World::empty();
    let before = world.get(ADDRESS).await;
    world.import(json!([crate::world::row(1, "2026-11-28", "Vase", None)])).await;
    assert_eq!(world.get(ADDRESS).await, before);
    assert_eq!(world.cache.entries().len(), 0);
}
