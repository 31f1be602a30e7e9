//! The load generator that the server is measured with.

use std::env;

use super::apt::{install, on_path};

const NAME: &str = "wrk";

const ADVICE: &str = "Load comes from wrk. Install it, such as with `sudo apt-get install wrk`, so that it is on \
    the PATH.";

/// Installs it if it is missing and that can be done.
pub(crate) fn wrk() -> anyhow::Result<()> {
    if on_path(NAME, &env::var_os("PATH").unwrap_or_default()).is_some() {
        return Ok(());
    }
    install(NAME, "there is no wrk", ADVICE)
}
