use std::{net::Ipv4Addr, time::Duration};

use fencepost_adapter_native::{FetchPolicy, HttpImages, Reachable};
use fencepost_domain::{
    download::Limits,
    image::{FailureKind, ImageFormat},
};
use fencepost_ports::{FetchError, FetchedImage, ImageSource};
use tokio::net::TcpListener;

use crate::host::{Host, PNG};

use FailureKind::{Passing, Permanent};

#[tokio::test]
async fn the_bytes_decide_what_a_photo_is() {
    let host = Host::start().await;
    for path in ["/photo.png", "/lying.jpg", "/octets", "/untyped"] {
        check_photo(&host, path).await;
    }
}

#[tokio::test]
async fn what_is_no_photo_is_refused_for_good() {
    let host = Host::start().await;
    check(&host, "/page.png", Permanent, &["/page.png sent 34 bytes that are no JPG, PNG"]).await;
    check(&host, "/page.html", Permanent, &["/page.html sends text/html, not a photo"]).await;
    check(&host, "/drawing.svg", Permanent, &["sends image/svg+xml, not a photo"]).await;
    check(&host, "/drawing.png", Permanent, &["bytes that are no JPG"]).await;
    check(&host, "/empty.png", Permanent, &["sent 0 bytes"]).await;
}

#[tokio::test]
async fn a_status_tells_whether_trying_again_can_help() {
    let host = Host::start().await;
    for (code, name, kind) in [
        (304, "Not Modified", Permanent),
        (400, "Bad Request", Permanent),
        (403, "Forbidden", Permanent),
        (404, "Not Found", Permanent),
        (410, "Gone", Permanent),
        (408, "Request Timeout", Passing),
        (425, "Too Early", Passing),
        (429, "Too Many Requests", Passing),
        (500, "Internal Server Error", Passing),
        (502, "Bad Gateway", Passing),
        (503, "Service Unavailable", Passing),
        (504, "Gateway Timeout", Passing),
    ] {
        check(&host, &format!("/status/{code}"), kind, &[&format!("/status/{code} answered {code} {name}")])
            .await;
    }
}

#[tokio::test]
async fn a_failure_says_what_to_do() {
    let host = Host::start().await;
    check(&host, "/status/404", Permanent, &["correct image_url and import again"]).await;
    check(&host, "/status/503", Passing, &["the next run tries again"]).await;
}

#[tokio::test]
async fn a_photo_may_be_as_large_as_the_limit_and_not_a_byte_larger() {
    let host = Host::start().await;
    let images = HttpImages::new(FetchPolicy {
        limits: Limits { max_bytes: 10_000, ..patient().limits },
        ..patient()
    });
    assert_eq!(images.fetch(&host.url("/sized/10000")).await.unwrap().bytes.len(), 10_000);
    check_failure(images.fetch(&host.url("/sized/10001")).await, Permanent, &["more than 10000 bytes"]);
    check_failure(images.fetch(&host.url("/endless.png")).await, Permanent, &["more than 10000 bytes"]);
}

#[tokio::test]
async fn the_default_limit_is_eight_mebibytes() {
    let host = Host::start().await;
    check(&host, "/endless.png", Permanent, &["more than 8388608 bytes", "choose a smaller photo"]).await;
}

#[tokio::test]
async fn a_declared_length_is_refused_before_the_bytes_come() {
    let host = Host::start().await;
    // None ever come, so waiting for them would end in a passing timeout.
    check(&host, "/promised.png", Permanent, &["more than 8388608 bytes"]).await;
}

#[tokio::test]
async fn one_deadline_holds_for_the_whole_fetch() {
    let host = Host::start().await;
    let images = HttpImages::new(FetchPolicy {
        limits: Limits { total_time: Duration::from_millis(150), ..patient().limits },
        ..patient()
    });
    for path in ["/silent.png", "/trickle.png", "/to?/trickle.png"] {
        check_failure(
            images.fetch(&host.url(path)).await,
            Passing,
            &["did not send its photo within 150ms", "the next run tries again"],
        );
    }
}

