//! What needs a runtime.

mod tokio_timer;
