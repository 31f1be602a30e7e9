//! The Worker: the same site as the server's, on D1 and R2, woken by requests and crons.
//!
//! A Worker has no process to keep anything in. Every event builds its site anew from
//! its bindings, which costs some allocations and no request, and nothing but counters
//! outlives it (`overdue`). What the server's scheduler does is done by two crons and,
//! should they fail, by readers.
//!
//! This crate wires. What it decides by itself is what only a Worker has to decide: how
//! settings are read (`config`), where photos are kept (`r2_blobs`), how they are fetched
//! (`fetch_images`) and events sent (`fetch_webhook`), where the files are that are sent as they
//! are (`platform_files`) and who reads those that come (`platform_parts`), how a rendered answer is put into the platform's cache (`cache_api`),
//! and who counts what a player sends (`player_rate`).

mod config;

mod compose;

mod page_events;

mod promised;

mod platform_files;

mod platform_parts;

mod crons;

mod overdue;

mod player_rate;

mod http;

mod r2_blobs;

mod cache_api;

mod outgoing_request;

mod fetch_images;

mod fetch_webhook;

mod named_hosts;

mod json_log;

use worker::{Context, Env, Request, Response, ScheduleContext, ScheduledEvent, event};

/// Once per instance of the Worker.
#[event(start)]
fn start() {
    json_log::start();
}

/// A request.
#[event(fetch)]
async fn fetch(request: Request, env: Env, context: Context) -> worker::Result<Response> {
    page_events::answer(request, &env, context).await
}

/// A cron. Whatever happens is in the log and in the table of runs; the platform is told
/// nothing, because it could only fire again, and the next cron does that anyway.
#[event(scheduled)]
async fn scheduled(event: ScheduledEvent, env: Env, _: ScheduleContext) {
    crons::run(&event.cron(), &env).await;
}
