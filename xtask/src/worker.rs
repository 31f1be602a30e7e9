//! `cargo xtask worker`: the Worker is built, deployed, and tried on this machine.

mod build;
pub(crate) use build::{BUILD, development, release};

mod config;
pub(crate) use config::WRANGLER_TOML;

mod deploy;

mod dev;

use anyhow::bail;

/// What to do with the Worker.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Build,
    Deploy(deploy::Options),
    Dev(dev::Options),
}

impl Command {
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> anyhow::Result<Self> {
        match args.subcommand()?.as_deref() {
            Some("build") => Ok(Self::Build),
            Some("deploy") => deploy::Options::from_args(args).map(Self::Deploy),
            Some("dev") => dev::Options::from_args(args).map(Self::Dev),
            Some(unknown) => bail!("a Worker cannot {unknown:?}: write worker build, deploy or dev"),
            None => bail!("say what to do with the Worker: worker build, deploy or dev"),
        }
    }

    pub(crate) fn run(&self) -> anyhow::Result<()> {
        match self {
            Self::Build => build::run(),
            Self::Deploy(options) => deploy::run(options),
            Self::Dev(options) => dev::run(options),
        }
    }
}

/// What would be deployed, for every environment.
pub(crate) fn deploy_dry_run() -> anyhow::Result<()> {
    deploy::run(&deploy::Options::dry_run_everywhere())
}

/// The site on this machine, looked at and ended.
pub(crate) fn check_dev() -> anyhow::Result<()> {
    dev::check()
}

/// A site on this machine, made ready in a fresh folder, by the arguments of `dev.mjs`.
pub(crate) fn fresh_dev(state: &str) -> anyhow::Result<[String; 4]> {
    dev::fresh(state)
}