#[tokio::test]
async fn a_photo_that_breaks_off_may_be_whole_next_time() {
    let host = Host::start().await;
    check(&host, "/cut.png", Passing, &["/cut.png broke off"]).await;
}

#[tokio::test]
async fn a_host_that_is_down_may_come_back() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let failure = HttpImages::new(patient()).fetch(&format!("http://{address}/photo.png")).await;
    check_failure(failure, Passing, &["could not be connected to", "refused"]);
}

#[tokio::test]
async fn a_host_that_does_not_speak_tls_may_learn_it() {
    let host = Host::start().await;
    let failure = HttpImages::new(patient()).fetch(&format!("https://{}/photo.png", host.address)).await;
    check_failure(failure, Passing, &["https://127.0.0.1:", "could not be connected to"]);
}

#[tokio::test]
async fn a_name_that_is_not_found_may_be_found_later() {
    // Too long a label for any name server, so that none is asked.
    let url = format!("http://{}.example/photo.png", "a".repeat(64));
    check_failure(HttpImages::new(patient()).fetch(&url).await, Passing, &["could not be found by its name"]);
}

#[tokio::test]
async fn up_to_three_redirects_are_followed_relative_ones_too() {
    let host = Host::start().await;
    check_photo(&host, "/to?/photo.png").await;
    check_photo(&host, &format!("/to?{}", host.url("/photo.png"))).await;
    check_photo(&host, "/hop/3").await;
    let before = host.requests();
    check(&host, "/hop/4", Permanent, &["/hop/4 redirects more than 3 times", "correct image_url"]).await;
    assert_eq!(host.requests() - before, 4);
}

#[tokio::test]
async fn a_redirect_that_cannot_be_followed_is_a_permanent_failure() {
    let host = Host::start().await;
    check(&host, "/loop", Permanent, &["/loop redirects more than 3 times"]).await;
    check(&host, "/nowhere", Permanent, &["redirects without saying where to"]).await;
    check(&host, "/to?ftp://127.0.0.1/photo.png", Permanent, &["the scheme ftp"]).await;
    check(&host, "/to?http://[", Permanent, &["not an address"]).await;
}

#[tokio::test]
async fn a_failure_after_a_redirect_names_both_addresses() {
    let host = Host::start().await;
    let asked = format!("(where {} redirects to)", host.url("/to?…"));
    check(&host, "/to?/status/404", Permanent, &["/status/404 (where", &asked, "answered 404"]).await;
}

