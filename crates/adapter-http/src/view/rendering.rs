//! From the content of an address to what is sent.

use axum::http::StatusCode;
use fencepost_application::{AnswerPageView, Content, Photo, PlayView, PreviewContent, Rendering, StatsView};
use fencepost_domain::{id::PuzzleId, image::ImageKey, results::DayStats, visibility::LATE_RETRY_MS};
use fencepost_ports::Retry;
use serde::Serialize;

use super::{AnswerPageText, AnswersView, FeedText, GameState, HomeView, Notice, PlayPageText, SitemapText};
use crate::{config::App, problem::Problem};

/// What is sent for this content.
pub(crate) fn render(app: &App, content: Content) -> Rendering {
    match content {
        Content::Home(home) => html(StatusCode::OK, HomeView::new(app, home).html(), true),
        Content::Answers { before, list } => {
            let view = AnswersView::new(app, before, list);
            html(StatusCode::OK, view.html(), view.indexable())
        }
        Content::Answer { puzzle_id, view } => answer(app, puzzle_id, view),
        Content::Stats { puzzle_id, view } => stats(puzzle_id, view),
        Content::Play { puzzle_id, view } => play(app, puzzle_id, view),
        Content::Feed(entries) => {
            for_programs("application/atom+xml; charset=utf-8", FeedText::new(origin(app), entries).xml())
        }
        Content::Sitemap(entries) => {
            for_programs("application/xml; charset=utf-8", SitemapText::new(origin(app), entries).xml())
        }
        Content::Image { photo: Photo::Hidden, .. } => nothing(),
        Content::Image { key, photo: Photo::Held } => image(&key, Vec::new()),
        Content::Image { key, photo: Photo::Bytes(blob) } => image(&key, blob.bytes),
    }
}

/// What is sent to the holder of a link to a preview.
pub(crate) fn preview(app: &App, content: PreviewContent) -> Rendering {
    match content {
        PreviewContent::Page(preview) => {
            html(StatusCode::OK, AnswerPageText::preview(app, preview).html(), false)
        }
        PreviewContent::Photo { key, blob } => Rendering { indexable: false, ..image(&key, blob.bytes) },
    }
}

/// The answer of every address that has none: one document for the whole site.
pub(crate) fn nothing() -> Rendering {
    html(StatusCode::NOT_FOUND, Notice::not_found().html(), false)
}

fn answer(app: &App, puzzle_id: PuzzleId, view: AnswerPageView) -> Rendering {
    let not_found = |notice: Notice, retry| Rendering {
        retry: Some(retry),
        ..html(StatusCode::NOT_FOUND, notice.html(), false)
    };
    match view {
        AnswerPageView::Unknown => nothing(),
        AnswerPageView::NotYet { due_at } => not_found(Notice::not_yet(puzzle_id, due_at), Retry::At(due_at)),
        AnswerPageView::Late => not_found(Notice::any_moment(puzzle_id), Retry::After(LATE_RETRY_MS)),
        AnswerPageView::Withdrawn => html(StatusCode::GONE, Notice::withdrawn().html(), false),
        AnswerPageView::Public(answer) => {
            let view = AnswerPageText::new(app, puzzle_id, *answer);
            html(StatusCode::OK, view.html(), view.indexable())
        }
    }
}

/// A puzzle while it is played, before anybody's first guess.
fn play(app: &App, puzzle_id: PuzzleId, view: PlayView) -> Rendering {
    match view {
        PlayView::Unknown => nothing(),
        PlayView::Over => html(StatusCode::GONE, Notice::play_over(puzzle_id).html(), false),
        PlayView::Open(puzzle) => {
            let page = PlayPageText::new(app, *puzzle, &GameState::default());
            html(StatusCode::OK, page.html(), false)
        }
    }
}

/// How a puzzle was played, in JSON, or why that is not told.
fn stats(puzzle_id: PuzzleId, view: StatsView) -> Rendering {
    match view {
        StatsView::Unknown => no_stats(),
        StatsView::NotYet { due_at } => {
            Problem::stats_not_out(Some(due_at)).rendering(Some(Retry::At(due_at)))
        }
        StatsView::Late => Problem::stats_not_out(None).rendering(Some(Retry::After(LATE_RETRY_MS))),
        StatsView::Withdrawn => Problem::stats_withdrawn().rendering(None),
        StatsView::Public(stats) => for_programs("application/json", StatsText { puzzle_id, stats }.json()),
    }
}

/// The statistics of a number that was never used.
pub(crate) fn no_stats() -> Rendering {
    Problem::nothing_to_play().rendering(None)
}

#[derive(Serialize)]
struct StatsText {
    puzzle_id: PuzzleId,
    #[serde(flatten)]
    stats: DayStats,
}

impl StatsText {
    fn json(&self) -> String {
        serde_json::to_string(self).expect("statistics are plain data with text keys")
    }
}

/// The origin of a site that has an address for what is made of it; see [`crate::router()`].
fn origin(app: &App) -> &str {
    app.origin.as_deref().unwrap_or_default()
}

/// A document that search engines read and do not keep: what it lists is to be found, not
/// the list, and the feed has pages that they may not keep.
fn for_programs(content_type: &'static str, document: String) -> Rendering {
    Rendering { content_type, ..html(StatusCode::OK, document, false) }
}

/// A photo. Its key is the hash of its bytes, and so its tag.
fn image(key: &ImageKey, bytes: Vec<u8>) -> Rendering {
    Rendering {
        status: StatusCode::OK.as_u16(),
        content_type: key.format().content_type(),
        tag: Some(key.to_string()),
        indexable: true,
        retry: None,
        body: bytes.into_boxed_slice().into(),
    }
}

fn html(status: StatusCode, document: String, indexable: bool) -> Rendering {
    Rendering {
        status: status.as_u16(),
        content_type: "text/html; charset=utf-8",
        tag: None,
        indexable,
        retry: None,
        // Without the room that the text did not need: it is kept, and weighed by its length.
        body: document.into_boxed_str().into_boxed_bytes().into(),
    }
}
