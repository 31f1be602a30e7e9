//! An orderly end, and a disorderly one.

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{
    bank::{bank, row_with_photo},
    harness::{Place, Server, TOKEN, in_time, lines, until},
    image_server::ImageServer,
};

/// A place with five due answers whose photos are at `images`.
async fn stocked(images: &ImageServer) -> Place {
    let place = Place::at("2026-11-29T12:00:00Z").await;
    let rows = (1..=5).map(|id| {
        row_with_photo(id, &format!("2026-11-{:02}", 20 + id), &images.photo(&format!("{id}.png")))
    });
    place.import(&bank(rows)).await;
    place
}

async fn count(place: &Place, state: &str) -> i64 {
    place.number(&format!("SELECT count(*) FROM publication_items WHERE state = '{state}'")).await
}

#[tokio::test]
async fn a_server_that_is_asked_to_stop_finishes_the_item_in_hand_and_no_more() {
    let images = ImageServer::start().await;
    images.hold();
    let place = stocked(&images).await;
    let server = place.serve(&[]).await;
    images.has_been_asked(1).await;
    assert_eq!(count(&place, "processing").await, 1);

    server.signal("TERM").await;
    until("the server to know", async || server.log().contains("stopping")).await;
    images.release();
    let ended = server.end().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(!ended.stderr.contains("WARN") && !ended.stderr.contains("ERROR"), "{}", ended.stderr);
    assert_eq!((count(&place, "published").await, count(&place, "scheduled").await), (1, 4));
    assert_eq!(images.requests(), 1);
    assert_eq!(place.run(&["verify"]).await.code, Some(0));

    let report = place.run(&["run", "compensate", "--json"]).await.json();
    assert_eq!(report["counts"]["published"], 4);
    assert_eq!(images.requests_for("1.png"), 1, "a photo that was stored was fetched again");
}

/// Cuts a server off while it has an item in hand; the next one takes the item over.
async fn check_cut_off(cut_off: impl AsyncFnOnce(Server)) {
    let images = ImageServer::start().await;
    images.hold();
    let place = stocked(&images).await;
    let server = place.serve(&["--lease-seconds", "1"]).await;
    images.has_been_asked(1).await;
    let began = place.now().await;
    cut_off(server).await;
    assert!(place.now().await - began < 5_000, "it took its time");
    assert_eq!((count(&place, "published").await, count(&place, "processing").await), (0, 1));

    images.release();
    let server = place.serve(&[]).await;
    until("every answer", async || count(&place, "published").await == 5).await;
    server.stop().await;
    assert_eq!(place.number("SELECT publication_revision FROM site_state").await, 5);
    assert_eq!(place.run(&["verify"]).await.code, Some(0));
}

#[tokio::test]
async fn a_second_signal_ends_it_at_once_and_the_item_is_taken_over_when_its_lease_ends() {
    check_cut_off(async |server| {
        server.signal("TERM").await;
        until("the server to know", async || server.log().contains("stopping")).await;
        server.signal("INT").await;
        let ended = server.end().await;
        assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    })
    .await;
}

#[tokio::test]
async fn a_second_signal_on_the_heels_of_the_first_one_counts() {
    check_cut_off(async |server| {
        server.signals(&["TERM", "INT"]).await;
        let ended = server.end().await;
        assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    })
    .await;
}

#[tokio::test]
async fn an_item_of_a_killed_server_is_taken_over_when_its_lease_ends() {
    check_cut_off(Server::kill).await;
}

#[tokio::test]
async fn an_idle_server_stops_at_once() {
    let place = Place::new();
    let server = place.serve(&[]).await;
    assert!(server.url().starts_with("http://127.0.0.1:"), "{}", server.url());
    assert_eq!(server.get("/healthz").await.status(), 200);
    let began = place.now().await;
    let ended = server.stop().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(place.now().await - began < 2_000, "it took its time");
    assert!(ended.stderr.contains("stopped"), "{}", ended.stderr);
}

#[tokio::test]
async fn clients_that_say_nothing_more_do_not_hold_up_the_end() {
    let place = Place::new();
    let server = place.serve(&[]).await;
    let address = server.url().strip_prefix("http://").unwrap();
    let mut clients = Vec::new();
    for said in [
        String::new(),
        "GET / HTTP/1.1\r\nhost".to_owned(),
        "GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n".to_owned(),
        format!(
            "POST /admin/api/puzzles HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {TOKEN}\r\n\
             content-type: application/json\r\ncontent-length: 99\r\n\r\n{{"
        ),
    ] {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(said.as_bytes()).await.unwrap();
        clients.push(client);
    }
    let mut answer = [0; 12];
    clients[2].read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");

    let began = place.now().await;
    let ended = server.stop().await;
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(place.now().await - began < 5_000, "it took its time");
    assert!(ended.stderr.contains("stopped") && !ended.stderr.contains("WARN"), "{}", ended.stderr);
}

#[tokio::test]
async fn a_request_that_has_arrived_is_answered_before_the_end() {
    let images = ImageServer::start().await;
    images.hold();
    let place = stocked(&images).await;
    let server = place.serve(&["--no-cron"]).await;
    let body = serde_json::json!({});
    let (report, ()) = tokio::join!(server.post("/jobs/publish", &body), async {
        images.has_been_asked(1).await;
        server.signal("TERM").await;
        until("the server to know", async || server.log().contains("stopping")).await;
        images.release();
    });
    assert_eq!((&report["interrupted"], &report["counts"]["published"]), (&true.into(), &1.into()));
    let ended = server.end().await;
    assert!(!ended.stderr.contains("WARN") && !ended.stderr.contains("ERROR"), "{}", ended.stderr);
}

#[tokio::test]
async fn a_run_of_the_command_line_stops_between_two_items() {
    let images = ImageServer::start().await;
    images.hold();
    let place = stocked(&images).await;
    let mut child = place.command(&["run", "publish", "--json", "--log", "info"]).spawn().unwrap();
    images.has_been_asked(1).await;
    let pid = child.id().unwrap().to_string();
    let sent = tokio::process::Command::new("kill").args(["-s", "INT", &pid]).status().await.unwrap();
    assert!(sent.success());
    // The signal has to arrive before the photo does.
    let mut log = lines(child.stderr.take().unwrap());
    in_time("the run to know", async {
        while !log.next_line().await.unwrap().expect("the run ended too early").contains("stopping") {}
    })
    .await;
    images.release();
    let output = child.wait_with_output().await.unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(
        (&report["interrupted"], &report["left"], &report["counts"]),
        (&true.into(), &4.into(), &serde_json::json!({"published": 1}))
    );
    assert_eq!((count(&place, "published").await, count(&place, "scheduled").await), (1, 4));
}
