//! The use cases: what Fencepost does, written against ports.
//!
//! A [`Site`] is the whole application: it holds the ports, and every use case is a
//! method on it, in a file of its own. Nothing here knows which store it talks to,
//! what time it is (the store says so), or how a page looks.
//!
//! The heart is `publish_item`: claim, look, render, commit. Around it stand
//! `run_job` (all that is due), `change_page` (an operator's withdrawal,
//! reinstatement and update), `land`, which attempts a commit until its fate is known, and
//! `resolve`, which finds out what became of attempts whose answers were lost; `counters` counts
//! what happened. `explain` tells
//! why an item is not out, and `rehearse` what a run would do. Readers come in by `serve_page`, which is all that decides about
//! the cache. `preview` shows to few what is not out, and goes around it. `play` judges the daily
//! game. `deliver` tells others what happened, once it has, and `watch` notices what
//! they are told of alerts. `export` takes everything out again.

mod site;
pub use site::{Settings, Site};

pub mod cost;

mod report;
pub use report::{ActionError, BudgetReport, DryRunReport, ImagesReport, ItemReport, RunReport};

mod stop;
pub use stop::Stop;

mod boxed;

mod run_job;

mod publish_item;

mod prepare_image;

mod land;

mod resolve;
pub use resolve::{Doubt, Landed, Resolutions, Resolved, Unanswered};

mod counters;
pub use counters::{CacheUse, Counters, LAG_BOUNDS_MS, LagCounts};

mod retry;

mod render;
pub use render::render_markdown;

mod change_page;

mod import_bank;
pub use import_bank::{ImportError, RawImport, RowChange};

mod export;
pub use export::{ExportFormat, ExportPart, export_header};

mod serve_page;
pub use serve_page::{Address, Rendering, Served, short_hash};

mod read_content;
pub use read_content::{AnswerList, AnswerPageView, Content, Photo, PlayView, PublicAnswer, StatsView};

mod play;

mod preview;
pub use preview::{Preview, PreviewAddress, PreviewContent, PreviewServed, PreviewValidity};

mod operate;
pub use operate::{Expected, RescheduleError, RetryError, SetError};

mod explain;
pub use explain::{Finding, Hindrance, ItemExplanation, LeaseSummary, PageSummary};

mod rehearse;

mod doctor;
pub use doctor::{Check, CheckStatus, Setup, TokenStrength};

mod outlet;
pub use outlet::{Outlet, Sign};

mod watch;

mod deliver;
pub use deliver::DeliveryReport;

mod verify;
