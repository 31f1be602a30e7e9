//! The commands that do one thing and end.

mod import;
pub(crate) use import::import;

mod export;
pub(crate) use export::export;

mod run;
pub(crate) use run::{rehearse, retry, run, withdraw};

mod explain;
pub(crate) use explain::explain;

mod verify;
pub(crate) use verify::verify;

mod audit;
pub(crate) use audit::audit;

mod doctor;
pub(crate) use doctor::doctor;

mod status;
pub(crate) use status::status;
