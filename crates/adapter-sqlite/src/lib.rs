//! A site on an embedded SQLite: its schema, and its store on whatever runs plans there.
//!
//! How a batch is run, and by how many at once, is [`fencepost_sqlite`]'s business.

use std::path::{Path, PathBuf};

use fencepost_plan_store::PlanStore;
pub use fencepost_plan_store::StoreClock;
pub use fencepost_sqlite::{Durability, FileForm, OpenError, SqliteOptions};
use fencepost_sqlite::{Migration, SqliteRunner};

mod revisions;
pub use revisions::SqliteRevisions;

/// A site's store in an SQLite file.
pub type SqliteStore = PlanStore<SqliteRunner>;

/// Every migration, in order. A test holds this list against the folder.
pub const MIGRATIONS: &[Migration] = &[
    Migration { name: "0001_publication.sql", sql: include_str!("../../../migrations/0001_publication.sql") },
    Migration { name: "0002_visibility.sql", sql: include_str!("../../../migrations/0002_visibility.sql") },
    Migration {
        name: "0003_daily_results.sql",
        sql: include_str!("../../../migrations/0003_daily_results.sql"),
    },
    Migration {
        name: "0004_result_tallies.sql",
        sql: include_str!("../../../migrations/0004_result_tallies.sql"),
    },
    Migration { name: "0005_outbox.sql", sql: include_str!("../../../migrations/0005_outbox.sql") },
    Migration {
        name: "0006_operator_actions.sql",
        sql: include_str!("../../../migrations/0006_operator_actions.sql"),
    },
    Migration {
        name: "0007_alert_episodes.sql",
        sql: include_str!("../../../migrations/0007_alert_episodes.sql"),
    },
    Migration { name: "0008_retention.sql", sql: include_str!("../../../migrations/0008_retention.sql") },
    Migration { name: "0009_builds.sql", sql: include_str!("../../../migrations/0009_builds.sql") },
];

/// A site's database in this file, with the database's own clock, full durability and ten
/// seconds of patience.
pub fn site_in(path: impl Into<PathBuf>) -> SqliteOptions {
    SqliteOptions::new(path, MIGRATIONS)
}

/// Opens a site's database, creates it when it does not exist, and migrates it.
///
/// # Errors
/// A file that is no database, that cannot be written, or that a newer version
/// has migrated.
pub async fn open(options: SqliteOptions) -> Result<SqliteStore, OpenError> {
    SqliteRunner::open(options).await.map(SqliteStore::new)
}

/// Opens a site's database only to be read, and leaves it as it is: a file of SQLite's, or an
/// export of D1's.
///
/// # Errors
/// A file that is neither, or one with other migrations than those of this version.
pub async fn inspect(path: &Path, clock: StoreClock) -> Result<(SqliteStore, FileForm), OpenError> {
    match fencepost_sqlite::inspect(path, clock, MIGRATIONS).await {
        Ok((runner, form)) => Ok((SqliteStore::new(runner), form)),
        Err(OpenError::Lacking { path, lacking, form: form @ FileForm::Database, .. }) => {
            let what_to_do = "migrate a copy of it with `fencepost status --database COPY`, and look at that";
            Err(OpenError::Lacking { path, lacking, form, what_to_do })
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use fencepost_sql::catalog;
    use fencepost_sqlite::STATEMENTS_KEPT;

    use super::MIGRATIONS;

    #[test]
    fn every_statement_stays_prepared() {
        assert!((1..STATEMENTS_KEPT).contains(&catalog::texts().len()));
    }

    #[test]
    fn every_file_of_the_folder_is_applied_in_its_order() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations");
        let names =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name.ends_with(".sql")).collect();
        names.sort();
        assert_eq!(MIGRATIONS.iter().map(|it| it.name).collect::<Vec<_>>(), names);
        assert_eq!(names, fencepost_sql::migrations::NAMES);
    }
}
