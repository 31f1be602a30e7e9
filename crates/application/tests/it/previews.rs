//! A preview goes around the cache, and a link that has run out learns nothing.

use std::sync::Arc;

use fencepost_application::{PreviewAddress, Rendering};
use fencepost_domain::time::UnixMillis;
use fencepost_ports::mock::{MockBlobStore, MockEdgeCache, MockPublicationLedger};

use crate::world::{World, id, opens, row};

fn plain(body: String) -> Rendering {
    Rendering {
        status: 200,
        content_type: "text/plain",
        tag: Some("spelled".to_owned()),
        indexable: false,
        retry: None,
        body: body.into(),
    }
}

#[tokio::test]
async fn a_preview_asks_no_cache_and_gets_no_tag() {
    let world = World::new().await;
    world.import([row(1)]).await;
    let mut site = world.worker("worker").await.site;
    site.cache = Arc::new(MockEdgeCache::new());
    let address = PreviewAddress { puzzle_id: id(1), photo: None };
    let expires_at = opens(9);
    let previewed =
        site.serve_preview(&address, expires_at, |content| plain(format!("{content:?}"))).await.unwrap();
    let body = String::from_utf8(previewed.served.reply.body.to_vec()).unwrap();
    assert!(previewed.shown && body.starts_with("Some(Page("), "{body}");
    assert_eq!(previewed.served.reply.tag, None);
}

#[tokio::test]
async fn a_link_that_has_run_out_costs_what_an_unknown_address_costs() {
    let world = World::new().await;
    world.import([row(1)]).await;
    let now = opens(1);
    world.clock.set(now);
    let mut site = world.worker("worker").await.site;
    site.cache = Arc::new(MockEdgeCache::new());
    site.stores.ledger = Arc::new(MockPublicationLedger::new());
    site.blobs = Arc::new(MockBlobStore::new());
    let address = PreviewAddress { puzzle_id: id(1), photo: None };
    for expires_at in [now, now.plus(-1), UnixMillis::new(i64::MIN)] {
        let previewed =
            site.serve_preview(&address, expires_at, |content| plain(format!("{content:?}"))).await.unwrap();
        let nothing = site.serve_nothing(plain("None".to_owned())).await.unwrap();
        assert!(!previewed.shown);
        assert_eq!(previewed.served.reply, nothing.reply, "at {expires_at}");
    }
}
