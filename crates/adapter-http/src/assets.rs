//! The style sheets, the script and the icon, each under the hash of its content.
//!
//! The policy of the site allows neither inline styles and scripts nor anybody else's files. A file
//! whose name changes with its content needs no second request in a year, and a page can
//! never be shown in the style of another build.
//!
//! What is in them is put together by `bundles.rs`, and hashed when the program is built: a
//! Worker, whose platform keeps the files, knows no more than what they are called.

/// A file that goes with the program.
#[derive(Debug)]
pub(crate) struct Asset {
    /// Its address.
    pub(crate) path: &'static str,
    /// What it is.
    pub(crate) content_type: &'static str,
    /// Its name among the files.
    pub(crate) file: &'static str,
    /// The hash of its content.
    pub(crate) hash: &'static str,
}

/// The style sheet.
pub(crate) static STYLE: Asset = Asset {
    path: concat!("/assets/site.", env!("FENCEPOST_SITE_CSS"), ".css"),
    content_type: "text/css; charset=utf-8",
    file: "site.css",
    hash: env!("FENCEPOST_SITE_CSS"),
};

/// The script of the game.
pub(crate) static SCRIPT: Asset = Asset {
    path: concat!("/assets/game.", env!("FENCEPOST_GAME_JS"), ".js"),
    content_type: "text/javascript; charset=utf-8",
    file: "game.js",
    hash: env!("FENCEPOST_GAME_JS"),
};

/// The style sheet of the dashboard.
pub(crate) static DASHBOARD_STYLE: Asset = Asset {
    path: concat!("/assets/dashboard.", env!("FENCEPOST_DASHBOARD_CSS"), ".css"),
    content_type: "text/css; charset=utf-8",
    file: "dashboard.css",
    hash: env!("FENCEPOST_DASHBOARD_CSS"),
};

/// The icon.
pub(crate) static ICON: Asset = Asset {
    path: concat!("/assets/icon.", env!("FENCEPOST_ICON_SVG"), ".svg"),
    content_type: "image/svg+xml",
    file: "icon.svg",
    hash: env!("FENCEPOST_ICON_SVG"),
};

/// The description of the API.
pub(crate) static DESCRIPTION: Asset = Asset {
    path: "/api/openapi.json",
    content_type: "application/json",
    file: "openapi.json",
    hash: env!("FENCEPOST_OPENAPI_JSON"),
};

impl Asset {
    /// The file with this address, of those that are named by their content.
    pub(crate) fn at(path: &str) -> Option<&'static Self> {
        [&STYLE, &SCRIPT, &DASHBOARD_STYLE, &ICON].into_iter().find(|asset| asset.path == path)
    }
}
