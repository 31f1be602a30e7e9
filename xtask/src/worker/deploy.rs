//! `cargo xtask worker deploy`: to Cloudflare, or as far as that goes without an account.
//!
//! wrangler reads its file, bundles the Worker and says what it would upload. All of this
//! needs neither an account nor a network, so a file that wrangler does not take is found
//! here and by every run of the tests, instead of on the evening of a release.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, anyhow, bail, ensure};

use crate::{
    setup::Tools,
    steps::{output_of, run_to_success},
};

use super::{
    build::{self, IS_BUILT},
    config::{Config, WRANGLER_TOML},
};

/// How wrangler names the environment without a name, which is that of `wrangler dev`.
const UNNAMED: &str = "";

/// Where to, and whether really.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// `None` for all environments, which only a dry run can be about.
    environment: Option<String>,
    is_dry: bool,
}

impl Options {
    pub(crate) fn from_args(args: &mut pico_args::Arguments) -> anyhow::Result<Self> {
        let is_dry = args.contains("--dry-run");
        let environment: Option<String> = args.opt_value_from_str("--env")?;
        ensure!(
            is_dry || environment.is_some(),
            "say where to: worker deploy --env staging, or --env production. \
             To see what would be uploaded, and upload nothing, add --dry-run"
        );
        Ok(Self { environment, is_dry })
    }

    pub(crate) const fn dry_run_everywhere() -> Self {
        Self { environment: None, is_dry: true }
    }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let file = fs::read_to_string(WRANGLER_TOML).with_context(|| format!("cannot read {WRANGLER_TOML}"))?;
    let config = Config::parse(&file)?;
    if let Some(name) = &options.environment {
        config.require(name)?;
        if !options.is_dry {
            refuse_gaps(name, &config.gaps(name))?;
        }
    }
    let tools = Tools::ready()?;
    build::release(&tools)?;
    let environments = match &options.environment {
        Some(name) => vec![name.as_str()],
        None => {
            dry_run(&tools, UNNAMED)?;
            config.environments()
        }
    };
    for name in environments {
        dry_run(&tools, name)?;
        for gap in config.gaps(name) {
            println!("  to be completed before {name} is deployed: {gap}");
        }
    }
    match &options.environment {
        Some(name) if !options.is_dry => run_to_success(&mut wrangler_deploy(&tools, name)),
        _ => Ok(()),
    }
}

fn refuse_gaps(environment: &str, gaps: &[String]) -> anyhow::Result<()> {
    if gaps.is_empty() {
        return Ok(());
    }
    bail!(
        "{environment} cannot be deployed yet. Complete {WRANGLER_TOML}, whose lines marked PERSON say how:\n  - {}",
        gaps.join("\n  - ")
    )
}

/// wrangler's own command. What it would have to build first has been built.
fn wrangler_deploy(tools: &Tools, environment: &str) -> Command {
    let mut command = tools.node.wrangler();
    command.arg("deploy").args(["--config", WRANGLER_TOML, "--env", environment]).env(IS_BUILT, "1");
    command
}

/// Fails unless wrangler takes file and Worker without a word of warning.
fn dry_run(tools: &Tools, environment: &str) -> anyhow::Result<()> {
    let shown = if environment == UNNAMED { "development" } else { environment };
    // wrangler would take it as seen from its file.
    let bundle = std::path::absolute(Path::new("target/wrangler").join(shown))?;
    if bundle.exists() {
        fs::remove_dir_all(&bundle).with_context(|| format!("cannot remove {}", bundle.display()))?;
    }
    let mut command = wrangler_deploy(tools, environment);
    command.arg("--dry-run").arg("--outdir").arg(&bundle);
    let said = output_of(command.env("CI", "1"))
        .with_context(|| format!("wrangler does not take the Worker for {shown}"))?;
    let upload = accepted(&said).map_err(|problem| anyhow!("{problem}, for {shown}. It said:\n{said}"))?;
    for suffix in [".js", ".wasm"] {
        ensure!(has_file(&bundle, suffix)?, "wrangler's bundle in {} has no {suffix} file", bundle.display());
    }
    println!("{shown}: wrangler accepts it. {upload}");
    Ok(())
}

/// What would be uploaded, by wrangler's own words; an error if it warns.
fn accepted(said: &str) -> anyhow::Result<&str> {
    ensure!(!said.contains("WARNING"), "wrangler warns of something; correct {WRANGLER_TOML}");
    said.lines()
        .find(|line| line.starts_with("Total Upload"))
        .context("wrangler does not say what it would upload")
}

fn has_file(folder: &Path, suffix: &str) -> anyhow::Result<bool> {
    let entries = folder.read_dir().with_context(|| format!("cannot read {}", folder.display()))?;
    let names: Vec<_> =
        entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<Result<_, _>>()?;
    Ok(names.iter().any(|name| name.to_string_lossy().ends_with(suffix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> anyhow::Result<Options> {
        let words = words.iter().map(Into::into).collect();
        Options::from_args(&mut pico_args::Arguments::from_vec(words))
    }

    #[test]
    fn only_a_dry_run_needs_no_environment() {
        let options = |environment: Option<&str>, is_dry| Options {
            environment: environment.map(str::to_owned),
            is_dry,
        };
        assert_eq!(read(&["--dry-run"]).unwrap(), options(None, true));
        assert_eq!(read(&["--dry-run", "--env", "staging"]).unwrap(), options(Some("staging"), true));
        assert_eq!(read(&["--env", "production"]).unwrap(), options(Some("production"), false));
        let error = read(&[]).unwrap_err().to_string();
        assert!(error.contains("--env production") && error.contains("--dry-run"), "{error}");
        assert!(read(&["--dry-run", "--env"]).is_err());
    }

    #[test]
    fn gaps_are_listed_with_the_file_that_has_them() {
        assert!(refuse_gaps("production", &[]).is_ok());
        let error = refuse_gaps("production", &["one".to_owned(), "two".to_owned()]).unwrap_err().to_string();
        assert!(error.starts_with("production cannot be deployed yet"), "{error}");
        assert!(error.contains(WRANGLER_TOML) && error.ends_with("\n  - one\n  - two"), "{error}");
    }

    #[test]
    fn a_warning_is_a_refusal() {
        let upload = "Total Upload: 1632.10 KiB / gzip: 560.40 KiB";
        let said = format!("[custom build] …\n{upload}\nYour Worker has access to …\n");
        assert_eq!(accepted(&said).unwrap(), upload);
        assert!(accepted(&format!("▲ [WARNING] Processing wrangler.toml\n{said}")).is_err());
        assert!(accepted("--dry-run: exiting now.").is_err());
    }
}
