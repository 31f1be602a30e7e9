//! The costs that a run reckons with are those that a real store has, and what a page costs.

use fencepost_application::{Address, cost};
use fencepost_domain::{download::Limits, outcome::Outcome, puzzle::ImportRow};
use fencepost_ports::{Budget, Job};

use crate::world::{World, due, id, opens, outcomes, row, space, spell_out, url};

const AROUND: u32 = cost::START_RUN + cost::LIST + cost::LOOK_FOR_PHOTOS + cost::FINISH_RUN + cost::PRUNE;

/// Publishes the items of `rows` in one run, and holds what each step of it costs against
/// the steps that are known.
async fn check(rows: impl IntoIterator<Item = ImportRow>, per_item: u32, known: &[(&str, u32)]) {
    let rows: Vec<_> = rows.into_iter().collect();
    let (world, items) = (World::new().await, u32::try_from(rows.len()).unwrap());
    world.import(rows).await;
    world.clock.set(due(9));
    let invocation = world.invocation("worker", Budget::unlimited()).await;
    let report = invocation.run().await.unwrap();
    assert!(outcomes(&report).iter().all(|outcome| *outcome == Outcome::Published), "{report:?}");
    assert_eq!(invocation.sent(), AROUND + items * per_item);
    assert_eq!(invocation.calls(), known);
}

#[tokio::test]
async fn a_page_whose_photo_is_stored_costs_what_is_reckoned_with() {
    let calls = [
        ("job_runs/read_start", cost::START_RUN),
        ("publication_ledger/runnable_items", cost::LIST),
        ("publication_ledger/preflight", cost::BEGIN),
        ("commit/read_back_publish", cost::COMMIT),
        ("source_images/unprepared", cost::LOOK_FOR_PHOTOS),
        ("job_runs/read_finish", cost::FINISH_RUN + cost::PRUNE),
    ];
    check([ImportRow { image_url: None, ..row(1) }], cost::ITEM, &calls).await;
    println!("a page without a photo, or with a stored one: {} calls", cost::ITEM);
}

#[tokio::test]
async fn a_page_whose_photo_is_fetched_costs_what_is_reckoned_with_and_less_without_a_redirect() {
    let before = [
        ("job_runs/read_start", cost::START_RUN),
        ("publication_ledger/runnable_items", cost::LIST),
        ("publication_ledger/preflight", cost::BEGIN),
        ("source_images/image_preflight", cost::BEGIN_PHOTO),
    ];
    let after = [
        ("source_images/read_image", cost::RECORD_PHOTO),
        ("lease_store/read", cost::RENEW),
        ("commit/read_back_publish", cost::COMMIT),
        ("source_images/unprepared", cost::LOOK_FOR_PHOTOS),
        ("job_runs/read_finish", cost::FINISH_RUN + cost::PRUNE),
    ];
    for redirects in 0..cost::LONGEST_FETCH {
        let image_url = Some(format!("{}?redirects={redirects}", url(1)));
        let per_item = cost::ITEM_WITH_PHOTO - cost::FETCH + (redirects + 1) - (cost::STORE_PHOTO - 1);
        let fetches = (0..=redirects).map(|_| ("fetch", 1));
        let calls: Vec<_> = before.into_iter().chain(fetches).chain([("put", 1)]).chain(after).collect();
        check([ImportRow { image_url, ..row(1) }], per_item, &calls).await;
        println!("a page whose photo is behind {redirects} redirects: {per_item} calls");
    }
    assert_eq!(usize::try_from(cost::LONGEST_FETCH), Ok(Limits::default().max_redirects + 1));
}

#[tokio::test]
async fn a_photo_that_is_stored_already_costs_one_call_more() {
    let world = World::with_finished(2).await;
    let same = Ok(crate::world::photo("the same"));
    world.images.set(url(1), same.clone());
    world.images.set(url(2), same);
    let invocation = world.invocation("worker", Budget::unlimited()).await;
    invocation.run().await.unwrap();
    let stored = cost::ITEM_WITH_PHOTO - cost::FETCH + 1;
    assert_eq!(invocation.sent(), AROUND + stored + stored - (cost::STORE_PHOTO - 1));
}

#[tokio::test]
async fn a_photo_of_a_coming_puzzle_costs_what_is_reckoned_with() {
    let world = World::new().await;
    world.import([ImportRow { image_url: Some(format!("{}?redirects=1", url(1))), ..row(1) }]).await;
    world.clock.set(opens(1));
    let invocation = world.invocation("worker", Budget::unlimited()).await;
    assert_eq!(invocation.run().await.unwrap().images.prepared, 1);
    assert_eq!(invocation.sent(), AROUND + cost::PHOTO - (cost::STORE_PHOTO - 1));
}

#[tokio::test]
async fn an_item_that_is_given_back_costs_what_is_kept_for_it() {
    let world = World::with_finished(1).await;
    world.images.set(url(1), Ok(crate::world::photo("no photo at all")));
    world
        .execute(
            "CREATE TRIGGER forbid BEFORE INSERT ON commit_receipts BEGIN SELECT RAISE(ABORT, 'no'); END",
        )
        .await;
    let invocation = world.invocation("worker", Budget::unlimited()).await;
    assert_eq!(outcomes(&invocation.run().await.unwrap()), [Outcome::Blocked]);
    assert!(invocation.calls().contains(&("publication_ledger/read_item", cost::GIVE_BACK)));
    assert_eq!(cost::CLOSING, cost::GIVE_BACK + cost::FINISH_RUN);
    const { assert!(cost::CLOSING >= 2 * cost::FINISH_RUN) };
}

#[tokio::test]
async fn a_page_costs_one_query_if_it_is_kept_and_two_if_it_is_made() {
    let world = World::with_finished(1).await;
    world.worker("publisher").await.run(Job::Publish).await;
    let mut reader = world.invocation("reader", Budget::unlimited()).await;
    reader.site.cache = world.cache.clone();
    let moment = ("revision_source/moment", 1);
    for (address, content) in [
        (Address::Home, "answer_posts/home"),
        (Address::Answers { before: None }, "answer_posts/list"),
        (Address::Answer(id(1)), "answer_posts/answer"),
        (Address::Feed, "answer_posts/feed"),
    ] {
        let cost = async || {
            let known = reader.calls().len();
            reader.site.serve_page(&space(), &address, spell_out).await.unwrap();
            reader.calls().split_off(known)
        };
        assert_eq!(cost().await, [moment, (content, 1)], "{address:?} made");
        assert_eq!(cost().await, [moment], "{address:?} from the cache");
    }
}
