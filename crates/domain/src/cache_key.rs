//! What the answers of a site depend on, as a name: see [`fencepost_core::cache_key`].

use fencepost_core::cache_key::Moment;
pub use fencepost_core::cache_key::{CONTRACT_VERSION, CacheKey, CacheSpace};

use crate::revision::SiteMoment;

/// The name under which `space` keeps the answer to `path` that is made at `moment`.
pub fn key(space: &CacheSpace, scope: &str, path: &str, moment: &SiteMoment) -> CacheKey {
    let revisions = [('r', moment.publication_revision.get()), ('b', moment.bank_revision)];
    let moment = Moment { now: moment.now, revisions: &revisions, stretch: moment.stretch };
    CacheKey::new(space, scope, path, &moment)
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
        let kept = key(&space(), "answers", "/answers?before=2026-11-28", &moment());
        assert_eq!(
            kept.as_str(),
            "/production/https%3A%2F%2Fprices.example/0.1.0%2Babc/c1/20785/answers/r6/b2/e1795867200000\
             /answers%3Fbefore%3D2026-11-28"
        );
        assert_eq!(kept.to_string(), kept.as_str());
    }

    #[test]
    fn whatever_differs_gets_another_name() {
        let kept = key(&space(), "home", "/", &moment());
        let differs = |other: CacheKey| assert_ne!(kept, other);
        let of = |environment, origin, build| {
            key(&CacheSpace::new(environment, origin, build), "home", "/", &moment())
        };
        let origin = Some("https://prices.example");
        assert_eq!(kept, of("production", origin, "0.1.0+abc"));
        differs(of("staging", origin, "0.1.0+abc"));
        differs(of("production", None, "0.1.0+abc"));
        differs(of("production", origin, "0.1.1"));
        differs(key(&space(), "answer", "/", &moment()));
        differs(key(&space(), "home", "/x", &moment()));
        let at = |moment: SiteMoment| key(&space(), "home", "/", &moment);
        differs(at(SiteMoment { publication_revision: Revision::new(7), ..moment() }));
        differs(at(SiteMoment { bank_revision: 3, ..moment() }));
        let stretch = Stretch { since: moment().now, ..moment().stretch };
        differs(at(SiteMoment { stretch, ..moment() }));
    }

    #[test]
    fn parts_cannot_run_together() {
        let name = |environment: &str, build: &str| {
            key(&CacheSpace::new(environment, Some("x"), build), "home", "/", &moment())
        };
        assert_ne!(name("a/x/b", "c"), name("a", "b/x/c"));
        assert_ne!(name("a%2F", "c"), name("a/", "c"));
    }
}
