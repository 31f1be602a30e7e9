//! The real router tells nothing before its time.

use fencepost_audit::{Answer, Depth, Finding, Games, Question};

use crate::world::{NEVER_PUBLIC, TOLD, World};

/// When the open puzzle's answer is due, and tomorrow's is open.
const DUE: &str = "2026-11-29T00:10:00Z";
/// When tomorrow's opens.
const OPENS: &str = "2026-11-29T00:00:00Z";

const NOTHING: [Finding; 0] = [];

#[tokio::test]
async fn nothing_is_found_around_the_instants_of_the_calendar() {
    let world = World::new().await;
    for instant in [OPENS, DUE] {
        for ms in [-3_600_000, -1_000, -1, 0, 1, 1_000] {
            world.set(instant, ms);
            let report = world.audit(Depth::Near).await;
            assert_eq!(report.findings, NOTHING, "{ms} ms after {instant}");
            assert!(report.unsettled.is_empty(), "{:?}", report.unsettled);
        }
        world.run().await;
        let report = world.audit(Depth::Full).await;
        assert_eq!(report.findings, NOTHING, "after the run at {instant}");
    }
}

#[tokio::test]
async fn a_clock_that_jumps_back_hides_what_was_out() {
    let world = World::new().await;
    for instant in ["2026-11-28T00:09:59.999Z", "2026-11-27T12:00:00Z", "2026-11-22T00:00:00Z"] {
        world.set(instant, 0);
        assert_eq!(world.audit(Depth::Full).await.findings, NOTHING, "{instant}");
    }
}

#[tokio::test]
async fn nothing_is_found_without_a_token_either() {
    let world = World::new().await.without_token();
    let report = world.audit(Depth::Full).await;
    assert_eq!(report.findings, NOTHING);
}

#[tokio::test]
async fn every_surface_is_walked_and_what_cannot_be_told_is_said() {
    let world = World::new().await;
    let report = world.audit(Depth::Full).await;
    assert!(report.requests > 500, "{}", report.requests);
    // Three games to the end by the API, and two by the form, and what was begun besides.
    assert!(report.guesses > 20, "{}", report.guesses);
    for path in ["/", "/answers", "/feed.xml", "/metrics", "/robots.txt", &format!("/answers/{TOLD}")] {
        assert!(report.addresses.contains(path), "{path}: {:?}", report.addresses);
    }
    for part in ["/images/", "/assets/"] {
        assert!(report.addresses.iter().any(|path| path.starts_with(part)), "{part}");
    }
    // The word is in the name of yesterday's item, and there is no other sign of tomorrow's.
    let skipped: Vec<_> = report.skipped.iter().filter(|skipped| skipped.puzzle_id.get() == 1123).collect();
    assert!(skipped.iter().any(|skipped| skipped.what.contains("the name \"Lamp\"")), "{skipped:?}");
    assert!(
        !report.skipped.iter().any(|skipped| skipped.puzzle_id.get() == NEVER_PUBLIC),
        "{:?}",
        report.skipped
    );
}

#[tokio::test]
async fn games_are_ended_and_results_counted_only_on_request() {
    let world = World::new().await;
    for (games, expected) in [(Games::Begun, 0), (Games::Ended, 2), (Games::Ended, 2)] {
        assert_eq!(world.play(games).await.findings, NOTHING);
        assert_eq!(world.results(), expected, "{games:?}");
    }
}

#[tokio::test]
async fn a_site_that_answers_everything_alike_has_not_passed() {
    for status in [200, 301, 404, 503] {
        let alike = move |_: &Question, answer: &mut Answer| {
            *answer = Answer { status, headers: Vec::new(), body: Vec::new(), window: answer.window };
        };
        let world = World::new().await.without_token().leaking(Box::new(alike));
        let error = world.try_audit(Depth::Near).await.unwrap_err().to_string();
        assert!(error.contains(&status.to_string()) && error.contains("check its address"), "{error}");
    }
}
