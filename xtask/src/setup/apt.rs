//! What the machine's own package manager can bring.
//!
//! Nothing is installed but by root, for whom that is no question: a container of a CI.

use std::{env, ffi::OsStr, path::PathBuf, process::Command};

use anyhow::{anyhow, ensure};

use crate::steps::{CommandLine, output_of, run_to_success};

/// Installs a package of Debian. `missing` says what there is not, and `advice` what to do if
/// this cannot do it. Nobody is asked, since nobody may be there.
pub(super) fn install(package: &str, missing: &str, advice: &str) -> anyhow::Result<()> {
    let path = env::var_os("PATH").unwrap_or_default();
    ensure!(is_root() && on_path("apt-get", &path).is_some(), "{missing}\n{advice}");
    println!("installing {package} by apt-get");
    let line = CommandLine::new(&format!("apt-get install --yes --quiet --no-install-recommends {package}"));
    CommandLine::new("apt-get update --quiet")
        .run()
        .and_then(|()| run_to_success(&mut line.variable("DEBIAN_FRONTEND", "noninteractive").to_command()))
        .map_err(|error| anyhow!("{error:#}\n{advice}"))
}

/// Where a program of this name stands on a path.
pub(super) fn on_path(name: &str, path: &OsStr) -> Option<PathBuf> {
    env::split_paths(path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

fn is_root() -> bool {
    output_of(Command::new("id").arg("-u")).is_ok_and(|id| id.trim() == "0")
}
