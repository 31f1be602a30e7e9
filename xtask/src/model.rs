//! `cargo xtask model`: every state of the protocol's model.
//!
//! The tests of the model go through closer bounds. Here it goes through all it can reach,
//! and shows the shortest way to each promise that breaks without one of its rules.

use crate::steps::CommandLine;

pub(crate) fn run() -> anyhow::Result<()> {
    CommandLine::new("cargo run --release -q -p fencepost-protocol-model").run()
}
