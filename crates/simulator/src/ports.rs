//! The ports of a simulated worker: each call travels, and may fare ill on the way.

use std::sync::Arc;

use async_trait::async_trait;
use fencepost_domain::{
    cache_key::CacheKey,
    id::CommitToken,
    image::{FailureKind, FetchFailure, ImageFormat, ImageKey},
};
use fencepost_plan_store::{PlanRunner, not_raised, raised};
use fencepost_ports::{
    Blob, BlobError, BlobStore, Budget, CacheEntry, CacheError, EdgeCache, FetchError, FetchedImage,
    ImageSource, PutOutcome, StoreError, Timer, TokenSource,
};
use fencepost_sql::{Batch, FailingBatch, Query};
use sha2::{Digest, Sha256};

use crate::{
    database::{Call, Rows},
    fault::Fault,
    mutants::Policy,
    oracle::Rule,
    world::{Happening, Sim},
};

/// The way to the database.
#[derive(Clone)]
pub(crate) struct Network {
    pub(crate) sim: Sim,
}

impl Network {
    async fn ask(&self, call: Call) -> Result<Rows, StoreError> {
        if let Some(remembered) = self.sim.world().remembered(&call) {
            return Ok(remembered);
        }
        let name = call.name();
        let passage = self.sim.world().send(call);
        self.sim.until(passage.back_at).await;
        let answer = match passage.answered {
            Some(number) => self.sim.world().collect(number),
            None => Err(StoreError::unknown("Network connection lost.")),
        };
        self.sim.world().answered(name, &answer);
        answer
    }
}

#[async_trait]
impl PlanRunner for Network {
    async fn batch<T: Send>(&self, batch: Batch<T>) -> Result<Vec<T>, StoreError> {
        let Batch { writes, readback } = batch;
        let rows = self.ask(Call { writes, read: readback.statement.clone(), raises: false }).await?;
        decode(&rows, &readback)
    }

    async fn read<T: Send>(&self, query: Query<T>) -> Result<Vec<T>, StoreError> {
        let read = query.statement.clone();
        let rows = self.ask(Call { writes: Vec::new(), read, raises: false }).await?;
        decode(&rows, &query)
    }

    async fn rehearse<T: Send>(&self, batch: FailingBatch<T>) -> Result<T, StoreError> {
        undone(&batch, self.ask(failing(&batch)).await)
    }
}

/// The call of a batch that fails.
pub(crate) fn failing<T>(batch: &FailingBatch<T>) -> Call {
    Call { writes: batch.writes.clone(), read: batch.raise.clone(), raises: true }
}

/// What such a call told.
pub(crate) fn undone<T>(batch: &FailingBatch<T>, answer: Result<Rows, StoreError>) -> Result<T, StoreError> {
    match answer {
        Ok(_) => Err(not_raised(batch, true)),
        Err(error) => raised(batch, error),
    }
}

pub(crate) fn decode<T>(rows: &Rows, query: &Query<T>) -> Result<Vec<T>, StoreError> {
    rows.iter()
        .map(|row| query.decode(&row))
        .collect::<Result<_, _>>()
        .map_err(|error| StoreError::corrupt(error.column(), error.problem()))
}

/// Names that count, and tell whose they are.
pub(crate) struct Names {
    pub(crate) sim: Sim,
}

impl TokenSource for Names {
    fn draw(&self) -> String {
        let mut world = self.sim.world();
        let number = world.current;
        let actor = world.actor();
        actor.drawn += 1;
        format!("{number}-{}", actor.drawn)
    }

    fn commit_token(&self) -> CommitToken {
        let unanswered = {
            let mut world = self.sim.world();
            let repeats = world.mutant.policy == Policy::SameToken;
            world.actor().unanswered.clone().filter(|_| repeats)
        };
        let token = unanswered.unwrap_or_else(|| self.draw());
        self.sim.world().actor().token = Some(token.clone());
        CommitToken::new(token)
    }
}

/// Waiting between two attempts.
pub(crate) struct Pauses {
    pub(crate) sim: Sim,
}

#[async_trait]
impl Timer for Pauses {
    async fn sleep(&self, ms: u64) {
        self.sim.pass(i64::try_from(ms).unwrap_or(i64::MAX)).await;
    }
}

/// Where photos come from: the bytes tell the address, and how often they were changed.
pub(crate) struct Host {
    pub(crate) sim: Sim,
    pub(crate) budget: Budget,
}

#[async_trait]
impl ImageSource for Host {
    async fn fetch(&self, url: &str) -> Result<FetchedImage, FetchError> {
        self.budget.spend(1)?;
        let back_at = {
            let mut world = self.sim.world();
            let (usual, slow) = (world.dice().between(20, 400), world.dice().between(10_000, 400_000));
            world.now + if world.strikes(Fault::PhotoSlow) { slow } else { usual }
        };
        self.sim.until(back_at).await;
        let mut world = self.sim.world();
        let failure = |kind, message: &str| FetchFailure { kind, message: message.to_owned() };
        if world.strikes(Fault::PhotoFails) {
            return Err(failure(FailureKind::Passing, "the host answered 503").into());
        }
        if world.strikes(Fault::PhotoRefused) {
            return Err(failure(FailureKind::Permanent, "the host answered 404").into());
        }
        let changed = world.dice().between(1, 3);
        let version = if world.strikes(Fault::PhotoChanges) { changed } else { 0 };
        let bytes = [&[0xFF, 0xD8, 0xFF][..], format!("{url} version {version}").as_bytes()].concat();
        Ok(FetchedImage { bytes, format: ImageFormat::Jpeg })
    }
}

