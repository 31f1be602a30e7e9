//! `POST /admin/api/puzzles`: import, all rows or none.

use axum::extract::State;
use fencepost_application::RawImport;
use fencepost_ports::ImportReadback;
use serde::Serialize;

use super::actor::By;
use crate::{
    config::App,
    json::{JsonAnswer, JsonBody},
    problem::Problem,
    spawner::run_to_the_end,
};

/// What an import did.
#[derive(Debug, Serialize)]
pub(crate) struct Imported {
    inserted: i64,
    updated: i64,
    unchanged: i64,
    bank_revision: i64,
}

impl From<ImportReadback> for Imported {
    fn from(readback: ImportReadback) -> Self {
        let ImportReadback { inserted, updated, unchanged, bank_revision, refused: _ } = readback;
        Self { inserted, updated, unchanged, bank_revision }
    }
}

/// Imports a file.
pub(crate) async fn import(
    State(app): State<App>,
    By(actor): By,
    JsonBody(file): JsonBody<RawImport>,
) -> Result<JsonAnswer<Imported>, Problem> {
    let rows = file.read(|| ())?;
    let site = app.site.clone();
    let import = async move { site.import_rows(&actor, rows).await };
    Ok(JsonAnswer(run_to_the_end(app.spawner.as_ref(), import).await?.into()))
}
