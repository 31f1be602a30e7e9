//! What cargo has built, by its own account.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::Stdio,
};

use anyhow::{Context, ensure};
use cargo_metadata::Message;

use crate::steps::CommandLine;

/// The name of the server's program.
pub(crate) const SERVER: &str = "fencepost";

/// A program that cargo built.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Executable {
    pub(crate) path: PathBuf,
    /// The folder of its package.
    pub(crate) folder: PathBuf,
    /// The target's name.
    pub(crate) name: String,
    pub(crate) is_test: bool,
}

/// Runs a command of cargo, and tells which programs it built or found built.
pub(crate) fn executables(line: &str) -> anyhow::Result<Vec<Executable>> {
    let mut build = CommandLine::new(&format!("{line} --message-format=json"))
        .to_command()
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start cargo")?;
    let messages = build.stdout.take().context("cargo has no output")?;
    let executables = read(BufReader::new(messages));
    let status = build.wait()?;
    ensure!(status.success(), "cargo ended with {status}");
    executables
}

/// The server's program, as a command of cargo builds it.
pub(crate) fn server(line: &str) -> anyhow::Result<PathBuf> {
    let server = executables(line)?.into_iter().find(|it| it.name == SERVER && !it.is_test);
    server.map(|it| it.path).with_context(|| format!("`{line}` builds no {SERVER}"))
}

/// The programs among what cargo says that it built.
fn read(messages: impl BufRead) -> anyhow::Result<Vec<Executable>> {
    let mut executables = Vec::new();
    for message in Message::parse_stream(messages) {
        let Message::CompilerArtifact(artifact) = message? else { continue };
        let Some(path) = artifact.executable else { continue };
        executables.push(Executable {
            path: path.into(),
            folder: artifact.manifest_path.parent().context("a manifest stands in a folder")?.into(),
            name: artifact.target.name,
            is_test: artifact.profile.test,
        });
    }
    Ok(executables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_in_what_cargo_says() {
        let artifact = |name: &str, executable: &str, is_test: bool| {
            format!(
                "{{\"reason\":\"compiler-artifact\",\"package_id\":\"path+file:///w/crates/app-server#0.1.0\",\
                 \"manifest_path\":\"/w/crates/app-server/Cargo.toml\",\
                 \"target\":{{\"kind\":[\"test\"],\"crate_types\":[\"bin\"],\"name\":\"{name}\",\
                 \"src_path\":\"/w/crates/app-server/src/main.rs\",\"edition\":\"2024\",\"doc\":false,\
                 \"doctest\":false,\"test\":true}},\
                 \"profile\":{{\"opt_level\":\"0\",\"debuginfo\":\"line-tables-only\",\"debug_assertions\":true,\
                 \"overflow_checks\":true,\"test\":{is_test}}},\
                 \"features\":[],\"filenames\":[],\"executable\":{executable},\"fresh\":true}}\n"
            )
        };
        let messages = [
            artifact("it", "\"/w/target/it-1\"", true),
            artifact("fencepost_domain", "null", false),
            artifact("fencepost", "\"/w/target/fencepost\"", false),
            "{\"reason\":\"build-finished\",\"success\":true}\n".to_owned(),
        ];
        let found = |name: &str, path: &str, is_test| Executable {
            path: PathBuf::from(path),
            folder: PathBuf::from("/w/crates/app-server"),
            name: name.to_owned(),
            is_test,
        };
        assert_eq!(
            read(messages.concat().as_bytes()).unwrap(),
            [found("it", "/w/target/it-1", true), found("fencepost", "/w/target/fencepost", false)]
        );
    }
}
