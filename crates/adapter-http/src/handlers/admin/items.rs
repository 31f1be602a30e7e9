//! `/admin/api/items`: the ledger, and what an operator may do with one item.

use axum::extract::{RawQuery, State};
use fencepost_application::{ActionError, Expected, ItemExplanation, ItemReport};
use fencepost_domain::{
    id::{ContentVersion, PuzzleId},
    ledger::{Item, ItemState},
    outcome::Outcome,
    time::{PlayDate, UnixMillis},
};
use fencepost_ports::ItemSummary;
use serde::{Deserialize, Serialize};

use super::{actor::By, path::Segment};
use crate::{
    announce::deliver_soon,
    config::App,
    handlers::answers,
    json::{JsonAnswer, JsonBody, OptionalJsonBody},
    problem::Problem,
    spawner::run_to_the_end,
};

/// A page of the ledger.
#[derive(Debug, Serialize)]
pub(crate) struct ItemList {
    items: Vec<ItemSummary>,
    /// Ask for `?before=` this date to go on; `None` once a page is empty.
    next_before: Option<PlayDate>,
}

/// Items, newest date of play first.
pub(crate) async fn list(
    State(app): State<App>,
    RawQuery(query): RawQuery,
) -> Result<JsonAnswer<ItemList>, Problem> {
    let before = answers::before(query.as_deref())
        .map_err(|error| Problem::invalid_query("before", error.to_string()))?;
    let items = app.site.items(before).await?;
    let next_before = items.last().map(|item| item.play_date);
    Ok(JsonAnswer(ItemList { items, next_before }))
}

/// All that is known of one item.
pub(crate) async fn show(
    State(app): State<App>,
    Segment(puzzle_id): Segment<PuzzleId>,
) -> Result<JsonAnswer<ItemExplanation>, Problem> {
    Ok(JsonAnswer(app.site.item(puzzle_id).await?))
}

/// How the item was seen, if that matters.
#[derive(Debug, Default, Deserialize)]
#[serde(
    default,
    deny_unknown_fields,
    expecting = "an object with expected_state and expected_content_version, either, or none"
)]
pub(crate) struct ExpectedBody {
    expected_state: Option<ItemState>,
    expected_content_version: Option<i64>,
}

impl From<ExpectedBody> for Expected {
    fn from(body: ExpectedBody) -> Self {
        Self {
            state: body.expected_state,
            content_version: body.expected_content_version.map(ContentVersion::new),
        }
    }
}

/// Takes a page or an item back.
pub(crate) async fn withdraw(
    State(app): State<App>,
    Segment(puzzle_id): Segment<PuzzleId>,
    By(actor): By,
    OptionalJsonBody(expected): OptionalJsonBody<ExpectedBody>,
) -> Acted {
    let site = app.site.clone();
    act(&app, "withdrawn", async move { site.withdraw(&actor, puzzle_id, expected.into()).await }).await
}

/// Undoes a withdrawal.
pub(crate) async fn reinstate(
    State(app): State<App>,
    Segment(puzzle_id): Segment<PuzzleId>,
    By(actor): By,
    OptionalJsonBody(expected): OptionalJsonBody<ExpectedBody>,
) -> Acted {
    let site = app.site.clone();
    act(&app, "reinstated", async move { site.reinstate(&actor, puzzle_id, expected.into()).await }).await
}

/// Brings a page up to the bank, or tries an item at once.
pub(crate) async fn republish(
    State(app): State<App>,
    Segment(puzzle_id): Segment<PuzzleId>,
    By(actor): By,
    OptionalJsonBody(expected): OptionalJsonBody<ExpectedBody>,
) -> Acted {
    let site = app.site.clone();
    act(&app, "republished", async move { site.republish(&actor, puzzle_id, expected.into()).await }).await
}

