//! What needs a platform.

mod random_tokens;
