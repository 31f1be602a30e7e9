//! `/metrics`: who may see it, whether a monitor can read it, and what it tells.

use std::collections::{BTreeMap, BTreeSet};

use axum::{body::Body, http::Method};
use fencepost_application::{Expected, Stop};
use fencepost_domain::resolution::Resolution;
use fencepost_ports::{CallCost, Job};

use crate::world::{Answer, PUBLISHED, TOKEN, UNKNOWN, World, editor, id};

async fn scrape(world: &World) -> Answer {
    let authorization = format!("Bearer {TOKEN}");
    world.get_with("/metrics", &[("authorization", &authorization)]).await
}

/// Every sample, by its name with its labels. Panics at whatever Prometheus' format does not
/// allow: it takes less than Prometheus itself does.
fn read(text: &str) -> BTreeMap<String, f64> {
    assert!(text.ends_with('\n'), "the last line ends");
    let mut samples = BTreeMap::new();
    let mut families = BTreeSet::new();
    let mut lines = text.lines().peekable();
    while let Some(help) = lines.next() {
        let (name, words) = help.strip_prefix("# HELP ").and_then(|rest| rest.split_once(' ')).expect(help);
        assert!(is_name(name) && name.starts_with("fencepost_") && words.ends_with('.'), "{help}");
        assert!(families.insert(name.to_owned()), "{name} is told in one place");
        let kind = lines.next().unwrap();
        let kind = kind.strip_prefix(&format!("# TYPE {name} ")).expect(kind);
        assert!(["gauge", "counter", "histogram"].contains(&kind), "{kind}");
        assert_eq!(kind == "counter", name.ends_with("_total"), "{name} is a {kind}");
        while let Some(line) = lines.next_if(|line| !line.starts_with('#')) {
            let (series, value) = line.rsplit_once(' ').expect(line);
            let told = series.split('{').next().unwrap();
            let suffix = told.strip_prefix(name).expect(line);
            let suffixes: &[&str] = if kind == "histogram" { &["_bucket", "_sum", "_count"] } else { &[""] };
            assert!(suffixes.contains(&suffix), "{line}");
            check_labels(&series[told.len()..]);
            assert!(
                samples.insert(series.to_owned(), value.parse().expect(line)).is_none(),
                "{series} twice"
            );
        }
    }
    samples
}

fn is_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
        && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// `{a="…",b="…"}`, or nothing.
fn check_labels(labels: &str) {
    let Some(mut rest) = labels.strip_prefix('{') else { return assert_eq!(labels, "") };
    loop {
        let (name, value) = rest.split_once("=\"").expect(labels);
        assert!(is_name(name), "{labels}");
        let mut escaped = false;
        let end = value.char_indices().find(|(_, letter)| {
            if escaped {
                assert!(['\\', '"', 'n'].contains(letter), "{labels}");
                escaped = false;
                return false;
            }
            escaped = *letter == '\\';
            *letter == '"'
        });
        rest = &value[end.expect(labels).0 + 1..];
        match rest.strip_prefix(',') {
            Some(more) => rest = more,
            None => return assert_eq!(rest, "}", "{labels}"),
        }
    }
}

fn to_float(count: i64) -> f64 {
    f64::from(i32::try_from(count).unwrap())
}

#[tokio::test]
async fn it_wants_the_token_and_is_kept_by_nobody() {
    let mut world = World::new().await;
    for (method, status) in [(Method::GET, 401), (Method::HEAD, 401), (Method::POST, 401)] {
        let answer = world.send(method.clone(), "/metrics", &[], Body::empty()).await;
        let told =
            [answer.header("www-authenticate"), answer.header("cache-control"), answer.header("allow")];
        assert_eq!((answer.status.as_u16(), told), (status, ["Bearer", "no-store", "-"]), "{method}");
        assert!(!answer.text().contains("fencepost_items"));
    }
    let authorization = format!("Bearer {TOKEN}");
    let headers = [("authorization", authorization.as_str())];
    let posted = world.send(Method::POST, "/metrics", &headers, Body::empty()).await;
    assert_eq!((posted.status.as_u16(), posted.header("allow")), (405, "GET,HEAD"));
    let answer = scrape(&world).await;
    let told = [answer.header("content-type"), answer.header("cache-control")];
    assert_eq!(told, ["text/plain; version=0.0.4; charset=utf-8", "no-store"]);
    assert_eq!(answer.status.as_u16(), 200);
    world.config.admin_token = None;
    assert_eq!(scrape(&world).await.status.as_u16(), 403);
}

