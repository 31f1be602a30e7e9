//! Who may use the admin API.

use axum::{body::Body, http::Method};

use crate::world::{TOKEN, World};

const ADDRESSES: [(Method, &str); 19] = [
    (Method::POST, "/admin/api/puzzles"),
    (Method::POST, "/admin/api/jobs/publish"),
    (Method::POST, "/admin/api/jobs/compensate"),
    (Method::GET, "/admin/api/items"),
    (Method::GET, "/admin/api/items/1118"),
    (Method::POST, "/admin/api/items/1118/withdraw"),
    (Method::POST, "/admin/api/items/1118/reinstate"),
    (Method::POST, "/admin/api/items/1118/republish"),
    (Method::POST, "/admin/api/items/1118/reschedule"),
    (Method::POST, "/admin/api/pause"),
    (Method::POST, "/admin/api/resume"),
    (Method::GET, "/admin/api/verify"),
    (Method::GET, "/admin/api/status"),
    (Method::GET, "/admin/api/doctor"),
    (Method::GET, "/metrics"),
    (Method::POST, "/metrics"),
    (Method::GET, "/admin/api/nope"),
    (Method::DELETE, "/admin/api/items"),
    (Method::GET, "/admin/api"),
];

#[tokio::test]
async fn every_address_wants_the_token_before_it_says_anything_else() {
    let world = World::new().await;
    let wrong = [
        None,
        Some("Bearer wrong".to_owned()),
        Some("Bearer ".to_owned()),
        Some(format!("Basic {TOKEN}")),
        Some(TOKEN.to_owned()),
        Some(format!("Bearer {TOKEN}x")),
    ];
    for (method, path) in ADDRESSES {
        for authorization in &wrong {
            let headers: Vec<_> =
                authorization.iter().map(|value| ("authorization", value.as_str())).collect();
            let answer = world.send(method.clone(), path, &headers, Body::empty()).await;
            let got = [
                answer.status.as_str(),
                answer.header("www-authenticate"),
                answer.header("cache-control"),
                answer.header("allow"),
            ];
            assert_eq!(got, ["401", "Bearer", "no-store", "-"], "{method} {path} with {authorization:?}");
        }
    }
    assert_eq!(world.get("/answers/1118").await.status.as_u16(), 200, "nothing was withdrawn");
}

#[tokio::test]
async fn without_a_configured_token_every_address_says_how_to_set_one() {
    let mut world = World::new().await;
    world.config.admin_token = None;
    for (method, path) in ADDRESSES {
        let headers = [("authorization", "Bearer ")];
        let answer = world.send(method.clone(), path, &headers, Body::empty()).await;
        assert_eq!((answer.status.as_u16(), answer.header("cache-control")), (403, "no-store"), "{path}");
        let problem = answer.json();
        assert_eq!(problem["type"], "urn:fencepost:problem:admin-disabled");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("--admin-token") && detail.contains("FENCEPOST_ADMIN_TOKEN"), "{detail}");
    }
}
