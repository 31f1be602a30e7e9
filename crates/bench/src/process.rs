//! Programs that run while they are measured.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::SocketAddr,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};

/// A program that answers requests on an address, until it is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    /// Starts a program that says `listening on http://ADDRESS` when it does.
    pub(crate) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let program = command.get_program().display().to_string();
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {program}"))?;
        let said = child.stdout.take().context("a piped output is there")?;
        let mut server = Self { child, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
        let mut lines = BufReader::new(said).lines();
        while let Some(line) = lines.next().transpose()? {
            if let Some(address) = line.strip_prefix("listening on http://") {
                server.address = address.parse().with_context(|| format!("{program} said {line:?}"))?;
                return Ok(server);
            }
        }
        bail!("{program} ended with {} instead of listening", server.child.wait()?)
    }

    /// Takes a program that was told where to listen, and does not say so.
    pub(crate) fn at(child: Child, address: SocketAddr) -> Self {
        Self { child, address }
    }

    /// Where it answers.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Its memory in MB: now, and at its highest.
    pub(crate) fn memory(&self) -> anyhow::Result<[f64; 2]> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let read = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).context("no such line")?;
            let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
            anyhow::Ok(kilobytes / 1_024.0)
        };
        Ok([read("VmRSS:")?, read("VmHWM:")?])
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Asked to, it ends the processes that it has started itself. Whether it had ended
        // before is of no interest.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let _ = self.child.wait();
    }
}

/// Runs a program to its end, and returns what it said. An end without success is an error
/// that says it.
pub(crate) fn output_of(command: &mut Command) -> anyhow::Result<String> {
    let output = command.stdin(Stdio::null()).output();
    let program = command.get_program().display();
    let output = output.with_context(|| format!("cannot start {program}"))?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(
        output.status.success(),
        "{program} ended with {}, and said:\n{said}{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(said)
}

/// The instant, to measure how long something takes.
#[expect(clippy::disallowed_methods, reason = "what is measured is time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Does something, and tells how long it took.
pub(crate) async fn timed<T, E>(work: impl Future<Output = Result<T, E>>) -> Result<(T, Duration), E> {
    let started = now();
    let done = work.await?;
    Ok((done, started.elapsed()))
}
