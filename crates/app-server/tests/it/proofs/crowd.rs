//! Twenty processes that start on one fresh file at the same moment.

use reqwest::StatusCode;
use tokio::task::JoinSet;

use crate::{
    bank::{bank, november, row},
    harness::{Place, Server, alone, client, in_time, until},
};

const PROCESSES: usize = 20;
const REQUESTS: usize = 200;
/// Answers that are due as soon as they are imported, one a day from the first of the month.
const DUE: i64 = 25;
const OPEN: i64 = 29;

/// Pages with the answers that they may give before, while and after things come out.
fn page(nth: usize) -> (String, &'static [StatusCode]) {
    const FOUND: &[StatusCode] = &[StatusCode::OK];
    const MISSING: &[StatusCode] = &[StatusCode::NOT_FOUND];
    const EITHER: &[StatusCode] = &[StatusCode::OK, StatusCode::NOT_FOUND];
    match nth % 8 {
        0 => ("/".to_owned(), FOUND),
        1 => ("/answers".to_owned(), FOUND),
        2 => ("/answers?before=2026-11-20".to_owned(), FOUND),
        3 => (format!("/answers/{OPEN}"), MISSING),
        4 => ("/answers/4711".to_owned(), MISSING),
        5 => ("/readyz".to_owned(), FOUND),
        _ => (format!("/answers/{}", 1 + nth % 25), EITHER),
    }
}

/// Sends all requests at once, spread over all servers. Returns their end.
fn ask_all(servers: &[Server]) -> JoinSet<()> {
    let mut requests = JoinSet::new();
    for nth in 0..REQUESTS {
        let (path, allowed) = page(nth);
        let url = format!("{}{path}", servers[nth % servers.len()].url());
        requests.spawn(async move {
            let answer = client().get(&url).send().await.unwrap();
            assert!(allowed.contains(&answer.status()), "{url} answered {}", answer.status());
        });
    }
    requests
}

#[tokio::test]
async fn twenty_servers_start_at_once_and_get_along() {
    let _turn = alone().await;
    let place = Place::at("2026-11-29T12:00:00Z").await;
    let launched: Vec<_> = (0..PROCESSES).map(|_| place.launch(&[])).collect();
    let mut servers = Vec::new();
    for server in launched {
        servers.push(server.ready().await);
    }
    let twice = "SELECT name FROM d1_migrations GROUP BY name HAVING count(*) > 1";
    assert_eq!(place.rows(twice).await, [""; 0], "migrated more than once");

    let requests = ask_all(&servers);
    let rows = november(DUE).chain([row(OPEN, "2026-11-29")]);
    servers[0].post("/puzzles", &bank(rows)).await;
    let more = ask_all(&servers);
    until("all answers", async || place.number("SELECT count(*) FROM answer_posts").await == DUE).await;
    in_time("four hundred pages", async {
        requests.join_all().await;
        more.join_all().await;
    })
    .await;

    for server in &servers {
        let last = server.get(&format!("/answers/{DUE}")).await;
        assert_eq!(last.status(), StatusCode::OK);
        assert_eq!(last.headers()["x-publication-revision"], DUE.to_string().as_str());
    }
    let receipts =
        place.rows("SELECT count(*), count(DISTINCT puzzle_id), max(revision) FROM commit_receipts");
    assert_eq!(receipts.await, [format!("{DUE} {DUE} {DUE}")]);
    for server in servers {
        server.stop().await.assert_quiet();
    }
    place.run(&["verify"]).await.assert_quiet();
}
