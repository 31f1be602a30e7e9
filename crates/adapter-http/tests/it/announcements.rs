//! What programs are told: feed, sitemap, robots, and the data in the head of a page.

use crate::world::editor;
use fencepost_application::Expected;
use std::sync::Arc;

use expect_test::expect;
use fencepost_application::Stop;
use fencepost_ports::{Job, StoreError};
use serde_json::{Value, json};

use crate::{
    failing::Failing,
    world::{PHOTOLESS, PUBLISHED, World, id, row},
};

#[tokio::test]
async fn the_feed_has_the_public_answers_and_nothing_else() {
    let world = World::new().await;
    expect![[r#"
        <?xml version="1.0" encoding="utf-8"?>
        <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
        <id>https://example.org/feed.xml</id>
        <title>Fencepost</title>
        <subtitle>What the items of past days cost, newest first.</subtitle>
        <updated>2026-11-28T15:00:00Z</updated>
        <author><name>Fencepost</name><uri>https://example.org/</uri></author>
        <link rel="self" type="application/atom+xml" href="https://example.org/feed.xml"/>
        <link rel="alternate" type="text/html" href="https://example.org/answers"/>
        <entry>
        <id>https://example.org/answers/1118</id>
        <title>Lamp &#38; shade: $11.18</title>
        <link rel="alternate" type="text/html" href="https://example.org/answers/1118"/>
        <published>2026-11-28T15:00:00Z</published>
        <updated>2026-11-28T15:00:00Z</updated>
        <summary>Lamp &#38; shade cost $11.18: the answer to the daily price game of 27 November 2026.</summary>
        <content type="html" xml:base="https://example.org/answers/1118">&#60;p&#62;Lamp &#38;#38; shade cost $11.18: the answer to the daily price game of 27 November 2026.&#60;/p&#62;
        &#60;p&#62;&#60;img src=&#34;https://example.org/images/09e1393524a74473917131d161bc9fc02964a7a77d6f5ac9716ab995c8100fbf.webp&#34; alt=&#34;Photo of the item: Lamp &#38;#38; shade&#34;&#62;&#60;/p&#62;
        &#60;p&#62;About the &#60;em&#62;Lamp &#38;amp; shade&#60;/em&#62;.&#60;/p&#62;
        </content>
        </entry>
        <entry>
        <id>https://example.org/answers/1117</id>
        <title>Vase: $11.17</title>
        <link rel="alternate" type="text/html" href="https://example.org/answers/1117"/>
        <published>2026-11-28T15:00:00Z</published>
        <updated>2026-11-28T15:00:00Z</updated>
        <summary>Vase cost $11.17: the answer to the daily price game of 26 November 2026.</summary>
        <content type="html" xml:base="https://example.org/answers/1117">&#60;p&#62;Vase cost $11.17: the answer to the daily price game of 26 November 2026.&#60;/p&#62;
        &#60;p&#62;About the &#60;em&#62;Vase&#60;/em&#62;.&#60;/p&#62;
        </content>
        </entry>
        </feed>"#]].assert_eq(&world.get("/feed.xml").await.text());
}

#[tokio::test]
async fn the_sitemap_has_what_search_engines_may_keep_and_nothing_else() {
    let world = World::new().await;
    expect![[r#"
        <?xml version="1.0" encoding="utf-8"?>
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        <url><loc>https://example.org/</loc></url>
        <url><loc>https://example.org/answers</loc></url>
        <url><loc>https://example.org/answers/1118</loc><lastmod>2026-11-28T15:00:00Z</lastmod></url>
        </urlset>"#]]
    .assert_eq(&world.get("/sitemap.xml").await.text());
}

#[tokio::test]
async fn a_new_site_has_a_feed_and_a_sitemap_without_answers() {
    let world = World::empty();
    let feed = world.get("/feed.xml").await.text();
    assert!(feed.contains("<updated>1970-01-01T00:00:00Z</updated>") && !feed.contains("<entry>"), "{feed}");
    expect![[r#"
        <?xml version="1.0" encoding="utf-8"?>
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        <url><loc>https://example.org/</loc></url>
        </urlset>"#]]
    .assert_eq(&world.get("/sitemap.xml").await.text());
    // What is still to come changes nothing of it.
    world.import(json!([row(1, "2026-11-21", "Clock", None)])).await;
    assert_eq!(world.get("/feed.xml").await.text(), feed);
}

#[tokio::test]
async fn the_feed_is_as_new_as_its_newest_commit() {
    let world = World::new().await;
    world.clock.set("2026-11-28T18:30:00Z".parse().unwrap());
    world.import(json!([row(PHOTOLESS, "2026-11-26", "Floor vase", None)])).await;
    world.site.republish(&editor(), id(PHOTOLESS), Expected::ANYTHING).await.unwrap();
    let feed = world.get("/feed.xml").await.text();
    let (head, entries) = feed.split_once("<entry>").unwrap();
    assert!(head.contains("<updated>2026-11-28T18:30:00Z</updated>"), "{head}");
    let (lamp, vase) = entries.split_once("<entry>").unwrap();
    assert!(lamp.contains("<updated>2026-11-28T15:00:00Z</updated>"), "{lamp}");
    assert!(vase.contains("<published>2026-11-28T15:00:00Z</published>"), "{vase}");
    assert!(vase.contains("<updated>2026-11-28T18:30:00Z</updated>"), "{vase}");
}

#[tokio::test]
async fn the_feed_ends_with_the_twentieth_answer() {
    let world = World::empty();
    let rows: Vec<_> =
        (1..=25).map(|day| row(day, &format!("2026-10-{day:02}"), &format!("Item {day}"), None)).collect();
    world.import(rows.into()).await;
    world.site.run_job(Job::Publish, &Stop::default()).await.unwrap();
    let feed = world.get("/feed.xml").await.text();
    let ids = feed.split("<entry>\n<id>https://example.org/answers/").skip(1);
    let found: Vec<i64> = ids.map(|rest| rest.split('<').next().unwrap().parse().unwrap()).collect();
    assert_eq!(found, (6..=25).rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn an_announcement_follows_a_withdrawal_at_once() {
    let world = World::new().await;
    let address = format!("https://example.org/answers/{PUBLISHED}<");
    let announced = async |path: &str| world.get(path).await.text().contains(&address);
    assert!(announced("/feed.xml").await && announced("/sitemap.xml").await);
    world.site.withdraw(&editor(), id(PUBLISHED), Expected::ANYTHING).await.unwrap();
    assert!(!announced("/feed.xml").await && !announced("/sitemap.xml").await);
    world.site.reinstate(&editor(), id(PUBLISHED), Expected::ANYTHING).await.unwrap();
    assert!(announced("/feed.xml").await && announced("/sitemap.xml").await);
}

#[tokio::test]
async fn robots_are_told_where_to_go_although_the_store_cannot_be_read() {
    let mut world = World::new().await;
    let failing = Arc::new(Failing(StoreError::refused("gone")));
    world.config.site.stores.posts = failing.clone();
    world.config.site.stores.revisions = failing;
    let text = async |world: &World| world.get("/robots.txt").await.text();
    assert_eq!(
        text(&world).await,
        "User-agent: *\nDisallow: /admin\n\nSitemap: https://example.org/sitemap.xml\n"
    );
    world.config.origin = None;
    assert_eq!(text(&world).await, "User-agent: *\nDisallow: /admin\n");
}

#[tokio::test]
async fn a_site_that_does_not_know_its_origin_announces_nothing() {
    let mut world = World::new().await;
    world.config.origin = None;
    let nowhere = world.get("/nope").await;
    for path in ["/feed.xml", "/sitemap.xml"] {
        assert_eq!(world.get(path).await, nowhere, "{path}");
        assert_eq!(world.head(path).await, world.head("/nope").await, "{path}");
    }
    for path in ["/", "/answers", "/answers/1118"] {
        let html = world.get(path).await.text();
        assert!(!html.contains("feed.xml") && !html.contains("ld+json"), "{path}");
    }
}

/// The block of data on the page at `path`.
async fn article(world: &World, path: &str) -> Value {
    let html = world.get(path).await.text();
    let (_, block) = html.split_once("<script type=\"application/ld+json\">").unwrap();
    serde_json::from_str(block.split_once("</script>").unwrap().0).unwrap()
}

#[tokio::test]
async fn an_answer_page_tells_what_it_is() {
    let world = World::new().await;
    let photo = world.photo_on("/answers/1118").await;
    let site = json!({ "@type": "Organization", "name": "Fencepost", "url": "https://example.org/" });
    let mut expected = json!({
        "@context": "https://schema.org",
        "@type": "Article",
        "headline": "Lamp & shade: $11.18",
        "datePublished": "2026-11-28T15:00:00Z",
        "dateModified": "2026-11-28T15:00:00Z",
        "mainEntityOfPage": "https://example.org/answers/1118",
        "image": format!("https://example.org{photo}"),
        "author": site,
        "publisher": site,
    });
    assert_eq!(article(&world, "/answers/1118").await, expected);
    expected["headline"] = "Vase: $11.17".into();
    expected["mainEntityOfPage"] = "https://example.org/answers/1117".into();
    expected.as_object_mut().unwrap().remove("image");
    assert_eq!(article(&world, "/answers/1117").await, expected);
}

#[tokio::test]
async fn what_is_not_public_tells_programs_nothing() {
    let world = World::new().await;
    for path in ["/answers/1119", "/answers/1120", "/answers/1115", "/answers/1116", "/nope"] {
        let html = world.get(path).await.text();
        assert!(html.contains("<meta name=\"robots\" content=\"noindex\">"), "{path}");
        for told in [
            "og:",
            "twitter:",
            "ld+json",
            "canonical",
            "rel=\"next\"",
            "rel=\"prev\"",
            "name=\"description\"",
        ] {
            assert!(!html.contains(told), "{path} has {told}");
        }
    }
    let home = world.get("/").await.text();
    assert!(home.contains("og:description") && !home.contains("ld+json"));
}

#[tokio::test]
async fn hostile_words_stay_words_in_xml_and_in_json() {
    let world = World::empty();
    let name = "</title></script><script>alert('x')</script><!-- ]]> &amp; \u{ffff}";
    let mut hostile = row(1, "2026-11-18", name, None);
    hostile["description"] = json!("<script>alert(1)</script> ]]> a\u{8}b\n\n[x](https:y)");
    world.import(json!([hostile])).await;
    world.site.run_job(Job::Publish, &Stop::default()).await.unwrap();

    let feed = world.get("/feed.xml").await.text();
    expect![[r#"

        <id>https://example.org/answers/1</id>
        <title>&#60;/title&#62;&#60;/script&#62;&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;&#60;!-- ]]&#62; &#38;amp; �: $0.01</title>
        <link rel="alternate" type="text/html" href="https://example.org/answers/1"/>
        <published>2026-11-20T12:00:00Z</published>
        <updated>2026-11-20T12:00:00Z</updated>
        <summary>&#60;/title&#62;&#60;/script&#62;&#60;script&#62;alert(&#39;x&#39;)&#60;/script&#62;&#60;!-- ]]&#62; &#38;amp; � cost $0.01: the answer to the daily price game of 18 November 2026.</summary>
        <content type="html" xml:base="https://example.org/answers/1">&#60;p&#62;&#38;#60;/title&#38;#62;&#38;#60;/script&#38;#62;&#38;#60;script&#38;#62;alert(&#38;#39;x&#38;#39;)&#38;#60;/script&#38;#62;&#38;#60;!-- ]]&#38;#62; &#38;#38;amp; � cost $0.01: the answer to the daily price game of 18 November 2026.&#60;/p&#62;
        &#38;lt;script&#38;gt;alert(1)&#38;lt;/script&#38;gt; ]]&#38;gt; a�b
        &#60;p&#62;&#60;a href=&#34;#&#34;&#62;x&#60;/a&#62;&#60;/p&#62;
        </content>
        </entry>
        </feed>"#]].assert_eq(feed.split_once("<entry>").unwrap().1);

    let html = world.get("/answers/1").await.text();
    assert_eq!(html.matches("<script").count(), 1, "{html}");
    assert_eq!(html.matches("</script").count(), 1, "{html}");
    assert_eq!(article(&world, "/answers/1").await["headline"], format!("{name}: $0.01"));
}
