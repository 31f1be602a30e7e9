//! Plugging the adapters together.

use std::{path::Path, sync::Arc, time::Duration};

use fencepost_adapter_native::{DiskBlobs, FetchPolicy, HttpImages, Reachable, SharedRevisions};
use fencepost_adapter_sqlite::{FileForm, SqliteOptions, SqliteRevisions, SqliteStore, StoreClock, site_in};
use fencepost_application::{Counters, Resolutions, Settings, Site};
use fencepost_core::RandomTokens;
use fencepost_ports::{BlobStore, Budget, NoCache, RevisionSource, Stores};
use fencepost_sqlite::TokioTimer;

use crate::{
    demo::DemoImages,
    failure::Failure,
    late_blobs::LateBlobs,
    options::{CommonOptions, Places},
};

/// How long a write waits for the writers of other processes. It is tried four times, so
/// whoever asked for it is told after some ten seconds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);

/// The application, and the store to be closed at the end.
pub(crate) struct Composed {
    pub(crate) site: Site,
    pub(crate) store: Arc<SqliteStore>,
}

/// Opens a copy of a database, or an export of one, only to look at it: it is left as it is.
pub(crate) async fn inspect(
    options: &CommonOptions,
    file: &Path,
    places: &Places,
) -> Result<(Composed, FileForm), Failure> {
    let (store, form) =
        fencepost_adapter_sqlite::inspect(file, clock(options)).await.map_err(Failure::fault)?;
    let blobs = Arc::new(LateBlobs::new(places.blobs.clone()));
    Ok((around(options, store, Counters::default(), blobs), form))
}

/// Opens the database and the folder of photos, creating both if need be, for a server:
/// what it cannot use, it has to say at its start.
pub(crate) async fn open(options: &CommonOptions, places: &Places) -> Result<Composed, Failure> {
    let blobs = DiskBlobs::open(&places.blobs).map_err(Failure::fault)?;
    compose(options, places, Arc::new(blobs)).await
}

/// Time and revision for whoever answers many requests: on a connection of their own, and
/// read for all who wait for them at once.
pub(crate) fn revisions(
    options: &CommonOptions,
    places: &Places,
    composed: &Composed,
) -> Result<Arc<dyn RevisionSource>, Failure> {
    let options = sqlite_options(options, places, &composed.site.counters);
    let revisions = SqliteRevisions::open(&options, Arc::clone(&composed.store)).map_err(Failure::fault)?;
    Ok(Arc::new(SharedRevisions::new(Arc::new(revisions))))
}

/// Opens the database, creating it if need be, for a command that stores no photo.
pub(crate) async fn open_database(options: &CommonOptions, places: &Places) -> Result<Composed, Failure> {
    compose(options, places, Arc::new(LateBlobs::new(places.blobs.clone()))).await
}

/// Opens a database that has to be there: a slip in its name must not create an empty
/// one, in which everything would be in order. Nor does it create a folder of photos,
/// before there is a photo to store.
pub(crate) async fn open_existing(options: &CommonOptions, places: &Places) -> Result<Composed, Failure> {
    require(&places.database)?;
    open_database(options, places).await
}

async fn compose(
    options: &CommonOptions,
    places: &Places,
    blobs: Arc<dyn BlobStore>,
) -> Result<Composed, Failure> {
    let counters = Counters::default();
    let store = fencepost_adapter_sqlite::open(sqlite_options(options, places, &counters)).await;
    Ok(around(options, store.map_err(Failure::fault)?, counters, blobs))
}

fn sqlite_options(options: &CommonOptions, places: &Places, counters: &Counters) -> SqliteOptions {
    SqliteOptions {
        clock: clock(options),
        durability: options.durability.into(),
        busy_timeout: BUSY_TIMEOUT,
        counts: counters.store().clone(),
        ..site_in(&places.database)
    }
}

fn clock(options: &CommonOptions) -> StoreClock {
    options.test_clock_offset_ms.map_or(StoreClock::Database, StoreClock::ShiftedBy)
}

fn around(
    options: &CommonOptions,
    store: SqliteStore,
    counters: Counters,
    blobs: Arc<dyn BlobStore>,
) -> Composed {
    let store = Arc::new(store);
    let reachable = if options.allow_private_images { Reachable::Everything } else { Reachable::Public };
    let site = Site {
        stores: Stores::of(store.clone()),
        blobs,
        image_source: Arc::new(DemoImages::before(HttpImages::new(FetchPolicy {
            reachable,
            ..FetchPolicy::default()
        }))),
        // A command answers no reader; `serve` brings a cache of its own.
        cache: Arc::new(NoCache),
        tokens: Arc::new(RandomTokens),
        timer: Arc::new(TokioTimer),
        budget: Budget::unlimited(),
        resolutions: Resolutions::default(),
        counters,
        // A command leaves that to the server, which finds what was committed.
        outlet: None,
        settings: Settings {
            instance: options.instance(),
            build: fencepost_adapter_http::BUILD_VERSION.to_owned(),
            grace_ms: options.grace_seconds * 1_000,
            lease_ms: options.lease_seconds * 1_000,
            daily_quota: options.daily_quota,
            keep_days: options.keep_runs_days,
        },
    };
    Composed { site, store }
}

/// Makes sure that there is a database.
pub(crate) fn require(database: &Path) -> Result<(), Failure> {
    if database.is_file() {
        return Ok(());
    }
    Err(Failure::fault(format!(
        "there is no database at {}; name another one with --database, or create it with `fencepost serve` or `fencepost import`",
        database.display()
    )))
}
