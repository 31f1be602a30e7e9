//! Whether a site that was just made works, far from the workspace: outside of its folder, so
//! that no setting of it reaches there.

use std::{
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context;

use crate::{
    setup::{NODE_FOLDER, Tools},
    steps::{output_of, run_to_success},
};

use super::make;

/// Where it is built: what it has in common with the one before it need not be built again.
const TARGET: &str = "target/new-site";

pub(super) fn run(checkout: &Path) -> anyhow::Result<()> {
    let tools = Tools::ready()?;
    let folder = folder(checkout);
    remove(&folder)?;
    fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let site = folder.join("my-notices");
    make(checkout, &site)?;

    let target = checkout.join(TARGET);
    let tests = ["test", "--offline", "--quiet"];
    run_to_success(Command::new("cargo").args(tests).current_dir(&site).env("CARGO_TARGET_DIR", &target))?;
    let site_text = site.to_str().context("the folder of temporary files is not UTF-8")?;
    let mut build = tools.worker_build(site_text);
    run_to_success(build.arg("--dev").env("CARGO_TARGET_DIR", &target).env("CARGO_NET_OFFLINE", "true"))?;
    // As its README says: wrangler reads its settings, and takes its tables.
    let tables = ["d1", "migrations", "apply", "DB", "--local"];
    output_of(tools.node.wrangler().args(tables).env("CI", "1").current_dir(&site))?;
    run_to_success(Command::new("node").arg(format!("{NODE_FOLDER}/new_site.mjs")).arg(&site))?;
    remove(&folder)
}

/// A place for one checkout, always the same: cargo builds a crate anew that has moved.
fn folder(checkout: &Path) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    checkout.hash(&mut hasher);
    env::temp_dir().join(format!("fencepost-new-{:016x}", hasher.finish()))
}

fn remove(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}
