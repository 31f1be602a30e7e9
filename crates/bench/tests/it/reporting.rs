//! What is said of figures.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use serde_json::{Value, json};

/// A part with the case that most goals are about, at so many requests per second.
fn serving(fencepost: f64, limit: f64) -> Value {
    let row = |subject: &str, value: f64| {
        json!({
            "case": "answer hit, 32 connections", "subject": subject, "unit": "requests/s",
            "value": value, "low": value, "high": value,
        })
    };
    json!({ "part": "serving", "rows": [row("fencepost", fencepost), row("axum with the read", limit)] })
}

fn report(folder: &Path, part: &Value, check: bool) -> Output {
    let file = folder.join("serving.json");
    fs::write(&file, part.to_string()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost-bench"));
    command.arg("report").arg(&file).args(check.then_some("--check"));
    command.arg("--json").arg(folder.join("figures.json")).arg("--chart").arg(folder.join("chart.svg"));
    command.arg("--page").arg(folder.join("figures.md"));
    command.output().unwrap()
}

#[test]
fn a_missed_goal_is_named_and_is_an_error_for_whoever_asks_for_that() {
    let folder = tempfile::tempdir().unwrap();
    for (fencepost, check, word, success) in
        [(90.0, true, "reached", true), (80.0, false, "MISSED", true), (80.0, true, "MISSED", false)]
    {
        let output = report(folder.path(), &serving(fencepost, 100.0), check);
        let said = String::from_utf8(output.stdout).unwrap();
        let line = said.lines().find(|line| line.contains("beside axum with the read")).unwrap();
        assert!(line.contains(word) && line.contains(&format!("{:.3}", fencepost / 100.0)), "{line}");
        assert_eq!(output.status.success(), success, "{fencepost} {check}");
    }
}

#[test]
fn all_figures_are_written_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let part = serving(60_000.0, 70_000.0);
    assert!(report(folder.path(), &part, true).status.success());
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let figures: Value = serde_json::from_str(&read("figures.json")).unwrap();
    assert_eq!(figures, json!({ "parts": [part] }));
    let page = read("figures.md");
    assert!(page.contains("## goals") && page.contains("60,000") && page.contains("(0.86)"), "{page}");
    let chart = read("chart.svg");
    assert!(chart.contains("60,000") && chart.contains("70,000"), "{chart}");
}

#[test]
fn what_has_no_figures_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let output = report(folder.path(), &json!({ "part": "serving" }), false);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success() && said.contains("serving.json has no figures"), "{said}");
}
