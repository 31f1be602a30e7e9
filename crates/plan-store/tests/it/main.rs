//! What a store asks of its runner, and what never reaches one.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod recording;

mod rehearsing;

mod budget;

mod sizes;
