//! The browser that pages are looked at with.
//!
//! It is the one of the machine, and at no version in particular: a page has to be right in
//! the browsers that people have. Nothing is downloaded but by the machine's own package
//! manager; see [`super::apt`].

use std::{env, ffi::OsStr, path::PathBuf, process::Command};

use anyhow::{anyhow, ensure};

use super::apt::{install, on_path};
use crate::steps::output_of;

/// Names the browser, if it is none of [`NAMES`].
const VARIABLE: &str = "CHROMIUM";

/// What it is called on a PATH.
const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

/// What to do without one.
const ADVICE: &str = "Pages are looked at in Chromium or Chrome. Install it, such as with \
    `sudo apt-get install chromium`, so that `chromium`, `chromium-browser` or `google-chrome` is on the PATH, \
    or say in CHROMIUM where it is.";

/// The browser, installed if it is missing and that can be done.
pub(crate) fn chromium() -> anyhow::Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let find = || found(env::var_os(VARIABLE).as_deref(), &path);
    if let Some(browser) = find()? {
        return works(browser);
    }
    install("chromium", "there is no browser", ADVICE)?;
    works(find()?.ok_or_else(|| anyhow!("apt-get reports success, but there is no browser\n{ADVICE}"))?)
}

/// The browser that the variable names, or else the first that stands on the path.
fn found(named: Option<&OsStr>, path: &OsStr) -> anyhow::Result<Option<PathBuf>> {
    if let Some(named) = named.filter(|named| !named.is_empty()) {
        let browser = PathBuf::from(named);
        ensure!(browser.is_file(), "{VARIABLE} names {}, where there is no program", browser.display());
        return Ok(Some(std::path::absolute(browser)?));
    }
    Ok(NAMES.iter().find_map(|name| on_path(name, path)))
}

/// A name may be that of a script which only says where to get the browser.
fn works(browser: PathBuf) -> anyhow::Result<PathBuf> {
    output_of(Command::new(&browser).arg("--version")).map_err(|error| anyhow!("{error:#}\n{ADVICE}"))?;
    Ok(browser)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    #[test]
    fn the_browser_is_the_one_named_or_the_first_on_the_path() {
        let place = tempfile::tempdir().unwrap();
        let [own, first, second] = ["own", "first", "second"].map(|name| {
            let folder = place.path().join(name);
            fs::create_dir(&folder).unwrap();
            folder
        });
        let put = |folder: &Path, name: &str| {
            fs::write(folder.join(name), "").unwrap();
            folder.join(name)
        };
        let path = env::join_paths([&first, &second]).unwrap();
        let look = |named: Option<&Path>| found(named.map(Path::as_os_str), &path);

        assert_eq!(look(None).unwrap(), None);
        let chrome = put(&first, "google-chrome");
        assert_eq!(look(None).unwrap(), Some(chrome));
        let chromium = put(&second, "chromium");
        assert_eq!(look(None).unwrap(), Some(chromium.clone()));
        assert_eq!(look(Some(Path::new(""))).unwrap(), Some(chromium));
        let named = put(&own, "my-browser");
        assert_eq!(look(Some(&named)).unwrap(), Some(named));
        let error = look(Some(&own.join("gone"))).unwrap_err().to_string();
        assert!(error.contains("CHROMIUM") && error.contains("gone"), "{error}");
    }
}
