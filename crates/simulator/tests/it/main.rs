//! The simulator as a whole: that a seed is all it needs, that it finds what is broken, and
//! that the documents say what it does.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod argument;

mod determinism;

mod seeds;

mod shrinking;
