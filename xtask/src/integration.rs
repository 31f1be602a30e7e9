//! `cargo xtask integration`: two Workers that overlap, on one database.
//!
//! The old and the new version of a site fire the same cron at the same instant, on one
//! D1 database and one R2 bucket inside workerd, with a photo host that counts. The full
//! form runs the Worker as it would be deployed; the short one, in `cargo xtask test`,
//! runs a development build.

use std::process::Command;

use crate::{
    setup::{NODE_FOLDER, Tools},
    steps::run_to_success,
    worker,
};

/// Fresh databases in the full form.
const ROUNDS: u32 = 25;
/// Fresh databases in the short form.
const FEW_ROUNDS: u32 = 2;

pub(crate) fn rounds_from_args(args: &mut pico_args::Arguments) -> anyhow::Result<u32> {
    Ok(args.opt_value_from_str("--rounds")?.unwrap_or(ROUNDS))
}

/// The Worker as it would be deployed.
pub(crate) fn run(rounds: u32) -> anyhow::Result<()> {
    worker::release(&Tools::ready()?)?;
    play(rounds)
}

/// A development build, for a quick look.
pub(crate) fn run_short() -> anyhow::Result<()> {
    worker::development(&Tools::ready()?)?;
    play(FEW_ROUNDS)
}

fn play(rounds: u32) -> anyhow::Result<()> {
    let driver = format!("{NODE_FOLDER}/integration.mjs");
    run_to_success(Command::new("node").args([&driver, worker::BUILD, &rounds.to_string()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rounds_can_be_chosen() {
        let read = |words: &[&str]| {
            let words = words.iter().map(Into::into).collect();
            rounds_from_args(&mut pico_args::Arguments::from_vec(words)).ok()
        };
        assert_eq!(read(&[]), Some(ROUNDS));
        assert_eq!(read(&["--rounds", "3"]), Some(3));
        assert_eq!(read(&["--rounds", "many"]), None);
    }
}
