//! `cargo xtask bench`: what a request, a publication, a lease and a result cost.
//!
//! The parts are programs that take turns: those of `crates/bench` for the native server,
//! and one in Node for the Worker in workerd. Each leaves a file of figures behind, and a
//! last one puts them side by side. The full form takes release builds, and fails if a goal
//! is missed; the short one, in `cargo xtask test`, sees to it that everything can still be
//! measured, on whatever was built, and no figure of it is to be relied upon.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, bail, ensure};

use crate::{
    artifacts,
    setup::{self, NODE_FOLDER, NodePackages, Tools},
    steps::run_to_success,
    worker,
};

/// Where figures are written to.
const FOLDER: &str = "target/bench";
/// Where those that the documentation shows are kept.
const KEPT: &str = "docs/performance";
/// The part that is measured by Node.
const WORKER: &str = "worker";
/// The part that measures the server's program.
const SERVING: &str = "serving";
/// The parts, in their order.
const PARTS: &[&str] = &[SERVING, "publishing", "leases", "results", "growth", WORKER];

const BUILD: &str = "cargo build --release --package fencepost-app-server --package fencepost-bench";

/// What is measured, and what becomes of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// A quick look.
    short: bool,
    /// This part alone.
    only: Option<String>,
    /// Whether the figures become those of the documentation.
    keep: bool,
}

impl Options {
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> anyhow::Result<Self> {
        let options = Self {
            short: args.contains("--short"),
            only: args.opt_value_from_str("--only")?,
            keep: args.contains("--keep"),
        };
        if let Some(part) = &options.only {
            ensure!(PARTS.contains(&part.as_str()), "there is no part {part:?}, but {}", PARTS.join(", "));
        }
        if options.keep && (options.short || options.only.is_some()) {
            bail!("--keep takes all parts in full, or the documentation would mix figures of several runs");
        }
        Ok(options)
    }

    fn parts(&self) -> impl Iterator<Item = &'static str> {
        let wanted = |part: &&str| self.only.as_deref().is_none_or(|only| only == *part);
        PARTS.iter().copied().filter(wanted)
    }

    fn folder(&self) -> &'static Path {
        Path::new(if self.keep { KEPT } else { FOLDER })
    }
}

/// Builds what is measured as it is released, and measures.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if options.parts().any(|part| part == WORKER) {
        worker::release(&Tools::ready()?)?;
    }
    measure(&programs(BUILD)?, options)
}

/// Measures what has been built anyway, for a moment.
pub(crate) fn run_short(line: &str) -> anyhow::Result<()> {
    NodePackages::ready()?;
    measure(&programs(line)?, &Options { short: true, only: None, keep: false })
}

/// The server, and what measures it.
fn programs(line: &str) -> anyhow::Result<[PathBuf; 2]> {
    let built = artifacts::executables(line)?;
    let find = |name: &str| {
        let program = built.iter().find(|it| it.name == name && !it.is_test);
        program.map(|it| it.path.clone()).with_context(|| format!("`{line}` builds no {name}"))
    };
    Ok([find(artifacts::SERVER)?, find("fencepost-bench")?])
}

fn measure([server, bench]: &[PathBuf; 2], options: &Options) -> anyhow::Result<()> {
    let load = setup::wrk();
    let form = if options.short { "short" } else { "full" };
    fs::create_dir_all(FOLDER).with_context(|| format!("cannot create {FOLDER}"))?;
    let mut files = Vec::new();
    for part in options.parts() {
        println!("\n-- {part}");
        if part == SERVING
            && let Err(problem) = &load
        {
            ensure!(options.short, "{problem:#}");
            println!("{problem:#}\nThis part is left out of the quick look.");
            continue;
        }
        let file = Path::new(FOLDER).join(format!("{part}.json"));
        let mut command;
        if part == WORKER {
            command = Command::new("node");
            command.arg(format!("{NODE_FOLDER}/bench.mjs")).args([worker::BUILD, form]).arg(&file);
        } else {
            command = Command::new(bench);
            command.arg(part).arg("--output").arg(&file).args(options.short.then_some("--short"));
            if part == SERVING {
                command.arg("--server").arg(server);
            }
        }
        run_to_success(&mut command)?;
        files.push(file);
    }
    let folder = options.folder();
    let mut report = Command::new(bench);
    report.arg("report").args(files);
    report.arg("--json").arg(folder.join("figures.json")).arg("--chart").arg(folder.join("chart.svg"));
    report.arg("--page").arg(folder.join("figures.md"));
    report.args((!options.short).then_some("--check"));
    run_to_success(&mut report)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> anyhow::Result<Options> {
        let words = words.iter().map(Into::into).collect();
        Options::from_args(&mut pico_args::Arguments::from_vec(words))
    }

    #[test]
    fn a_part_can_be_measured_alone_and_figures_are_kept_of_all_or_none() {
        let all = read(&[]).unwrap();
        assert_eq!(all.parts().collect::<Vec<_>>(), PARTS);
        assert_eq!(all.folder(), Path::new("target/bench"));
        let one = read(&["--short", "--only", "leases"]).unwrap();
        assert_eq!(one.parts().collect::<Vec<_>>(), ["leases"]);
        assert_eq!(read(&["--keep"]).unwrap().folder(), Path::new("docs/performance"));
        for (words, problem) in [
            (&["--only", "speed"][..], "there is no part \"speed\", but serving, "),
            (&["--keep", "--short"], "--keep takes all parts"),
            (&["--keep", "--only", "leases"], "--keep takes all parts"),
        ] {
            let error = read(words).unwrap_err().to_string();
            assert!(error.starts_with(problem), "{words:?}: {error}");
        }
    }
}
