//! A large database opens as fast as a small one.

use tokio::time::Instant;

use crate::{
    bank::{bank, row},
    harness::{Place, alone, at_most, rounds},
};

#[tokio::test]
async fn a_server_with_ten_thousand_puzzles_starts_in_less_than_a_second() {
    let _turn = alone().await;
    let count = i64::try_from(rounds(300, 10_000)).unwrap();
    let place = Place::at("2060-01-01T12:00:00Z").await;
    place.import(&bank([row(1, "2000-01-01")])).await;
    let dates = place
        .rows(&format!(
            "WITH RECURSIVE days (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM days WHERE n < {count} - 1)
             SELECT date('2001-01-01', '+' || n || ' days') FROM days"
        ))
        .await;
    let began = Instant::now();
    place.import(&bank((2..).zip(&dates).map(|(id, date)| row(id, date)))).await;
    let imported = began.elapsed();

    let began = Instant::now();
    let report = place.run(&["run", "publish", "--json", "--daily-quota", "1000000"]).await.json();
    assert_eq!(report["counts"]["published"], count);
    let published = began.elapsed();

    let mut starts = Vec::new();
    for _ in 0..3 {
        let began = Instant::now();
        let server = place.serve(&[]).await;
        starts.push(began.elapsed());
        assert_eq!(server.get("/").await.status(), 200);
        server.stop().await.assert_quiet();
    }
    println!(
        "{count} puzzles: imported in {imported:?}, published in {published:?}; the server starts in {starts:?}"
    );
    let slowest = i64::try_from(starts.iter().max().unwrap().as_millis()).unwrap();
    assert!(slowest < at_most(1_000), "{starts:?}");
}
