//! The adapters against the real thing: folders, sockets, the system's randomness.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod compressed_texts;
mod disk_blobs;
mod host;
mod http_images;
mod http_webhook;
mod memory_cache;
mod shared_revisions;
