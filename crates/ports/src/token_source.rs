//! Where random names come from.

use fencepost_domain::{
    id::{CommitToken, OwnerId, ReportToken, RunId},
    results::SessionId,
};

/// Random names.
///
/// An adapter MUST draw at least 122 bits from the platform's secure source, so that no
/// two names are ever equal, and MUST write it in at most 46 characters out of `A-Z`,
/// `a-z`, `0-9`, `_` and `-`.
#[cfg_attr(feature = "mock", mockall::automock)]
pub trait TokenSource: Send + Sync {
    /// A name that was never drawn before.
    fn draw(&self) -> String;

    /// A new owner of leases, who says by whom it was made: `instance` is what a process or
    /// a Worker is called.
    fn owner(&self, instance: &str) -> OwnerId {
        OwnerId::new(format!("{instance}/{}", self.draw()))
    }

    /// The mark of a new attempt.
    fn commit_token(&self) -> CommitToken {
        CommitToken::new(self.draw())
    }

    /// The mark of a new report of a result.
    fn report_token(&self) -> ReportToken {
        ReportToken::new(self.draw())
    }

    /// The name of a session that brought none.
    fn session_id(&self) -> SessionId {
        let name = format!("drawn-by-the-site-{}", self.draw());
        name.parse().expect("a drawn name is short and plain")
    }

    /// The name of a new run.
    fn run_id(&self) -> RunId {
        RunId::new(self.draw())
    }
}
