//! `POST /admin/api/items/{id}/preview`: a link for somebody who has no token.

use axum::extract::State;
use fencepost_application::{PreviewAddress, PreviewValidity};
use fencepost_domain::{id::PuzzleId, time::UnixMillis};
use serde::{Deserialize, Serialize};

use super::{actor::By, path::Segment};
use crate::{
    config::App,
    json::{JsonAnswer, OptionalJsonBody},
    preview_link,
    problem::Problem,
    spawner::run_to_the_end,
};

/// For how long.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "an object with valid_seconds, or none")]
pub(crate) struct PreviewBody {
    valid_seconds: Option<i64>,
}

/// A link.
#[derive(Debug, Serialize)]
pub(crate) struct PreviewLink {
    /// Absolute, where the site knows its own address; else the path.
    url: String,
    /// From this instant on it leads nowhere.
    expires_at: UnixMillis,
}

/// Makes a link to a preview, and puts on record that it did: whoever asks again gets another.
pub(crate) async fn make(
    State(app): State<App>,
    Segment(puzzle_id): Segment<PuzzleId>,
    By(actor): By,
    OptionalJsonBody(body): OptionalJsonBody<PreviewBody>,
) -> Result<JsonAnswer<PreviewLink>, Problem> {
    let validity = match body.valid_seconds {
        None => PreviewValidity::default(),
        Some(seconds) => PreviewValidity::of_seconds(seconds)
            .ok_or_else(|| Problem::invalid_validity(PreviewValidity::MOST_SECONDS))?,
    };
    let expires_at = app.site.preview_until(puzzle_id, validity).await?;
    let address = PreviewAddress { puzzle_id, photo: None };
    let path = preview_link::link(&app, &address, expires_at).ok_or_else(Problem::no_secret)?;
    let site = app.site.clone();
    let record = async move { site.record_preview(&actor, puzzle_id, expires_at).await };
    run_to_the_end(app.spawner.as_ref(), record).await?;
    let url = app.absolute(&path).unwrap_or(path);
    Ok(JsonAnswer(PreviewLink { url, expires_at }))
}
