//! The style sheet, the script and the icon, each under the hash of its content.
//!
//! The policy of the site allows neither inline styles and scripts nor anybody else's files. A file
//! whose name changes with its content needs no second request in a year, and a page can
//! never be shown in the style of another build.

use std::sync::LazyLock;

use fencepost_application::short_hash;

use crate::cache_headers::EntityTag;

/// A file that is part of the program.
#[derive(Debug)]
pub(crate) struct Asset {
    /// Its address.
    pub(crate) path: String,
    /// What it is.
    pub(crate) content_type: &'static str,
    /// Its content.
    pub(crate) content: &'static str,
    /// Its tag.
    pub(crate) tag: EntityTag,
}

/// The style sheet, one file for browsers and six for people.
const STYLE_SHEET: &str = concat!(
    include_str!("../assets/style/base.css"),
    include_str!("../assets/style/pieces.css"),
    include_str!("../assets/style/pages.css"),
    include_str!("../assets/style/game.css"),
    include_str!("../assets/style/chart.css"),
    include_str!("../assets/style/media.css"),
);

/// The style sheet.
pub(crate) static STYLE: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("site", "css", "text/css; charset=utf-8", STYLE_SHEET));

/// The script of the game, one file for browsers and four for people. What only counts is a
/// module by itself too, so that it can be tried out without a browser.
const GAME_SCRIPT: &str = concat!(
    include_str!("../assets/script/record.mjs"),
    include_str!("../assets/script/countdown.mjs"),
    include_str!("../assets/script/share.mjs"),
    include_str!("../assets/script/game.mjs"),
);

/// The script of the game.
pub(crate) static SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("game", "js", "text/javascript; charset=utf-8", GAME_SCRIPT));

/// The style sheet of the dashboard.
pub(crate) static DASHBOARD_STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let content = concat!(
        include_str!("../assets/style/dashboard.css"),
        include_str!("../assets/style/dashboard-forms.css"),
    );
    Asset::new("dashboard", "css", "text/css; charset=utf-8", content)
});

/// The icon.
pub(crate) static ICON: LazyLock<Asset> =
    LazyLock::new(|| Asset::new("icon", "svg", "image/svg+xml", include_str!("../assets/icon.svg")));

impl Asset {
    fn new(name: &str, extension: &str, content_type: &'static str, content: &'static str) -> Self {
        let hash = short_hash(content.as_bytes(), 8);
        Self {
            path: format!("/assets/{name}.{hash}.{extension}"),
            content_type,
            content,
            tag: EntityTag::spelled(&hash),
        }
    }

    /// The file with this address.
    pub(crate) fn at(path: &str) -> Option<&'static Self> {
        [&*STYLE, &*SCRIPT, &*DASHBOARD_STYLE, &*ICON].into_iter().find(|asset| asset.path == path)
    }
}
