//! Photos from a table.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use async_trait::async_trait;
use fencepost_domain::image::{FailureKind, FetchFailure};

use crate::{FetchError, FetchedImage, ImageSource};

/// Photos from a table of addresses. Counts the fetches: a photo is to be fetched once,
/// however many workers want it.
#[derive(Debug, Default)]
pub struct TableImages(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    results: BTreeMap<String, Result<FetchedImage, FetchFailure>>,
    fetches: BTreeMap<String, u32>,
}

impl TableImages {
    /// A table in which every address is permanently unknown.
    pub fn new() -> Self {
        Self::default()
    }

    /// Says how every fetch of `url` ends from now on.
    pub fn set(&self, url: impl Into<String>, result: Result<FetchedImage, FetchFailure>) {
        self.table().results.insert(url.into(), result);
    }

    /// How often `url` was fetched, whatever came of it.
    pub fn fetches(&self, url: &str) -> u32 {
        self.table().fetches.get(url).copied().unwrap_or(0)
    }

    /// How often anything was fetched.
    pub fn total_fetches(&self) -> u32 {
        self.table().fetches.values().sum()
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[async_trait]
impl ImageSource for TableImages {
    async fn fetch(&self, url: &str) -> Result<FetchedImage, FetchError> {
        let mut table = self.table();
        *table.fetches.entry(url.to_owned()).or_default() += 1;
        let result = table.results.get(url).cloned().unwrap_or_else(|| {
            Err(FetchFailure {
                kind: FailureKind::Permanent,
                message: format!("{url} is not in the table of images"),
            })
        });
        Ok(result?)
    }
}
