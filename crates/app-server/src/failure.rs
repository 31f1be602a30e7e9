//! How a command fails: one line that tells what happened and what to do.

use std::{fmt, process::ExitCode};

/// Why a command ended without doing what it was asked for.
#[derive(Debug)]
pub(crate) struct Failure {
    code: u8,
    message: Option<String>,
}

impl Failure {
    /// Something went wrong. The message says what, and what to do.
    pub(crate) fn fault(message: impl fmt::Display) -> Self {
        Self { code: 1, message: Some(message.to_string()) }
    }

    /// What was asked for cannot be. The message says why, and what can.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        Self { code: 2, message: Some(message.to_string()) }
    }

    /// Whoever read the output has gone, as `head` does: no more need be said.
    pub(crate) fn unheard() -> Self {
        Self { code: 1, message: None }
    }

    /// What happened, for a report that goes on.
    pub(crate) fn message(&self) -> &str {
        self.message.as_deref().unwrap_or_default()
    }

    /// Tells it on standard error.
    pub(crate) fn report(self) -> ExitCode {
        if let Some(message) = self.message {
            eprintln!("error: {message}");
        }
        ExitCode::from(self.code)
    }
}

impl From<fencepost_ports::StoreError> for Failure {
    fn from(error: fencepost_ports::StoreError) -> Self {
        Self::fault(error)
    }
}
