//! Compression, over a socket.

use reqwest::{Method, Response};

use crate::{
    bank::{bank, november},
    harness::{Place, Server, TOKEN, client},
};

/// Asks as a browser does, with a header more.
async fn ask(server: &Server, method: Method, path: &str, (name, value): (&str, &str)) -> Response {
    let request = client().request(method, format!("{}{path}", server.url()));
    request.header("accept-encoding", "gzip, deflate, br").header(name, value).send().await.unwrap()
}

fn header(response: &Response, name: &str) -> String {
    response.headers().get(name).map_or("-", |value| value.to_str().unwrap()).to_owned()
}

#[tokio::test]
async fn a_page_is_compressed_for_those_who_take_it_and_known_by_either_tag() {
    let place = Place::at("2026-11-28T12:00:00Z").await;
    place.import(&bank(november(20))).await;
    let server = place.serve(&[]).await;
    place.succeed(&["run", "publish"]).await;

    let plain = server.get("/answers").await;
    let tag = header(&plain, "etag");
    assert_eq!(
        (header(&plain, "content-encoding"), header(&plain, "vary")),
        ("-".into(), "accept-encoding".into())
    );
    let html = plain.text().await.unwrap();
    let nothing = ("x-nothing", "-");
    let get = ask(&server, Method::GET, "/answers", nothing).await;
    let head = ask(&server, Method::HEAD, "/answers", nothing).await;
    for name in ["content-encoding", "vary", "etag", "content-type", "cache-control", "content-length"] {
        assert_eq!(header(&head, name), header(&get, name), "{name} of HEAD");
    }
    assert_eq!(header(&get, "content-encoding"), "gzip");
    assert_eq!(header(&get, "vary"), "accept-encoding");
    let weak = format!("W/{tag}");
    assert_eq!(header(&get, "etag"), weak);
    let bytes = get.bytes().await.unwrap();
    assert!(bytes.starts_with(&[0x1f, 0x8b]) && bytes.len() * 2 < html.len(), "{} bytes", bytes.len());

    for held in [&weak, &tag] {
        let response = ask(&server, Method::GET, "/answers", ("if-none-match", held)).await;
        assert_eq!((response.status().as_u16(), header(&response, "etag")), (304, held.clone()));
        assert_eq!(header(&response, "vary"), "accept-encoding");
    }
    let authorization = format!("Bearer {TOKEN}");
    let status = ask(&server, Method::GET, "/admin/api/items", ("authorization", &authorization)).await;
    let encoding = header(&status, "content-encoding");
    assert!(status.text().await.unwrap().len() > 1_024 && encoding == "-", "{encoding}");
    server.stop().await;
}
