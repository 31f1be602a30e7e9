//! `fencepost-demo NOW`: the sample bank around an instant, as an import.
//!
//! The instant is an argument, as everywhere: whoever stocks a site asks the site's
//! database what time it is.

use std::process::ExitCode;

use fencepost_demo::{Sample, samples};
use fencepost_domain::{
    puzzle::{DEFAULT_GRACE_MS, ImportFile},
    time::UnixMillis,
};

const USAGE: &str = "\
usage: fencepost-demo NOW
prints the sample bank around an instant, such as 2026-11-29T12:00:00Z, for `fencepost import -`";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let bank = match arguments.as_slice() {
        [now] => bank(now),
        _ => Err(USAGE.to_owned()),
    };
    match bank {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}

fn bank(now: &str) -> Result<String, String> {
    let now: UnixMillis = now.parse().map_err(|error| format!("error: {error}\n{USAGE}"))?;
    let samples = samples(now, DEFAULT_GRACE_MS).map_err(|error| format!("error: {error}"))?;
    let puzzles = samples.into_iter().map(Sample::into_row).collect();
    Ok(serde_json::to_string_pretty(&ImportFile { puzzles })
        .expect("rows have string keys and no odd values"))
}
