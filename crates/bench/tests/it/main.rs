//! The program, as `cargo xtask bench` uses it.

mod reporting;