/// Lets an item be tried again by the next run.
pub(crate) async fn retry(
    State(app): State<App>,
    Segment(puzzle_id): Segment<PuzzleId>,
    By(actor): By,
    OptionalJsonBody(expected): OptionalJsonBody<ExpectedBody>,
) -> Result<JsonAnswer<ChangedItem>, Problem> {
    let site = app.site.clone();
    let retry = async move { site.retry(&actor, puzzle_id, expected.into()).await };
    let item = run_to_the_end(app.spawner.as_ref(), retry).await?;
    Ok(JsonAnswer(ChangedItem { puzzle_id, item }))
}

type Acted = Result<JsonAnswer<ItemReport>, Problem>;

/// Takes `action`, and answers with its report if it took place. `done` is the word for
/// that.
async fn act(
    app: &App,
    done: &str,
    action: impl Future<Output = Result<ItemReport, ActionError>> + Send + 'static,
) -> Acted {
    let report = run_to_the_end(app.spawner.as_ref(), action).await?;
    deliver_soon(app);
    if took_place(report.outcome) { Ok(JsonAnswer(report)) } else { Err(Problem::not_done(done, &report)) }
}

/// Whether things stand now as the operator wants them.
pub(crate) fn took_place(outcome: Outcome) -> bool {
    use Outcome::{
        Blocked, Conflict, LeaseHeld, LeaseLost, NotDue, Paused, Published, QuotaExhausted, Reinstated,
        Unchanged, Unknown, Updated, Withdrawn,
    };
    match outcome {
        Published | Updated | Withdrawn | Reinstated | Unchanged => true,
        NotDue | LeaseHeld | LeaseLost | Conflict | Blocked | QuotaExhausted | Paused | Unknown => false,
    }
}

/// A new due instant.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with due_at and, if you like, expected_due_at")]
pub(crate) struct RescheduleBody {
    due_at: InstantBody,
    #[serde(default)]
    expected_due_at: Option<InstantBody>,
}

/// An instant as people and programs write it: RFC 3339, or milliseconds since 1970.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "an instant is RFC 3339 text or whole milliseconds since 1970")]
enum InstantBody {
    Milliseconds(i64),
    Text(String),
}

impl InstantBody {
    /// The instant, if it lies in a year that a date of play could have.
    fn read(&self, field: &'static str) -> Result<UnixMillis, Problem> {
        let instant = match self {
            Self::Milliseconds(ms) => UnixMillis::new(*ms),
            // RFC 9557 lets a time zone follow in brackets. It would be a second opinion about
            // the instant, which nobody here could weigh.
            Self::Text(text) if text.contains('[') => {
                let detail = format!("{text:?} has an annotation in brackets: leave it out");
                return Err(Problem::invalid_instant(field, detail));
            }
            Self::Text(text) => {
                text.parse().map_err(|error| Problem::invalid_instant(field, format!("{error}")))?
            }
        };
        match PlayDate::from_utc_day(instant.utc_day()) {
            Ok(_) => Ok(instant),
            Err(_) => Err(Problem::invalid_instant(
                field,
                format!(
                    "{instant} does not lie between the years 2000 and 2199; instants are in milliseconds"
                ),
            )),
        }
    }
}

/// An item after it was changed.
#[derive(Debug, Serialize)]
pub(crate) struct ChangedItem {
    puzzle_id: PuzzleId,
    #[serde(flatten)]
    item: Item,
}

/// Moves a due instant.
pub(crate) async fn reschedule(
    State(app): State<App>,
    Segment(puzzle_id): Segment<PuzzleId>,
    By(actor): By,
    JsonBody(body): JsonBody<RescheduleBody>,
) -> Result<JsonAnswer<ChangedItem>, Problem> {
    let due_at = body.due_at.read("due_at")?;
    let expected = body.expected_due_at.map(|instant| instant.read("expected_due_at")).transpose()?;
    let site = app.site.clone();
    let change = async move { site.reschedule(&actor, puzzle_id, due_at, expected).await };
    let item = run_to_the_end(app.spawner.as_ref(), change).await?;
    Ok(JsonAnswer(ChangedItem { puzzle_id, item }))
}
