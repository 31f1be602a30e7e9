//! What the native machine offers to the ports: a folder for photos, the network to
//! fetch them from and to tell others what happened, memory for rendered answers
//! and their compressed forms, a line for those who ask the store for the time, randomness and
//! waiting.
//!
//! The adapters for databases know how to run statements and nothing else; these seven
//! know everything else that a server outside of Cloudflare needs. They live in a crate
//! of their own, not in the server, because each of them decides something that has to
//! be tested against the real thing: when a file survives a crash, which addresses a
//! server may be talked into visiting, which failures can pass by themselves. The
//! server that wires them stays what a composition root should be: it chooses, and
//! decides nothing.
//!
//! Architecture invariant: this crate knows no SQL, no database and no use case, and it
//! reads no clock. Time limits are given in durations and kept by the runtime.

mod disk_blobs;
pub use disk_blobs::{DiskBlobs, probe_folder};

mod http_images;
pub use http_images::{FetchPolicy, HttpImages};

mod http_webhook;
pub use http_webhook::HttpWebhook;

mod reachable;
pub use reachable::Reachable;

mod operator_client;
pub use operator_client::operator_client;

mod trusted_roots;

mod memory_cache;
pub use memory_cache::MemoryCache;

mod compressed_texts;
pub use compressed_texts::{CompressedTexts, TextName};

mod room;

mod shared_revisions;
pub use shared_revisions::SharedRevisions;

mod causes;
