//! Processes that claim leases at once, and the proof that none was held twice.
//!
//! Every claimant has a name of its own, so each grant of a lease that was released raises
//! its fence by exactly one. Put together, the fences that all claimants were granted are
//! therefore 1 to N, each once. A fence that two of them had, or that nobody had, is a lease
//! that was held twice or was lost, and no figure comes of it.

use std::{
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use fencepost_adapter_sqlite::site_in;
use fencepost_domain::{
    id::OwnerId,
    lease::{DEFAULT_LEASE_MS, Lease, LeaseKey},
};
use fencepost_ports::LeaseStore;
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

use crate::{process::now, stock};

/// Which key each of them wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Wanted {
    Same,
    Different,
}

impl Wanted {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Same => "claims of the same key",
            Self::Different => "claims of different keys",
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Different => "different",
        }
    }

    fn key(self, claimant: u16) -> anyhow::Result<LeaseKey> {
        stock::key(match self {
            Self::Same => 0,
            Self::Different => i64::from(claimant),
        })
    }
}

/// What one claimant is to do.
#[derive(Args, Debug)]
pub(crate) struct ClaimantOptions {
    /// The database
    #[arg(long)]
    database: PathBuf,
    /// Which of several it is
    #[arg(long)]
    number: u16,
    /// Which key it wants
    #[arg(long)]
    wants: Wanted,
    /// For how many milliseconds it claims
    #[arg(long)]
    milliseconds: u64,
}

/// What became of its claims.
#[derive(Debug, Default, Deserialize, Serialize)]
struct Claimed {
    claims: i64,
    /// The fences that it was granted.
    fences: Vec<i64>,
}

/// Says that it is ready, waits for a line, claims for some time, and tells what came of it.
pub(crate) fn claim(options: &ClaimantOptions) -> anyhow::Result<()> {
    let runtime = Runtime::new()?;
    let leases = runtime.block_on(fencepost_adapter_sqlite::open(site_in(&options.database)))?;
    let owner = OwnerId::new(format!("claimant-{}", options.number));
    let key = options.wants.key(options.number)?;
    println!("ready");
    std::io::stdin().lock().read_line(&mut String::new())?;
    let mut claimed = Claimed::default();
    let (started, time) = (now(), Duration::from_millis(options.milliseconds));
    while started.elapsed() < time {
        claimed.claims += 1;
        claimed.fences.extend(runtime.block_on(claim_once(&leases, key, &owner))?);
    }
    println!("{}", serde_json::to_string(&claimed)?);
    Ok(())
}

/// Claims and, if that is granted, releases. Tells the fence.
async fn claim_once(leases: &dyn LeaseStore, key: LeaseKey, owner: &OwnerId) -> anyhow::Result<Option<i64>> {
    let row = leases.claim(key, owner, DEFAULT_LEASE_MS).await?;
    if row.owner != *owner {
        return Ok(None);
    }
    let lease = Lease { key, owner: row.owner, fence: row.fence, expires_at: row.expires_at };
    let left = leases.release(&lease).await?.context("a row of a lease is never deleted")?;
    // Between these two calls, others may have been granted it again, but not before the
    // release: then the fence would have been taken from under its holder.
    ensure!(left.fence == lease.fence && left.owner == lease.owner, "{lease:?} was taken over as {left:?}");
    Ok(Some(lease.fence.get()))
}

/// What became of all claims of a crowd.
#[derive(Clone, Copy, Debug)]
pub(super) struct Met {
    pub(super) claims: i64,
    pub(super) granted: i64,
}

/// Lets so many processes claim at once.
pub(super) fn meet(database: &Path, crowd: usize, wanted: Wanted, time: Duration) -> anyhow::Result<Met> {
    let numbers = (0..).take(crowd);
    let mut claimants: Vec<_> = numbers
        .map(|number| Claimant::start(database, number, wanted, time))
        .collect::<anyhow::Result<_>>()?;
    for claimant in &mut claimants {
        ensure!(claimant.line()?.trim() == "ready", "a claimant is not ready");
    }
    for claimant in &mut claimants {
        claimant.child.stdin.take().context("a piped input is there")?.write_all(b"go\n")?;
    }
    let claimed = claimants.iter_mut().map(|it| Ok(serde_json::from_str(&it.line()?)?));
    let claimed: Vec<Claimed> = claimed.collect::<anyhow::Result<_>>()?;
    match wanted {
        Wanted::Same => check(claimed.iter().flat_map(|it| &it.fences).copied().collect())?,
        Wanted::Different => claimed.iter().try_for_each(|it| check(it.fences.clone()))?,
    }
    for Claimed { fences, .. } in &claimed {
        ensure!(fences.is_sorted(), "a claimant was granted a fence that had fallen: {fences:?}");
    }
    let granted = claimed.iter().map(|it| it.fences.len()).sum::<usize>();
    Ok(Met { claims: claimed.iter().map(|it| it.claims).sum(), granted: granted.try_into()? })
}

/// Makes sure that the fences of one key are 1 to N.
fn check(mut fences: Vec<i64>) -> anyhow::Result<()> {
    fences.sort_unstable();
    ensure!(!fences.is_empty(), "no claim was granted");
    for (expected, fence) in (1..).zip(&fences) {
        ensure!(*fence == expected, "fence {fence} was granted where {expected} has its turn");
    }
    Ok(())
}

/// A process, which is ended when it is dropped.
struct Claimant {
    child: Child,
    said: BufReader<ChildStdout>,
}

impl Claimant {
    fn start(database: &Path, number: u16, wanted: Wanted, time: Duration) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("claim").arg("--database").arg(database).arg("--number").arg(number.to_string());
        command.arg("--wants").arg(wanted.word()).arg("--milliseconds").arg(time.as_millis().to_string());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let said = BufReader::new(child.stdout.take().context("a piped output is there")?);
        Ok(Self { child, said })
    }

    fn line(&mut self) -> anyhow::Result<String> {
        let mut line = String::new();
        ensure!(self.said.read_line(&mut line)? > 0, "a claimant ended with {}", self.child.wait()?);
        Ok(line)
    }
}

impl Drop for Claimant {
    fn drop(&mut self) {
        // It has nothing to save, and mostly has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn a_lease_that_was_held_twice_or_got_lost_is_noticed() {
        assert!(check(vec![2, 1, 3]).is_ok());
        for fences in [vec![1, 2, 2, 3], vec![1, 3], vec![2, 3], vec![]] {
            assert!(check(fences.clone()).is_err(), "{fences:?}");
        }
    }
}
