//! The files that are sent as they are, put together from those that people edit.
//!
//! It is part of two programs: of `build.rs`, for a server, which carries them within, and of
//! `cargo xtask worker build`, for a Worker, whose platform keeps them beside it.

use std::{fs, io, path::Path};

/// Name and content of each.
pub(crate) fn bundles(assets: &Path) -> io::Result<Vec<(&'static str, String)>> {
    let joined = |names: &[&str]| -> io::Result<String> {
        names.iter().map(|name| fs::read_to_string(assets.join(name))).collect()
    };
    let style = [
        "style/base.css",
        "style/pieces.css",
        "style/pages.css",
        "style/game.css",
        "style/chart.css",
        "style/media.css",
    ];
    Ok(vec![
        // One file for browsers and six for people.
        ("site.css", joined(&style)?),
        ("dashboard.css", joined(&["style/dashboard.css", "style/dashboard-forms.css"])?),
        // What only counts is a module by itself too, so that it can be tried out without a
        // browser.
        (
            "game.js",
            joined(&["script/record.mjs", "script/countdown.mjs", "script/share.mjs", "script/game.mjs"])?,
        ),
        ("icon.svg", joined(&["icon.svg"])?),
        ("openapi.json", without_blanks(&joined(&["openapi.json"])?)),
    ])
}

/// JSON without the blanks and line ends that stand outside of texts. The description is laid
/// out for people, and blanks are a fourth of it.
fn without_blanks(json: &str) -> String {
    let (mut in_text, mut is_escaped) = (false, false);
    let is_kept = |character: &char| {
        if is_escaped {
            is_escaped = false;
        } else if *character == '\\' {
            is_escaped = true;
        } else if *character == '"' {
            in_text = !in_text;
        }
        in_text || !character.is_ascii_whitespace()
    };
    json.chars().filter(is_kept).collect()
}