#[tokio::test]
async fn private_addresses_are_refused_however_they_are_written() {
    let host = Host::start().await;
    let images = HttpImages::new(FetchPolicy { reachable: Reachable::Public, ..patient() });
    let port = host.address.port();
    for url in [
        format!("http://127.0.0.1:{port}/photo.png"),
        format!("http://127.1:{port}/photo.png"),
        format!("http://2130706433:{port}/photo.png"),
        format!("http://0x7f000001:{port}/photo.png"),
        format!("http://0177.0.0.1:{port}/photo.png"),
        format!("http://127.0.0.1.:{port}/photo.png"),
        format!("http://%31%32%37.0.0.1:{port}/photo.png"),
        format!("http://0.0.0.0:{port}/photo.png"),
        format!("http://[::ffff:127.0.0.1]:{port}/photo.png"),
        format!("http://[::1]:{port}/photo.png"),
        format!("http://[::]:{port}/photo.png"),
        format!("http://localhost:{port}/photo.png"),
        format!("http://LOCALHOST:{port}/photo.png"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://[fd00:ec2::254]/latest/meta-data/".to_owned(),
        "http://10.0.0.1/".to_owned(),
        "https://192.168.1.1/".to_owned(),
    ] {
        check_failure(images.fetch(&url).await, Permanent, &["is not a public address", "correct image_url"]);
    }
    let full_width = format!("http://１２７.0.0.1:{port}/photo.png");
    check_failure(images.fetch(&full_width).await, Permanent, &["in its ASCII form", "correct it"]);
    assert_eq!(host.requests(), 0);
}

#[tokio::test]
async fn a_redirect_to_a_private_address_is_refused() {
    let host = Host::start().await;
    let port = host.address.port();
    // This one address plays the public Internet.
    let reachable = Reachable::PublicAnd(vec!["127.0.0.1/32".parse().unwrap()]);
    let images = HttpImages::new(FetchPolicy { reachable, ..patient() });
    assert!(images.fetch(&host.url("/to?/photo.png")).await.is_ok());
    let before = host.requests();
    for to in [
        format!("http://127.0.0.2:{port}/photo.png"),
        format!("http://[::1]:{port}/photo.png"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
    ] {
        let failure = images.fetch(&host.url(&format!("/to?{to}"))).await;
        check_failure(failure, Permanent, &["redirects to", "is not a public address"]);
    }
    assert_eq!(host.requests() - before, 3, "a refused address was visited");
}

#[tokio::test]
async fn a_name_is_connected_to_at_its_admitted_addresses() {
    let host = Host::start().await;
    let reachable = Reachable::PublicAnd(vec!["127.0.0.1/32".parse().unwrap()]);
    let images = HttpImages::new(FetchPolicy { reachable, ..patient() });
    let url = format!("http://localhost:{}/photo.png", host.address.port());
    assert!(images.fetch(&url).await.is_ok());
}

#[tokio::test]
async fn what_is_not_on_the_web_is_refused() {
    let images = HttpImages::new(patient());
    for url in ["file:///etc/passwd", "ftp://127.0.0.1/photo.png", "data:image/png;base64,iVBORw0KGgo="] {
        check_failure(images.fetch(url).await, Permanent, &["neither an http nor an https address"]);
    }
    for url in ["", "photo.png", "//127.0.0.1/photo.png", "http://", "http://[::1"] {
        check_failure(images.fetch(url).await, Permanent, &["image_url is not an address"]);
    }
}

#[tokio::test]
async fn a_failure_tells_no_secrets() {
    let host = Host::start().await;
    let images = HttpImages::new(patient());
    for path in ["/status/404?signature=hunter2", "/page.html?hunter2", "/to?/status/500?hunter2"] {
        let url = host.url(path).replace("http://", "http://hunter2:hunter2@");
        let failure = images.fetch(&url).await.unwrap_err();
        assert!(!failure.to_string().contains("hunter2"), "{failure}");
    }
    let failure = images.fetch("http://hunter2:hunter2@[").await.unwrap_err();
    assert!(!failure.to_string().contains("hunter2"), "{failure}");
}

#[tokio::test]
async fn a_request_says_who_asks_and_what_for() {
    let host = Host::start().await;
    check_photo(&host, "/polite").await;
    check_photo(&host, "/to?/polite").await;
}

/// The default limits, but for a host on loopback and a machine that is busy.
fn patient() -> FetchPolicy {
    FetchPolicy {
        limits: Limits { total_time: Duration::from_secs(60), ..Limits::default() },
        reachable: Reachable::Everything,
        ..FetchPolicy::default()
    }
}

async fn check_photo(host: &Host, path: &str) {
    let photo = HttpImages::new(patient()).fetch(&host.url(path)).await;
    assert_eq!(photo, Ok(FetchedImage { bytes: PNG.to_vec(), format: ImageFormat::Png }), "at {path}");
}

async fn check(host: &Host, path: &str, kind: FailureKind, says: &[&str]) {
    check_failure(HttpImages::new(patient()).fetch(&host.url(path)).await, kind, says);
}

fn check_failure(result: Result<FetchedImage, FetchError>, kind: FailureKind, says: &[&str]) {
    let FetchError::Failed(failure) = result.unwrap_err() else { panic!("no photo was asked for") };
    assert_eq!(failure.kind, kind, "{}", failure.message);
    for part in says {
        assert!(failure.message.contains(part), "{:?} does not say {part:?}", failure.message);
    }
}
