//! Time and revision, read where they are asked for.

use std::sync::Arc;

use async_trait::async_trait;
use fencepost_domain::revision::SiteMoment;
use fencepost_ports::{RevisionSource, StoreError};
use fencepost_sql::revision_source;
use fencepost_sqlite::{PromptReader, SqliteOptions};

use crate::SqliteStore;

/// Time and revision of a store, on a connection without a thread: see [`PromptReader`].
pub struct SqliteRevisions {
    reader: PromptReader,
    store: Arc<SqliteStore>,
}

impl SqliteRevisions {
    /// A further connection to a store that `options` have opened.
    ///
    /// # Errors
    /// A file that cannot be opened once more.
    pub fn open(options: &SqliteOptions, store: Arc<SqliteStore>) -> Result<Self, StoreError> {
        Ok(Self { reader: PromptReader::open(options)?, store })
    }
}

#[async_trait]
impl RevisionSource for SqliteRevisions {
    async fn moment(&self) -> Result<SiteMoment, StoreError> {
        match self.reader.at_once(&revision_source::moment()) {
            Some(moment) => Ok(moment),
            None => self.store.moment().await,
        }
    }
}
