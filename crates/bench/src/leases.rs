//! What a claim of a lease costs, alone and in a crowd.
//!
//! Alone, it is measured beside the statement that decides it: the upsert, by
//! [SQLite's own interface](crate::bare), as a transaction of its own. What the port does
//! besides is to begin and end a transaction around it, and to read the row that stands
//! afterwards, without which nobody can know that the claim was granted.
//!
//! In a crowd, several processes claim at once, on one file. Where they want different keys,
//! they wait for each other's writes alone. Where they want the same, whoever was granted it
//! releases it at once, and the others are refused meanwhile. [`claimants`] sees to it that
//! nobody held it at the same time as somebody else.

mod claimants;
pub(crate) use claimants::{ClaimantOptions, claim};

use std::time::Duration;

use anyhow::ensure;
use fencepost_domain::{
    id::{Fence, OwnerId},
    lease::{DEFAULT_LEASE_MS, Lease, LeaseKey},
    time::UnixMillis,
};
use fencepost_ports::{LeaseStore, StoreCounts};
use fencepost_sql::{Statement, lease_store as plan};
use tokio::runtime::Runtime;

use crate::{
    bare::Bare,
    figures::{Form, Samples, per_second},
    process::now,
    stock::{self, Extent, LEVELS, Stock},
};
use claimants::Wanted;

/// How many claims a round has.
const CLAIMS: i64 = 100;
/// How many processes claim at once.
const CROWDS: [usize; 3] = [1, 2, 8];

/// Measures all cases.
pub(crate) fn measure(form: &Form) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let runtime = Runtime::new()?;
    let stock = runtime.block_on(Stock::plant(folder.path(), 10, Extent::Ledger))?;
    let mut stands = Vec::new();
    for (durability, level) in LEVELS {
        let store = runtime.block_on(stock.store(durability, &StoreCounts::default()))?;
        stands.push((level, store, stock.bare(durability)?));
    }
    let mut samples = Samples::default();
    let rounds = form.choose(2, 40);
    for round in 1..=rounds {
        println!("round {round} of {rounds}");
        for (level, store, bare) in &stands {
            let bare = bare.runner();
            let mut add = |case: &str, subject, took| {
                samples.add(&format!("{case}, {level}"), subject, "claims/s", per_second(CLAIMS, took));
            };
            stock.restore()?;
            add("claim and release, new keys", "fencepost", runtime.block_on(new_keys(store.as_ref()))?);
            stock.restore()?;
            add("claim and release, new keys", "raw SQLite", bare_new_keys(bare)?);
            let again =
                runtime.block_on(granted(store.as_ref(), stock::key(CLAIMS - 1)?, DEFAULT_LEASE_MS))?;
            ensure!(again.fence == Fence::FIRST.next(), "the last of the keys was not claimed: {again:?}");
            stock.restore()?;
            add("claim again, one key", "fencepost", runtime.block_on(one_key(store.as_ref()))?);
            stock.restore()?;
            add("claim again, one key", "raw SQLite", bare_one_key(bare)?);
        }
    }
    drop(stands);
    let time = form.choose(Duration::from_millis(200), Duration::from_millis(1_500));
    for round in 1..=form.choose(1, 3) {
        println!("crowds, round {round}");
        for crowd in CROWDS {
            for wanted in [Wanted::Same, Wanted::Different] {
                stock.restore()?;
                let met = claimants::meet(stock.path(), crowd, wanted, time)?;
                let case = format!("{}, {crowd} at once", wanted.words());
                samples.add(&case, "fencepost", "claims/s", per_second(met.claims, time));
                samples.add(&case, "fencepost", "granted/s", per_second(met.granted, time));
            }
        }
    }
    samples.into_part("leases").write(&form.output)
}

fn owner() -> OwnerId {
    OwnerId::new("bench")
}

/// For how long it is claimed the next time. SQLite writes nothing if a row comes out as it
/// was, and within the same millisecond a claim that is repeated as it is would.
const fn longer(nth: i64) -> i64 {
    DEFAULT_LEASE_MS + nth * 1_000
}

async fn granted(leases: &dyn LeaseStore, key: LeaseKey, ttl_ms: i64) -> anyhow::Result<Lease> {
    let row = leases.claim(key, &owner(), ttl_ms).await?;
    ensure!(row.owner == owner(), "{key} is in the hands of {}", row.owner);
    Ok(Lease { key, owner: row.owner, fence: row.fence, expires_at: row.expires_at })
}

async fn new_keys(leases: &dyn LeaseStore) -> anyhow::Result<Duration> {
    let keys: Vec<_> = (0..CLAIMS).map(stock::key).collect::<anyhow::Result<_>>()?;
    let started = now();
    for key in keys {
        let lease = granted(leases, key, DEFAULT_LEASE_MS).await?;
        leases.release(&lease).await?;
    }
    Ok(started.elapsed())
}

async fn one_key(leases: &dyn LeaseStore) -> anyhow::Result<Duration> {
    let key = stock::key(0)?;
    let started = now();
    for nth in 0..CLAIMS {
        granted(leases, key, longer(nth)).await?;
    }
    Ok(started.elapsed())
}

/// What a claim writes by, without its read-back.
fn claims(key: LeaseKey, ttl_ms: i64) -> Vec<Statement> {
    plan::claim(&key, &owner(), ttl_ms).writes
}

fn bare_new_keys(bare: &Bare) -> anyhow::Result<Duration> {
    let mut statements = Vec::new();
    for key in (0..CLAIMS).map(stock::key) {
        let key = key?;
        statements.extend(claims(key, DEFAULT_LEASE_MS));
        let lease = Lease { key, owner: owner(), fence: Fence::FIRST, expires_at: UnixMillis::new(0) };
        statements.extend(plan::release(&lease).writes);
    }
    run(bare, &statements)
}

fn bare_one_key(bare: &Bare) -> anyhow::Result<Duration> {
    let key = stock::key(0)?;
    let statements: Vec<_> = (0..CLAIMS).flat_map(|nth| claims(key, longer(nth))).collect();
    run(bare, &statements)
}

fn run(bare: &Bare, statements: &[Statement]) -> anyhow::Result<Duration> {
    let started = now();
    for statement in statements {
        bare.execute(statement)?;
    }
    Ok(started.elapsed())
}