/// Where photos are kept.
pub(crate) struct Photos {
    pub(crate) sim: Sim,
    pub(crate) budget: Budget,
}

impl Photos {
    async fn travel(&self) -> Result<(), BlobError> {
        self.budget.spend(1)?;
        let ms = self.sim.world().dice().between(5, 60);
        self.sim.pass(ms).await;
        Ok(())
    }
}

fn failed(what: &str) -> BlobError {
    BlobError::Failed(what.to_owned())
}

#[async_trait]
impl BlobStore for Photos {
    async fn put(&self, key: &ImageKey, bytes: Vec<u8>) -> Result<PutOutcome, BlobError> {
        self.travel().await?;
        let mut world = self.sim.world();
        if world.strikes(Fault::BlobLost) {
            return Err(failed("the put was lost"));
        }
        let is_there = world.blobs.contains_key(key);
        let named_rightly = *key == ImageKey::new(Sha256::digest(&bytes).into(), ImageFormat::Jpeg);
        let overwrites = matches!(world.mutant.policy, Policy::BlobsOverwrite);
        let stores = (!is_there || overwrites) && world.mutant.policy != Policy::PhotoNotStored;
        let world = &mut *world;
        let right = named_rightly && !(is_there && stores);
        world.oracle.check(Rule::StoredOnce, &mut world.stats, right, || format!("{key} was stored again"));
        if stores {
            world.blobs.insert(key.clone(), bytes);
            world.note(|| format!("stored {key}"));
        }
        if world.strikes(Fault::BlobAnswerLost) {
            return Err(failed("the answer was lost"));
        }
        Ok(if is_there { PutOutcome::AlreadyThere } else { PutOutcome::Stored })
    }

    async fn get(&self, key: &ImageKey) -> Result<Option<Blob>, BlobError> {
        self.travel().await?;
        let mut world = self.sim.world();
        if world.strikes(Fault::BlobUnreadable) {
            return Err(failed("the bucket answered 503"));
        }
        Ok(world.blobs.get(key).map(|bytes| Blob { bytes: bytes.clone() }))
    }

    async fn exists(&self, key: &ImageKey) -> Result<bool, BlobError> {
        self.travel().await?;
        Ok(self.sim.world().blobs.contains_key(key))
    }

    async fn probe(&self) -> Result<(), BlobError> {
        self.travel().await
    }
}

/// The cache of a data centre. It forgets nothing, whatever lifetime it is told.
pub(crate) struct Centre {
    pub(crate) sim: Sim,
    pub(crate) number: usize,
    pub(crate) budget: Budget,
}

#[async_trait]
impl EdgeCache for Centre {
    async fn get(&self, key: &CacheKey) -> Result<Option<CacheEntry>, CacheError> {
        self.budget.spend(1).map_err(|error| CacheError(error.to_string()))?;
        let ms = self.sim.world().dice().between(0, 3);
        self.sim.pass(ms).await;
        let mut world = self.sim.world();
        if world.strikes(Fault::CacheFails) {
            return Err(CacheError("the cache did not answer".to_owned()));
        }
        let policy = world.mutant.policy;
        world.actor().asked = Some(key.clone());
        let confused = world.strikes(Fault::CacheConfused);
        let cache = &world.caches[self.number];
        let entry = match cache.get(&policy.cache_name(key)) {
            _ if confused => cache.values().next(),
            entry => entry,
        };
        let entry = entry.cloned();
        world.stats.cache_reads += 1;
        world.stats.cache_hits += u64::from(entry.is_some());
        Ok(entry.map(|entry| policy.as_read(&entry, key)))
    }

    async fn put(&self, entry: &CacheEntry, _: i64) -> Result<(), CacheError> {
        self.budget.spend(1).map_err(|error| CacheError(error.to_string()))?;
        let ms = self.sim.world().dice().between(0, 3);
        self.sim.pass(ms).await;
        let mut world = self.sim.world();
        if world.strikes(Fault::CachePutDropped) {
            return Ok(());
        }
        let delay = world.dice().between(1_000, 900_000);
        let arrives = world.now + if world.strikes(Fault::CachePutDelayed) { delay } else { 0 };
        let centres = world.caches.len();
        let asked = world.actor().asked.clone();
        let key = match (world.mutant.policy, asked) {
            (Policy::KeptUnderRequest, Some(asked)) => asked,
            (policy, _) => policy.cache_name(&entry.key),
        };
        let entry = Arc::new(entry.clone());
        if world.strikes(Fault::CachePutMisdelivered) {
            let other = (self.number + 1) % centres;
            world
                .schedule(arrives, Happening::Keep { centre: other, key: key.clone(), entry: entry.clone() });
        }
        world.schedule(arrives, Happening::Keep { centre: self.number, key, entry });
        Ok(())
    }
}
