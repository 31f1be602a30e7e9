//! Posts under embargo, each published exactly once, just after it is due.
//!
//! A post lies in the database before it may be read. A timer, or several, look for what is
//! due and publish it (`publish`): one batch each, under a lease, so that it does no harm if
//! two of them meet, if one falls asleep in the middle, or if an answer gets lost. Readers are
//! served from a cache that is never purged (`serve`): they learn revision and time first, and
//! ask the cache for what was made at these.
//!
//! All of that knows neither where it runs nor what time it is: the database says. `main.rs`
//! runs it on SQLite, and `worker.rs` as a Cloudflare Worker on D1.

mod posts;
pub use posts::{Post, add};

mod publish;
pub use publish::{LEASE_MS, Told, due, in_words, lease_key, publish, publish_due};

mod serve;
pub use serve::{Cache, HEADERS, Reply, answer};

#[cfg(target_family = "wasm")]
mod worker;
