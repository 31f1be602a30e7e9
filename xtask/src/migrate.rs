//! `cargo xtask migrate`: the tables, on the databases that a developer has.
//!
//! The same files make the same tables in two ways: the server applies them itself, and
//! wrangler applies them to D1. The check holds the two ways against each other, and lets
//! each go on with a database that the other one made.

use std::{
    path::{Path, PathBuf},
    process,
};

use anyhow::{Context, ensure};

use crate::{
    artifacts,
    setup::{NODE_FOLDER, NodePackages},
    steps::run_to_success,
    worker::WRANGLER_TOML,
};

const EXPLANATION: &str = "\
The files in migrations/ make the tables, on every store.

SQLite: the server applies them itself, whenever it opens a database. Nothing is to be done.
D1 on this machine:  cargo xtask migrate --d1-local [--persist-to FOLDER]
D1 on Cloudflare, before the Worker that needs them is deployed:
  xtask/workerd/node_modules/.bin/wrangler d1 migrations apply DB --remote --env production \\
    --config crates/app-worker/wrangler.toml

cargo xtask migrate --check holds the ways against each other.";

/// What to migrate.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Nothing was said: tell what there is.
    Explain,
    /// The database of `wrangler dev`, or that in another folder.
    D1Local { persist_to: Option<PathBuf> },
    /// Empty databases, in both ways.
    Check,
}

impl Command {
    /// A folder is understood from where the command was given, so this comes before the
    /// program goes to the workspace.
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> anyhow::Result<Self> {
        let is_local = args.contains("--d1-local");
        let is_check = args.contains("--check");
        let folder: Option<PathBuf> = args.opt_value_from_str("--persist-to")?;
        ensure!(!(is_local && is_check), "--d1-local and --check are two commands; give one of them");
        ensure!(
            folder.is_none() || is_local,
            "--persist-to says where the database of --d1-local is; give that as well"
        );
        let persist_to = folder.map(std::path::absolute).transpose().context("--persist-to is no folder")?;
        Ok(match (is_local, is_check) {
            (true, _) => Self::D1Local { persist_to },
            (_, true) => Self::Check,
            _ => Self::Explain,
        })
    }

    pub(crate) fn run(&self) -> anyhow::Result<()> {
        match self {
            Self::Explain => {
                println!("{EXPLANATION}");
                Ok(())
            }
            Self::D1Local { persist_to } => {
                let node = NodePackages::ready()?;
                run_to_success(&mut on_d1_local(&node, persist_to.as_deref()))
            }
            Self::Check => check(&artifacts::server("cargo build --package fencepost-app-server")?),
        }
    }
}

/// Applies what is missing to a D1 database on this machine, and asks nothing.
pub(crate) fn on_d1_local(node: &NodePackages, persist_to: Option<&Path>) -> process::Command {
    let mut command = node.wrangler();
    command.args(["d1", "migrations", "apply", "DB", "--local", "--config", WRANGLER_TOML]).env("CI", "1");
    if let Some(folder) = persist_to {
        command.arg("--persist-to").arg(folder);
    }
    command.stdin(process::Stdio::null());
    command
}

/// Makes a database in each way, compares them, and lets each go on with the other's.
pub(crate) fn check(server: &Path) -> anyhow::Result<()> {
    NodePackages::ready()?;
    let driver = format!("{NODE_FOLDER}/migrations_check.mjs");
    run_to_success(process::Command::new("node").args([&driver, WRANGLER_TOML]).arg(server))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> anyhow::Result<Command> {
        let words = words.iter().map(Into::into).collect();
        Command::from_args(&mut pico_args::Arguments::from_vec(words))
    }

    #[test]
    fn without_a_flag_it_explains() {
        assert_eq!(read(&[]).unwrap(), Command::Explain);
        assert!(EXPLANATION.contains(WRANGLER_TOML));
    }

    #[test]
    fn the_local_database_can_be_kept_elsewhere() {
        assert_eq!(read(&["--d1-local"]).unwrap(), Command::D1Local { persist_to: None });
        let elsewhere = Command::D1Local { persist_to: Some(PathBuf::from("/elsewhere")) };
        assert_eq!(read(&["--d1-local", "--persist-to", "/elsewhere"]).unwrap(), elsewhere);
        let Command::D1Local { persist_to: Some(folder) } =
            read(&["--persist-to", "here", "--d1-local"]).unwrap()
        else {
            panic!("no folder");
        };
        assert!(folder.is_absolute() && folder.ends_with("here"), "{}", folder.display());
    }

    #[test]
    fn flags_that_mean_nothing_together_are_refused() {
        assert_eq!(read(&["--check"]).unwrap(), Command::Check);
        assert!(read(&["--check", "--d1-local"]).unwrap_err().to_string().contains("one of them"));
        assert!(read(&["--persist-to", "x"]).unwrap_err().to_string().contains("--d1-local"));
        assert!(read(&["--d1-local", "--persist-to"]).is_err());
    }
}
