//! What an operator sees on the dashboard of the jobs, the calendar and the past.

use axum::http::Method;
use fencepost_application::{Site, Stop};
use fencepost_domain::time::{DAY_MS, PlayDate, UnixMillis};
use fencepost_ports::Job;
use serde_json::json;

use crate::world::{FUTURE, OPEN, OVERDUE, PHOTOLESS, PUBLISHED, World, row};

/// The same site, of another build.
fn of_build(site: &Site, build: &str) -> Site {
    let mut site = site.clone();
    site.settings.build = build.to_owned();
    site
}

#[tokio::test]
async fn two_builds_that_run_the_same_job_are_told_wherever_somebody_looks() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let [old, new] = ["1.0-aa", "1.0-bb"].map(|build| of_build(&world.site, build));
    old.run_job(Job::Compensate, &Stop::default()).await.unwrap();
    let alone = operator.get("/admin").await.text();
    assert!(alone.contains("1.0-aa") && !alone.contains("builds have run"), "{alone}");

    world.clock.advance(60_000);
    new.run_job(Job::Compensate, &Stop::default()).await.unwrap();
    let told = "2 builds have run `compensate` within a day, the last one first: 1.0-bb, 1.0-aa.";
    let page = operator.get("/admin").await.text();
    for words in [told, "<code>1.0-aa</code> ran it last", "<code>1.0-bb</code> ran it last"] {
        assert!(page.contains(words), "{words:?} is not on the page: {page}");
    }
    let status = world.admin(Method::GET, "/status", None).await.json();
    let alerts = status["alerts"].as_array().unwrap();
    let notice = alerts.iter().find(|alert| alert["kind"] == "several_builds").unwrap();
    assert_eq!([&notice["severity"], &notice["job"], &notice["meaning"]], ["notice", "compensate", told]);

    world.clock.advance(DAY_MS);
    let operator = world.signed_in().await;
    let page = operator.get("/admin").await.text();
    assert!(!page.contains("builds have run"), "it passes by itself: {page}");
    let runs = operator.get("/admin/runs").await.text();
    assert!(runs.contains("<code>1.0-aa</code>") && runs.contains("<code>1.0-bb</code>"), "{runs}");
}

#[tokio::test]
async fn the_api_lists_runs_newest_first_with_their_builds() {
    let world = World::new().await;
    of_build(&world.site, "1.0-bb").run_job(Job::Compensate, &Stop::default()).await.unwrap();
    let page = world.admin(Method::GET, "/runs", None).await.json();
    let told: Vec<_> =
        page["runs"].as_array().unwrap().iter().map(|run| (&run["job"], &run["build"])).collect();
    let default = json!(world.site.settings.build);
    assert_eq!(told, [(&json!("compensate"), &json!("1.0-bb")), (&json!("publish"), &default)]);
    assert_eq!(page["next_before"], 1);
    let rest = world.admin(Method::GET, "/runs?before=1", None).await.json();
    assert_eq!(rest, json!({ "runs": [], "next_before": null }));
    assert_eq!(world.admin(Method::GET, "/runs?before=x", None).await.status.as_u16(), 400);
}

#[tokio::test]
async fn the_overview_shows_what_people_did_last_and_what_is_left() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    for reason in ["one", "two", "three", "four", "five", "six"] {
        operator.press("/admin/pause", &[("reason", reason)]).await;
        operator.press("/admin/resume", &[]).await;
    }
    let page = operator.get("/admin").await.text();
    let last = page.split("What people did last").nth(1).unwrap();
    assert_eq!(last.matches("<li>").count(), 5, "{last}");
    assert!(last.contains("<q><bdi>six</bdi></q>") && !last.contains("three"), "{last}");
    for words in [
        "1 due, the first since",
        "<a href=\"/admin/outbox?state=pending\"><b>0</b> events due</a>",
        "<a href=\"/admin/outbox?state=dead\"><b>0</b> events dead</a>",
        "nothing: there is no webhook",
    ] {
        assert!(page.contains(words), "{words:?} is not on the page: {page}");
    }
}

