//! What the command line refuses, with which code and in which words.

use tokio::net::TcpListener;

use crate::{
    bank::{bank, november},
    harness::{Launched, Place},
};

/// Runs a command that has to fail with `code` and to say each of `words`.
async fn check(place: &Place, arguments: &[&str], environment: &[(&str, &str)], code: i32, words: &[&str]) {
    let output = place.command(arguments).envs(environment.iter().copied()).output().await.unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{arguments:?} {environment:?} said: {said}");
    for word in words {
        assert!(said.contains(word), "{arguments:?} {environment:?}: no {word:?} in: {said}");
    }
    for noise in ["panicked", "backtrace", "Os {", "Error {", "hunter2"] {
        assert!(!said.contains(noise), "{arguments:?} {environment:?}: {noise:?} in: {said}");
    }
}

#[tokio::test]
async fn what_cannot_be_is_refused_with_code_2_and_before_anything_is_touched() {
    let place = Place::new();
    for (arguments, words) in [
        (&["--no-such-flag"][..], &["--no-such-flag"][..]),
        (&["serve", "--no-such-flag"], &["--no-such-flag"]),
        (&["verify", "--listen", "127.0.0.1:0"], &["--listen"]),
        (&["--listen", "127.0.0.1:0", "verify"], &["--listen", "serve"]),
        (&["publish"], &["publish"]),
        (&["import"], &["FILE"]),
        (&["run"], &["JOB"]),
        (&["run", "everything"], &["everything", "publish", "compensate"]),
        (&["withdraw", "one"], &["one", "1 to 9007199254740991"]),
        (&["serve", "--listen", "somewhere"], &["--listen", "somewhere"]),
        (&["serve", "--listen", "127.0.0.1:65536"], &["--listen"]),
        (&["serve", "--lease-seconds", "0"], &["--lease-seconds", "1..=900"]),
        (&["serve", "--lease-seconds", "901"], &["--lease-seconds", "1..=900"]),
        (&["serve", "--grace-seconds", "-1"], &["--grace-seconds"]),
        (&["serve", "--grace-seconds", "43201"], &["--grace-seconds", "0..=43200"]),
        (&["serve", "--daily-quota", "many"], &["--daily-quota", "many"]),
        (&["serve", "--environment", "Production"], &["--environment", "lower-case"]),
        (&["serve", "--origin", "prices.example"], &["--origin", "https://prices.example"]),
        (&["serve", "--admin-token", "two words"], &["--admin-token", "visible"]),
        (&["serve", "--secret", "hunter2-is-much-too-short"], &["--secret", "at least 32", "openssl rand"]),
        (&["serve", "--log", "x=y=z"], &["filter"]),
        (&["serve", "--durability", "some"], &["full", "normal"]),
    ] {
        check(&place, arguments, &[], 2, words).await;
    }
    for (name, value, words) in [
        ("FENCEPOST_LEASE_SECONDS", "901", &["--lease-seconds"][..]),
        ("FENCEPOST_LISTEN", "nowhere", &["--listen"]),
        ("FENCEPOST_NO_CRON", "maybe", &["--no-cron"]),
        ("FENCEPOST_SECRET", "hunter2", &["--secret", "at least 32"]),
        ("FENCEPOST_TEST_CLOCK_OFFSET_MS", "tomorrow", &["--test-clock-offset-ms"]),
    ] {
        check(&place, &["serve"], &[(name, value)], 2, words).await;
    }
    let left: Vec<_> = std::fs::read_dir(place.path()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn an_empty_variable_counts_as_none_and_variables_of_serve_concern_nobody_else() {
    let place = Place::new();
    place.import(&bank(november(1))).await;
    let empty = [
        "LISTEN",
        "ORIGIN",
        "ADMIN_TOKEN",
        "SECRET",
        "NO_CRON",
        "DEMO",
        "GRACE_SECONDS",
        "LEASE_SECONDS",
        "DAILY_QUOTA",
        "ENVIRONMENT",
        "ALLOW_PRIVATE_IMAGES",
        "DURABILITY",
        "TEST_CLOCK_OFFSET_MS",
        "LOG",
        "LOG_FORMAT",
    ]
    .map(|name| (format!("FENCEPOST_{name}"), ""));
    for arguments in [&["status"][..], &["verify"], &["run", "publish"], &["import", "--help"]] {
        let ended = place.command(arguments).envs(empty.clone()).output().await.unwrap();
        assert!(ended.status.success(), "{arguments:?}: {ended:?}");
    }
    let broken = [
        ("FENCEPOST_LISTEN", "nowhere"),
        ("FENCEPOST_ORIGIN", "nowhere"),
        ("FENCEPOST_NO_CRON", "maybe"),
        ("FENCEPOST_SECRET", "short"),
        ("FENCEPOST_DEMO", "maybe"),
    ];
    for arguments in [&["status"][..], &["verify"], &["run", "publish"]] {
        let ended = place.command(arguments).envs(broken).output().await.unwrap();
        assert!(ended.status.success(), "{arguments:?}: {ended:?}");
    }
    check(&place, &[], &[("FENCEPOST_LISTEN", "nowhere")], 2, &["--listen"]).await;
    let help = place.succeed(&["--help"]).await;
    assert!(help.contains("FENCEPOST_LISTEN"), "{help}");
}

#[tokio::test]
async fn a_switch_is_given_by_the_environment_in_words() {
    let place = Place::new();
    for (value, off) in [
        ("1", true),
        ("true", true),
        ("yes", true),
        ("0", false),
        ("false", false),
        ("no", false),
        ("", false),
    ] {
        let mut command = place.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.env("FENCEPOST_NO_CRON", value);
        let server = Launched::of(command).ready().await;
        let ended = server.stop().await;
        assert_eq!(ended.stderr.contains("no job runs by itself"), off, "{value:?}: {}", ended.stderr);
    }
}

#[tokio::test]
async fn a_production_site_refuses_the_clock_of_tests_and_the_demo() {
    let place = Place::new();
    let clock = ("FENCEPOST_TEST_CLOCK_OFFSET_MS", "0");
    let production = ("FENCEPOST_ENVIRONMENT", "production");
    for command in [&["serve"][..], &["status"], &["run", "publish"]] {
        check(&place, command, &[production, clock], 2, &["production", "clock"]).await;
    }
    check(&place, &["serve", "--environment", "production"], &[clock], 2, &["production", "clock"]).await;
    check(&place, &["serve", "--demo"], &[production], 2, &["production", "--demo"]).await;
    check(&place, &[], &[production], 2, &["production", "fencepost serve"]).await;
    assert!(!place.database().exists());
}

#[tokio::test]
async fn faults_end_with_code_1_and_tell_what_to_do() {
    let place = Place::new();
    for command in [&["verify"][..], &["status"], &["run", "publish"], &["withdraw", "1"]] {
        check(&place, command, &[], 1, &["there is no database", "--database"]).await;
    }
    check(&place, &["import", "no-such-file.json"], &[], 1, &["no-such-file.json", "nothing was imported"])
        .await;
    assert!(!place.database().exists(), "a failing command created a database");

    std::fs::write(place.database(), "this is no database, but a text of some length").unwrap();
    check(&place, &["status"], &[], 1, &["fencepost.db"]).await;
    check(&place, &["serve"], &[("FENCEPOST_LISTEN", "127.0.0.1:0")], 1, &["fencepost.db"]).await;
    std::fs::remove_file(place.database()).unwrap();

    place.import(&bank(november(1))).await;
    check(&place, &["withdraw", "99"], &[], 1, &["no puzzle 99"]).await;
    place.execute("INSERT INTO d1_migrations (name) VALUES ('9999_from_the_future.sql')").await;
    check(&place, &["status"], &[], 1, &["9999_from_the_future.sql", "newer version"]).await;
}

#[tokio::test]
async fn an_address_that_is_taken_is_told_and_the_database_left_alone() {
    let place = Place::new();
    let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = taken.local_addr().unwrap().to_string();
    check(&place, &["serve", "--listen", &address], &[], 1, &["cannot listen on", &address, "--listen"])
        .await;
    assert!(!place.database().exists());
}
