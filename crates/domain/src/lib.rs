//! The pure rules of publishing exactly once.
//!
//! This crate knows no clock, no randomness, no store, no SQL and no `async`:
//! every function is told the time, the owner and the token. What it decides is
//! decided the same way by the reference model, by SQLite and by D1.
//!
//! Reading order: [`time`] and [`id`] are the vocabulary; [`puzzle`] is the bank;
//! [`lease`], [`ledger`] and [`page`] are the three things that a publication
//! moves; [`guard`] is the list of conditions under which it may; [`outcome`]
//! names how it can end, and [`resolution`] what became of it when nobody was told; [`visibility`] says who may see what, and when; [`calendar`] says
//! for how long an answer stays as it is, and [`cache_key`] under which name it may be kept
//! meanwhile. [`download`] is how a photo is had from a stranger; [`game`] is how the
//! daily game is played, [`play`] what may be known of its puzzle, and [`results`] how it
//! went. The rest are the values that travel between stores and use cases:
//! [`work`] to be found,
//! [`preflight`] before it is done, [`outlook`] before it is even taken in hand,
//! [`rehearsal`] instead of it, [`job`] runs, [`bank_edit`]s, and what people and
//! readers look at ([`item_view`], [`reading`], [`violation`]).

pub mod time;

pub mod id;

pub mod puzzle;

pub mod image;

pub mod download;

pub mod lease;

pub mod action;

pub mod ledger;

pub mod page;

pub mod guard;

pub mod commit;

pub mod quota;

pub mod catch_up;

pub mod outcome;

/// What became of attempts without an answer.
pub use fencepost_core::resolution;

pub mod revision;

pub mod visibility;

pub mod calendar;

pub mod cache_key;

pub mod results;

pub mod game;

pub mod play;

pub mod work;

pub mod sorting;

pub mod preflight;

pub mod outlook;

pub mod rehearsal;

pub mod job;

pub mod retention;

pub mod alert;

pub mod episode;

pub mod outbox;

pub mod bank_edit;

pub mod item_view;

pub mod export;

pub mod reading;

pub mod violation;

#[cfg(test)]
mod scene;

#[cfg(test)]
mod words;