#[tokio::test]
async fn the_past_of_an_item_is_one_list() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    operator.press(&format!("/admin/items/{PUBLISHED}/withdraw"), &[("reason", "recalled")]).await;
    let page = operator.get(&format!("/admin/items/{PUBLISHED}")).await.text();
    let list = page.split("What happened to it").nth(1).unwrap().split("</table>").next().unwrap();
    let events: Vec<_> = list.split("<tr>").skip(2).collect();
    let [published, withdrawn] = events[..] else { panic!("two events: {list}") };
    for words in ["<td>publish</td>", "a run of publish", "build 0.1.0", "version 1, revision 3", "fence 1"] {
        assert!(published.contains(words), "{words:?} is not in {published}");
    }
    for words in ["<td>withdraw</td>", "<bdi>Ada</bdi>", "<bdi>recalled</bdi>", "version 2, revision 5"] {
        assert!(withdrawn.contains(words), "{words:?} is not in {withdrawn}");
    }
}

#[tokio::test]
async fn an_item_leads_to_the_ones_beside_it() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let check = async |puzzle: i64, later: Option<i64>, earlier: Option<i64>| {
        let page = operator.get(&format!("/admin/items/{puzzle}")).await.text();
        let to = |rel: &str| {
            let nav = page.split("Items beside it").nth(1).unwrap().split("</nav>").next().unwrap();
            let link = nav.split("<a ").find(|link| link.contains(&format!("rel=\"{rel}\"")))?;
            link.split("/admin/items/").nth(1)?.split('"').next()?.parse::<i64>().ok()
        };
        assert_eq!((to("prev"), to("next")), (later, earlier), "beside {puzzle}");
    };
    check(PUBLISHED, Some(OPEN), Some(PHOTOLESS)).await;
    check(FUTURE, None, Some(OPEN)).await;
    check(1_114, Some(OVERDUE), None).await;
}

#[tokio::test]
async fn the_calendar_begins_around_today_and_goes_on_in_both_directions() {
    let world = World::new().await;
    let operator = world.signed_in().await;
    let first: UnixMillis = "2027-01-01T00:00:00Z".parse().unwrap();
    let puzzles = (0..150).map(|nth| {
        let date = PlayDate::from_utc_day(first.plus(nth * DAY_MS).utc_day()).unwrap();
        row(2_000 + nth, &date.to_string(), "Mug", None)
    });
    world.import(puzzles.collect()).await;
    let check = async |query: &str, ends: (&str, &str), later: Option<&str>, earlier: Option<&str>| {
        let page = operator.get(&format!("/admin/items{query}")).await.text();
        let dates: Vec<_> = page.split("<td><time datetime=\"").skip(1).map(|rest| &rest[..10]).collect();
        let dates: Vec<_> = dates.into_iter().step_by(2).collect();
        assert_eq!((dates.first(), dates.last()), (Some(&ends.0), Some(&ends.1)), "{query}");
        let to = |name: &str| Some(page.split(&format!("/admin/items?{name}=")).nth(1)?[..10].to_owned());
        assert_eq!((to("after").as_deref(), to("before").as_deref()), (later, earlier), "{query}");
    };
    check("", ("2026-11-29", "2026-11-23"), Some("2026-11-29"), None).await;
    let next = ("2027-04-10", "2027-01-01");
    check("?after=2026-11-29", next, Some("2027-04-10"), Some("2027-01-01")).await;
    check("?after=2027-04-10", ("2027-05-30", "2027-04-11"), None, Some("2027-04-11")).await;
    let last = ("2027-05-30", "2027-02-20");
    check("?before=2199-12-31", last, None, Some("2027-02-20")).await;
    check("?before=2027-01-01", ("2026-11-29", "2026-11-23"), Some("2026-11-29"), None).await;
    check("?after=junk&before=", ("2026-11-29", "2026-11-23"), Some("2026-11-29"), None).await;
    let beyond = operator.get("/admin/items?before=2026-11-23").await.text();
    assert!(beyond.contains("No puzzle is played") && beyond.contains("?after=2026-11-22"), "{beyond}");
    let beyond = operator.get("/admin/items?after=2027-05-30").await.text();
    assert!(beyond.contains("No puzzle is played") && beyond.contains("?before=2027-05-31"), "{beyond}");
    let today = operator.get("/admin/items").await.text();
    assert_eq!(today.matches("class=\"today\"").count(), 1);
}
