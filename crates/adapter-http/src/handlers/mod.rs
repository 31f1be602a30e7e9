//! One file per group of addresses: read the request, ask a use case, answer with a view.

pub(crate) mod page;

pub(crate) mod home;

pub(crate) mod game_page;

pub(crate) mod answers;

pub(crate) mod images;

pub(crate) mod machines;

pub(crate) mod previews;

pub(crate) mod play;

pub(crate) mod asset_files;

pub(crate) mod probes;

pub(crate) mod metrics;

pub(crate) mod nowhere;

pub(crate) mod export;
mod row_number;

pub(crate) mod dashboard;

pub(crate) mod admin;
