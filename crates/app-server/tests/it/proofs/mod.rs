//! The promises, held against real processes that get in each other's way.
//!
//! Each proof has a small form, which runs with all other tests, and a full form, which
//! `cargo xtask proofs` runs in a release build. What differs is how often something is
//! repeated, and whether a measured time is asserted: in a debug build that shares two
//! cores with other tests, it says little about the program.

mod two_processes;

mod killed;

#[cfg(target_os = "linux")]
mod power_cut;

mod crowd;

mod fresh_under_load;

mod players;

mod full_day;

mod end_of_play;

mod on_time;

mod moved_elsewhere;

mod bad_photos;

mod bad_databases;

#[cfg(target_os = "linux")]
mod full_disk;

mod start_up;
