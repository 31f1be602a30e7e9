//! The programs that are written in Python, in an environment of their own.
//!
//! It stands below `target`: it is installed in seconds, and holds nothing that anybody would
//! miss. Every package is at the version in `xtask/fuzz/requirements.txt`, and none is built
//! from its sources, for which a machine may lack a compiler.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, anyhow, bail, ensure};

use super::apt;
use crate::steps::{output_of, run_to_success};

/// What is installed.
const REQUIREMENTS: &str = "xtask/fuzz/requirements.txt";

/// Where the environment stands.
const FOLDER: &str = "target/python";

/// The oldest Python that all packages run on.
const OLDEST: (u32, u32) = (3, 11);

/// What to do without Python.
const ADVICE: &str = "The description of the API is tried out by programs in Python. Install Python 3.11 or \
    later with its module `venv`, such as with `sudo apt-get install python3-venv`, so that `python3` is on the PATH.";

/// The folder of the programs, with all of them in it. Says nothing if nothing is missing.
pub(crate) fn python_programs() -> anyhow::Result<PathBuf> {
    let folder = std::path::absolute(FOLDER).context("there is no current folder")?;
    let programs = folder.join("bin");
    let wanted = fs::read(REQUIREMENTS).with_context(|| format!("cannot read {REQUIREMENTS}"))?;
    // The copy is written last, so it is there only after a whole installation.
    let copy = folder.join("installed-requirements.txt");
    if fs::read(&copy).is_ok_and(|installed| installed == wanted) {
        return Ok(programs);
    }
    println!("installing the Python packages of {REQUIREMENTS}: what drives the API by its description");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    environment(&folder)?;
    let mut pip = Command::new(programs.join("python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    pip.args(["--only-binary", ":all:", "--requirement", REQUIREMENTS]);
    run_to_success(&mut pip).map_err(|error| {
        anyhow!(
            "{error:#}\nThe Python packages could not be installed. Check that pip reaches the package index."
        )
    })?;
    fs::write(&copy, wanted).with_context(|| format!("cannot write {}", copy.display()))?;
    Ok(programs)
}

/// Makes an empty environment in `folder`. Debian has Python without what that takes, or no
/// Python at all.
fn environment(folder: &Path) -> anyhow::Result<()> {
    if make(folder).is_err() {
        apt::install("python3-venv", "there is no Python that makes environments", ADVICE)?;
        make(folder).map_err(|error| anyhow!("{error:#}\n{ADVICE}"))?;
    }
    let said = output_of(Command::new(folder.join("bin/python")).arg("--version"))?;
    match version(&said) {
        Some(version) => ensure!(version >= OLDEST, "python3 is {}\n{ADVICE}", said.trim()),
        None => bail!("python3 calls itself {said:?}\n{ADVICE}"),
    }
    Ok(())
}

fn make(folder: &Path) -> anyhow::Result<()> {
    output_of(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder)).map(drop)
}

/// The first two numbers of what Python says of itself, such as `Python 3.11.7`.
fn version(said: &str) -> Option<(u32, u32)> {
    let mut numbers = said.trim().strip_prefix("Python ")?.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_python_is_told_from_a_recent_one() {
        let check = |said: &str, expected: Option<(u32, u32)>| assert_eq!(version(said), expected, "{said}");
        check("Python 3.11.7\n", Some((3, 11)));
        check("Python 3.9.2", Some((3, 9)));
        check("Python 4.0.0a1", Some((4, 0)));
        check("Python", None);
        check("", None);
        assert!((3, 9) < OLDEST && (3, 11) >= OLDEST && (4, 0) >= OLDEST);
    }

    /// pip is told to look for nothing else, so what is not listed is missing.
    #[test]
    fn every_package_has_one_version() {
        let lines = include_str!("../../fuzz/requirements.txt").lines();
        let packages: Vec<_> = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        assert!(packages.len() > 10, "{packages:?}");
        for package in packages {
            let (name, version) = package.split_once("==").unwrap();
            assert!(!name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit()), "{package}");
        }
    }
}
