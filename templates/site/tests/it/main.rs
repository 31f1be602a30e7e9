//! What the site promises, on SQLite. Time is an argument, and calls are lost on purpose.
//!
//! Whatever you build on this, keep these: they are what is hard to see by looking at a site.

#![cfg(not(target_family = "wasm"))]

#[cfg(test)]
mod world;

#[cfg(test)]
mod publishing;

#[cfg(test)]
mod serving;
