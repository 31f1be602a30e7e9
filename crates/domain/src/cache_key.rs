//! The name that an answer is kept under: everything that it depends on.
//!
//! A cache that has to be purged is wrong for as long as the purge takes, and for good when
//! the purge gets lost. Here nothing is purged. What an answer depends on is part of its
//! name: the deployment and its build, the two revisions, and the stretch of time that it
//! was made in. A request learns all of them before it asks the cache, so after a change
//! it asks for another name, and the old entry is never asked for again.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use serde::{Deserialize, Serialize};

use crate::revision::SiteMoment;

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

/// The name of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CacheKey(String);

impl CacheKey {
    /// The name under which `space` keeps its answer to `path`, made at `moment` and from
    /// what was stored at its revisions. `scope` is the kind of address.
    pub fn new(space: &CacheSpace, scope: &str, path: &str, moment: &SiteMoment) -> Self {
        Self(format!(
            "{space}/{day}/{scope}/r{revision}/b{bank_revision}/e{epoch}{path}",
            space = space.0,
            day = moment.now.utc_day().get(),
            scope = part(scope),
            revision = moment.publication_revision.get(),
            bank_revision = moment.bank_revision,
            epoch = moment.stretch.since.get(),
            path = utf8_percent_encode(path, PATH),
        ))
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
    use crate::{calendar::Stretch, revision::Revision, time::UnixMillis};

    fn moment() -> SiteMoment {
        let now = UnixMillis::new(1_795_867_300_000);
        SiteMoment {
            now,
            publication_revision: Revision::new(6),
            bank_revision: 2,
            overdue: false,
            stretch: Stretch::around(now, Some(UnixMillis::new(1_795_867_200_000)), None),
        }
    }

    fn space() -> CacheSpace {
        CacheSpace::new("production", Some("https://prices.example"), "0.1.0+abc")
    }

    #[test]
    fn a_name_has_all_that_an_answer_depends_on() {
        let key = CacheKey::new(&space(), "answers", "/answers?before=2026-11-28", &moment());
        assert_eq!(
            key.as_str(),
            "/production/https%3A%2F%2Fprices.example/0.1.0%2Babc/c1/20785/answers/r6/b2/e1795867200000\
             /answers%3Fbefore%3D2026-11-28"
        );
        assert_eq!(key.to_string(), key.as_str());
    }

    #[test]
    fn whatever_differs_gets_another_name() {
        let key = CacheKey::new(&space(), "home", "/", &moment());
        let differs = |other: CacheKey| assert_ne!(key, other);
        let of = |environment, origin, build| {
            CacheKey::new(&CacheSpace::new(environment, origin, build), "home", "/", &moment())
        };
        let origin = Some("https://prices.example");
        assert_eq!(key, of("production", origin, "0.1.0+abc"));
        differs(of("staging", origin, "0.1.0+abc"));
        differs(of("production", None, "0.1.0+abc"));
        differs(of("production", origin, "0.1.1"));
        differs(CacheKey::new(&space(), "answer", "/", &moment()));
        differs(CacheKey::new(&space(), "home", "/x", &moment()));
        let at = |moment: SiteMoment| CacheKey::new(&space(), "home", "/", &moment);
        differs(at(SiteMoment { publication_revision: Revision::new(7), ..moment() }));
        differs(at(SiteMoment { bank_revision: 3, ..moment() }));
        let stretch = Stretch { since: moment().now, ..moment().stretch };
        differs(at(SiteMoment { stretch, ..moment() }));
    }

    #[test]
    fn parts_cannot_run_together() {
        let name = |environment: &str, build: &str| {
            CacheKey::new(&CacheSpace::new(environment, Some("x"), build), "home", "/", &moment())
        };
        assert_ne!(name("a/x/b", "c"), name("a", "b/x/c"));
        assert_ne!(name("a%2F", "c"), name("a/", "c"));
    }
}
