//! `/admin/api/export/{export}`: everything taken out again.

use axum::{
    extract::{RawQuery, State},
    response::Response,
};
use fencepost_domain::export::Export;

use super::path::Segment;
use crate::{
    config::App,
    handlers::export::{ROOM, Wanted, file},
    problem::Problem,
};

/// As much of an export as one answer holds.
pub(crate) async fn export(
    State(app): State<App>,
    Segment(export): Segment<Export>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let wanted = Wanted::read_api(query.as_deref())
        .map_err(|(parameter, detail)| Problem::invalid_query(&parameter, detail))?;
    let part = app.site.export(export, wanted.format, wanted.after, ROOM).await?;
    Ok(file(&format!("/admin/api/export/{export}"), export, wanted, part))
}
