//! All figures side by side.

mod chart;

mod tables;
pub(crate) use tables::number;

use std::{fs, path::PathBuf, process::ExitCode};

use anyhow::Context;
use clap::Args;
use serde_json::json;

use crate::{
    figures::Part,
    goals::{GOALS, Verdict},
};

/// What to read, and where to write it.
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// The figures of a part
    #[arg(required = true, value_name = "FILE")]
    parts: Vec<PathBuf>,
    /// Where to write all of them
    #[arg(long, value_name = "FILE")]
    json: PathBuf,
    /// Where to draw them
    #[arg(long, value_name = "FILE")]
    chart: PathBuf,
    /// Where to write the tables as a page of the documentation
    #[arg(long, value_name = "FILE")]
    page: PathBuf,
    /// End with an error if a goal is missed
    #[arg(long)]
    check: bool,
}

/// Prints the tables, writes the files, and says which goals are reached.
pub(crate) fn run(options: &Options) -> ExitCode {
    match report(options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => {
            eprintln!("error: a goal is missed");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn report(options: &Options) -> anyhow::Result<bool> {
    let parts = options.parts.iter().map(|file| Part::read(file)).collect::<anyhow::Result<Vec<_>>>()?;
    for part in &parts {
        println!("\n{}\n{}", part.part, tables::of(part));
    }
    let verdicts: Vec<Verdict> = GOALS.iter().map(|goal| goal.judge(&parts)).collect();
    println!("\ngoals\n{}", tables::of_goals(&verdicts));
    let write = |file: &PathBuf, text: String| {
        fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
    };
    write(&options.json, json(&parts)?)?;
    write(&options.chart, chart::draw(&parts)?)?;
    write(&options.page, page(&parts, &verdicts))?;
    Ok(!options.check || verdicts.iter().all(|verdict| verdict.is_reached() != Some(false)))
}

/// All figures as JSON, with a line for each.
fn json(parts: &[Part]) -> anyhow::Result<String> {
    let part = |Part { part, rows }: &Part| {
        let rows = rows.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>()?;
        anyhow::Ok(format!("{{\"part\":{},\"rows\":[\n{}\n]}}", json!(part), rows.join(",\n")))
    };
    let parts = parts.iter().map(part).collect::<anyhow::Result<Vec<_>>>()?;
    Ok(format!("{{\"parts\":[\n{}\n]}}\n", parts.join(",\n")))
}

/// All tables as a page of the documentation.
fn page(parts: &[Part], verdicts: &[Verdict]) -> String {
    let goals = ("goals", tables::of_goals(verdicts));
    let tables =
        std::iter::once(goals).chain(parts.iter().map(|part| (part.part.as_str(), tables::of(part))));
    let sections = tables.map(|(name, table)| format!("\n## {name}\n\n{}\n", tables::as_markdown(table)));
    let head = "# All figures of one run\n\nWritten by `cargo xtask bench --keep`. A figure is the median of its \
        rounds, and where they differ by more than a twentieth, the range follows. In parentheses stands \
        the figure of the first subject, divided by this one.\n";
    std::iter::once(head.to_owned()).chain(sections).collect()
}
