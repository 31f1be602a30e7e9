//! The use cases on a real SQLite file, with the world around it under control.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod intercepted;

mod invocation;

mod warnings;

mod watching;

mod world;

mod jobs;

mod unreadable;

mod takeover;

mod lost_answers;

mod resolving;

mod corrections;

mod photos;

mod catch_up;

mod operator;

mod acting;

mod verifying;

mod serving;

mod previews;

mod costs;
mod serving_histories;

mod hammer;

mod budget;

mod budget_faults;

mod explaining;

mod rehearsing;

mod rehearsing_states;

mod alerting;

mod counting;

mod receiver;

mod delivering;

mod exporting;

mod retaining;