#[tokio::test]
async fn it_tells_how_things_are() {
    let world = World::new().await;
    world.clock.advance(120_500);
    let samples = read(&scrape(&world).await.text());
    let check = |series: &str, expected: f64| {
        assert_eq!(samples.get(series), Some(&expected), "{series} among {samples:#?}");
    };
    check("fencepost_build_info{environment=\"test\",version=\"1.2.3\"}", 1.0);
    for (state, count) in
        [("scheduled", 3.0), ("processing", 0.0), ("published", 2.0), ("withdrawn", 2.0), ("blocked", 0.0)]
    {
        check(&format!("fencepost_items{{state=\"{state}\"}}"), count);
    }
    check("fencepost_items_overdue", 1.0);
    check("fencepost_items_outstanding", 1.0);
    // Since ten minutes after midnight of the 25th.
    check("fencepost_oldest_outstanding_seconds", 3.0 * 86_400.0 + 14.0 * 3_600.0 + 50.0 * 60.0 + 120.5);
    check("fencepost_quota_published", 3.0);
    check("fencepost_quota_limit", 100.0);
    check("fencepost_publication_revision", 4.0);
    check("fencepost_bank_revision", to_float(world.site.status().await.unwrap().bank_revision));
    check("fencepost_paused", 0.0);
    check("fencepost_leases_held", 0.0);
    check("fencepost_heartbeat_age_seconds{job=\"publish\"}", 120.5);
    assert!(!samples.contains_key("fencepost_heartbeat_age_seconds{job=\"compensate\"}"), "it never ran");
    check("fencepost_alerts{kind=\"overdue\",severity=\"alert\"}", 1.0);
    check("fencepost_alerts{kind=\"no_heartbeat\",severity=\"alert\"}", 1.0);
    check("fencepost_alerts{kind=\"paused\",severity=\"notice\"}", 0.0);

    world.site.set_paused(&editor(), true).await.unwrap();
    let samples = read(&scrape(&world).await.text());
    assert_eq!(samples["fencepost_paused"], 1.0);
    assert_eq!(samples["fencepost_alerts{kind=\"paused\",severity=\"notice\"}"], 1.0);
}

#[tokio::test]
async fn it_tells_what_this_process_has_done() {
    let world = World::new().await;
    let before = read(&scrape(&world).await.text());
    let page = format!("/answers/{PUBLISHED}");
    world.get(&page).await;
    world.get(&page).await;
    world.get(&format!("/answers/{UNKNOWN}")).await;
    world.site.withdraw(&editor(), id(PUBLISHED), Expected::ANYTHING).await.unwrap();
    world.site.resolutions.count(Resolution::NotSeen);
    // Puzzle 1119 is over, and its photo is there.
    world.clock.set("2026-11-29T00:10:00.250Z".parse().unwrap());
    let report = world.site.run_job(Job::Publish, &Stop::default()).await.unwrap();
    let after = read(&scrape(&world).await.text());

    let grown = |series: &str, by: f64| {
        let (before, after) = (before[series], after[series]);
        assert!((after - before - by).abs() < 1e-6, "{series} was {before} and is {after}, {report:?}");
    };
    grown("fencepost_cache_answers_total{result=\"hit\"}", 1.0);
    grown("fencepost_cache_answers_total{result=\"miss\"}", 1.0);
    grown("fencepost_cache_answers_total{result=\"not_kept\"}", 1.0);
    grown("fencepost_cache_answers_total{result=\"failed\"}", 0.0);
    grown("fencepost_outcomes_total{outcome=\"published\"}", 1.0);
    grown("fencepost_outcomes_total{outcome=\"withdrawn\"}", 1.0);
    grown("fencepost_outcomes_total{outcome=\"blocked\"}", 1.0);
    grown("fencepost_ambiguous_commits_total{resolution=\"not_seen\"}", 1.0);
    grown("fencepost_ambiguous_commits_total{resolution=\"unknown\"}", 0.0);
    grown("fencepost_publish_lag_seconds_bucket{le=\"0.100\"}", 0.0);
    for bound in ["1", "10", "60", "300", "3600", "21600", "86400", "+Inf"] {
        grown(&format!("fencepost_publish_lag_seconds_bucket{{le=\"{bound}\"}}"), 1.0);
    }
    grown("fencepost_publish_lag_seconds_sum", 0.25);
    grown("fencepost_publish_lag_seconds_count", 1.0);
}

#[tokio::test]
async fn it_tells_what_the_store_was_asked_for_and_not_what_the_store_does_not_tell() {
    let world = World::new().await;
    let count = |call, cost| world.site.counters.store().count(call, cost);
    let commit = CallCost { statements: 7, rows_written: Some(12), ..CallCost::default() };
    count("commit/page", commit);
    count("commit/page", CallCost { has_failed: true, rows_written: None, ..commit });
    count("answer_posts/answer", CallCost { statements: 1, rows_read: Some(5), ..CallCost::default() });
    let samples = read(&scrape(&world).await.text());
    for (what, commit, answer) in [
        ("calls", Some(2.0), Some(1.0)),
        ("statements", Some(14.0), Some(1.0)),
        ("failures", Some(1.0), Some(0.0)),
        ("rows_read", None, Some(5.0)),
        ("rows_written", Some(12.0), None),
    ] {
        let told = |call| samples.get(&format!("fencepost_store_{what}_total{{call=\"{call}\"}}")).copied();
        assert_eq!((told("commit/page"), told("answer_posts/answer")), (commit, answer), "{what}");
    }
}
