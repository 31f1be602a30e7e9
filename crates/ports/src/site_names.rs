//! The random names that only this site has.

use fencepost_core::TokenSource;
use fencepost_domain::{
    id::{ReportToken, RunId},
    results::SessionId,
};

/// The names that a site draws besides those of owners and attempts.
pub trait SiteNames: TokenSource {
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

impl<T: TokenSource + ?Sized> SiteNames for T {}
