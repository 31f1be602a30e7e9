//! The name that an answer is kept under: everything that it depends on.
//!
//! A cache that has to be purged is wrong for as long as the purge takes, and for good when
//! the purge gets lost. Here nothing is purged. What an answer depends on is part of its
//! name: the deployment and its build, the two revisions, and the stretch of time that it
//! was made in. A request learns all of them before it asks the cache, so after a change
//! it asks for another name, and the old entry is never asked for again.
//!
//! The build belongs into it because another build renders differently, and the deployment
//! because caches are shared by more than one thinks.

use std::fmt::{self, Write as _};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use serde::{Deserialize, Serialize};

use crate::{stretch::Stretch, time::UnixMillis};

/// Grows whenever what is stored in an entry, or what its name means, changes.
pub const CONTRACT_VERSION: u32 = 1;

/// What may stand in a part as it is: no slash, so that parts cannot run together.
const PART: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// What may stand in the path, the last part, as it is.
const PATH: &AsciiSet = &PART.remove(b'/');

/// Whose answers these are: no two deployments that differ in what they answer share one.
///
/// It is how every one of its names begins, which is spelled once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheSpace(String);

impl CacheSpace {
    /// The space of an environment, such as `production`, of the scheme and host that pages
    /// name as their own, if any, and of the build that renders.
    pub fn new(environment: &str, origin: Option<&str>, build_version: &str) -> Self {
        Self(format!(
            "/{environment}/{origin}/{build}/c{CONTRACT_VERSION}",
            environment = part(environment),
            origin = part(origin.unwrap_or("nowhere")),
            build = part(build_version),
        ))
    }
}

fn part(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, PART)
}

/// What a request learned of time and revisions, before it asked anything else.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// The store's clock.
    pub now: UnixMillis,
    /// Every revision that an answer depends on, with the letter that it is called by in names.
    pub revisions: &'a [(char, i64)],
    /// The stretch of time around `now` in which no answer changes without a write.
    pub stretch: Stretch,
}

/// The name of an entry.
///
/// ```
/// use fencepost_core::{
///     cache_key::{CacheKey, CacheSpace, Moment},
///     stretch::Stretch,
///     time::UnixMillis,
/// };
///
/// let space = CacheSpace::new("production", Some("https://shop.example"), "1.4.0");
/// // What a request learned from the store before it asked the cache.
/// let now: UnixMillis = "2026-11-29T09:30:00Z".parse()?;
/// let sale_ends = "2026-11-29T18:00:00Z".parse()?;
/// let stretch = Stretch::around(now, None, Some(sale_ends));
/// let key = |revision| {
///     let moment = Moment { now, revisions: &[('r', revision)], stretch };
///     CacheKey::new(&space, "list", "/items?page=2", &moment)
/// };
/// assert_eq!(
///     key(7).as_str(),
///     "/production/https%3A%2F%2Fshop.example/1.4.0/c1/20786/list/r7/e1795910400000/items%3Fpage%3D2"
/// );
/// // After a change, it is another name. Nothing has to be purged.
/// assert_ne!(key(7), key(8));
/// # Ok::<(), fencepost_core::time::InvalidInstant>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CacheKey(String);

impl CacheKey {
    /// The name under which `space` keeps its answer to `path`, made at `moment` and from
    /// what was stored at its revisions. `scope` is the kind of address, such as `list`. `path`
    /// begins with a slash, and has the query if the answer depends on it.
    pub fn new(space: &CacheSpace, scope: &str, path: &str, moment: &Moment<'_>) -> Self {
        let mut name = format!("{}/{}/{}", space.0, moment.now.utc_day().get(), part(scope));
        for (letter, revision) in moment.revisions {
            // Writing to a text does not fail.
            let _ = write!(name, "/{letter}{revision}");
        }
        let _ = write!(name, "/e{}{}", moment.stretch.since.get(), utf8_percent_encode(path, PATH));
        Self(name)
    }

    /// The name as the path of a URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(revisions: &[(char, i64)], now: i64, path: &str) -> String {
        let now = UnixMillis::new(now);
        let moment = Moment { now, revisions, stretch: Stretch::around(now, None, None) };
        let space = CacheSpace::new("production", Some("https://shop.example"), "0.1.0+abc");
        CacheKey::new(&space, "list", path, &moment).as_str().to_owned()
    }

    #[test]
    fn a_name_has_every_revision_in_order() {
        assert_eq!(
            name(&[('r', 6), ('s', 2)], 86_400_001, "/list?page=2"),
            "/production/https%3A%2F%2Fshop.example/0.1.0%2Babc/c1/1/list/r6/s2/e86400000/list%3Fpage%3D2"
        );
        assert_ne!(name(&[('r', 6), ('s', 2)], 1, "/"), name(&[('r', 6), ('s', 3)], 1, "/"));
        assert_ne!(name(&[('r', 62)], 1, "/"), name(&[('r', 6), ('s', 2)], 1, "/"));
    }
}
