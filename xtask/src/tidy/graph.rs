//! Who may depend on whom.

use super::report::{Rule, Violation};

/// A crate of the workspace.
pub(super) struct Member {
    pub(super) name: String,
    /// `crates/domain`, `xtask`.
    pub(super) folder: String,
    pub(super) dependencies: Vec<Dependency>,
    /// The text of its manifest, to tell the line.
    pub(super) manifest: String,
}

/// One line of a manifest.
pub(super) struct Dependency {
    pub(super) name: String,
    /// A crate of the workspace.
    pub(super) is_own: bool,
    pub(super) for_tests: bool,
    pub(super) features: Vec<String>,
}

static EDGES: Rule = Rule {
    name: "allowed-dependency",
    why: "the arrows of ARCHITECTURE.md point inwards: rules know no ports, ports no adapters, \
          no adapter another, nobody an app",
};

static NAMES: Rule = Rule {
    name: "package-name",
    why: "who knows the folder knows the package: fencepost-<folder>, or fencepost-example-<folder>",
};

static UNKNOWN: Rule = Rule {
    name: "known-crate",
    why: "a new crate needs a place in the graph: add it to xtask/src/tidy/graph.rs and to ARCHITECTURE.md, \
          with its reason",
};

static DOMAIN: Rule = Rule {
    name: "pure-domain",
    why: "the domain is told the time, the owner and the token: no runtime, no IO, no clock, no randomness",
};

static CORE: Rule = Rule {
    name: "runtime-free-core",
    why: "ports, SQL plans, use cases and router run on both targets: a runtime, driver, socket or source \
          of randomness belongs to the app or to an adapter of one target",
};

static JAVASCRIPT: Rule = Rule {
    name: "javascript-at-the-edge",
    why: "JavaScript's futures are not Send and its numbers are no integers: \
          d1 and the Workers deal with that, and nobody else has to",
};

static DOUBLES: Rule = Rule {
    name: "no-test-double-ships",
    why: "the reference model, the contract suite, the mocks and the faults are for tests and simulation; \
          turn these features on under [dev-dependencies]",
};

/// What others can use, and what knows nothing of a site.
const KIT: &[&str] = &["core", "batch", "sqlite", "d1"];

const LIBRARIES: &[&str] = &[
    "core",
    "batch",
    "sqlite",
    "d1",
    "domain",
    "ports",
    "sql",
    "plan-store",
    "application",
    "adapter-sqlite",
    "adapter-native",
    "adapter-http",
    "demo",
    "audit",
];

/// Each crate, and what it may depend on.
const ALLOWED: &[(&str, &[&str])] = &[
    ("core", &[]),
    ("batch", &["core"]),
    ("sqlite", &["core", "batch"]),
    ("d1", &["core", "batch"]),
    ("domain", &["core"]),
    ("ports", &["core", "domain"]),
    ("sql", &["core", "batch", "domain"]),
    ("plan-store", &["batch", "domain", "ports", "sql"]),
    ("application", &["core", "domain", "ports"]),
    ("adapter-sqlite", &["sqlite", "domain", "ports", "sql", "plan-store"]),
    ("adapter-native", &["domain", "ports"]),
    ("adapter-http", &["domain", "ports", "application"]),
    ("demo", &["domain"]),
    ("audit", &["domain"]),
    ("simulator", LIBRARIES),
    ("bench", LIBRARIES),
    ("app-server", LIBRARIES),
    ("app-worker", LIBRARIES),
    ("contract-worker", LIBRARIES),
    ("site", KIT),
    ("example-monthly", KIT),
    ("example-newsletter", KIT),
    ("protocol-model", &[]),
    ("xtask", &[]),
];

/// What knows no crate of the workspace, not even for tests: the automation, so that it is built
/// when nothing else is, and the model, which must not share an assumption with what it checks.
const ALONE: &[&str] = &["protocol-model", "xtask"];

/// Small, pure, and without a clock (that of the crate `time` is banned by clippy).
const ALLOWED_IN_DOMAIN: &[&str] = &["idna_adapter", "serde", "thiserror", "time", "url"];

const CORE_CRATES: &[&str] = &["core", "batch", "ports", "sql", "plan-store", "application", "adapter-http"];

const FORBIDDEN_IN_CORE: &[&str] = &[
    "async-std",
    "axum",
    "getrandom",
    "hyper",
    "rand",
    "reqwest",
    "rusqlite",
    "smol",
    "sqlx",
    "tokio",
    "uuid",
];

/// Crates that speak JavaScript.
const JAVASCRIPT_CRATES: &[&str] =
    &["js-sys", "serde-wasm-bindgen", "wasm-bindgen", "wasm-bindgen-futures", "web-sys", "worker"];

/// Those that may.
const KNOW_JAVASCRIPT: &[&str] =
    &["d1", "app-worker", "contract-worker", "example-monthly", "example-newsletter", "site"];

const TEST_FEATURES: &[&str] = &["memory", "contract", "mock", "faults"];

/// The crates that have them.
const HAVE_TEST_FEATURES: &[&str] = &["ports", "batch"];

/// The crates that are tests themselves, although cargo takes them for libraries.
const TESTS: &[&str] = &["simulator", "contract-worker"];

pub(super) fn check(members: &[Member]) -> Vec<Violation> {
    members.iter().flat_map(check_member).collect()
}

fn check_member(member: &Member) -> Vec<Violation> {
    let path = format!("{}/Cargo.toml", member.folder);
    let short = short_name(&member.folder);
    let short = short.as_str();
    let expected = if short == "xtask" { short.to_owned() } else { format!("fencepost-{short}") };
    let mut violations = Vec::new();
    if member.name != expected {
        let what = format!("the package in {} is named {:?}, not {expected:?}", member.folder, member.name);
        violations.push(NAMES.at(&path, line_naming(&member.manifest, "name"), what));
    }
    let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == short) else {
        violations.push(UNKNOWN.at(&path, 1, format!("the graph of crates does not have {short:?}")));
        return violations;
    };
    for dependency in &member.dependencies {
        if let Some((rule, what)) = judge(short, allowed, dependency) {
            violations.push(rule.at(&path, line_naming(&member.manifest, &dependency.name), what));
        }
    }
    violations
}

fn judge(short: &str, allowed: &[&str], dependency: &Dependency) -> Option<(&'static Rule, String)> {
    let Dependency { name, is_own, for_tests, features } = dependency;
    if *is_own {
        let target = name.strip_prefix("fencepost-").unwrap_or(name);
        let is_allowed = allowed.contains(&target)
            || (*for_tests && may_reach_further(short) && LIBRARIES.contains(&target))
            || (*for_tests && KIT.contains(&short) && KIT.contains(&target));
        if !is_allowed {
            let purpose = if *for_tests { ", not even for tests" } else { "" };
            return Some((&EDGES, format!("{short} may not depend on {target}{purpose}")));
        }
        let double = features.iter().find(|feature| TEST_FEATURES.contains(&feature.as_str()));
        return match double {
            Some(feature)
                if HAVE_TEST_FEATURES.contains(&target) && !for_tests && !TESTS.contains(&short) =>
            {
                Some((&DOUBLES, format!("{short} ships {name} with the feature {feature:?}")))
            }
            _ => None,
        };
    }
    if JAVASCRIPT_CRATES.contains(&name.as_str()) && !KNOW_JAVASCRIPT.contains(&short) {
        return Some((&JAVASCRIPT, format!("{short} may not depend on {name}")));
    }
    if *for_tests {
        return None;
    }
    if short == "domain" && !ALLOWED_IN_DOMAIN.contains(&name.as_str()) {
        return Some((&DOMAIN, format!("the domain may not depend on {name}")));
    }
    // Behind a feature that the edge turns on.
    let is_apart = [("adapter-http", "axum"), ("core", "getrandom")].contains(&(short, name.as_str()));
    if CORE_CRATES.contains(&short) && FORBIDDEN_IN_CORE.contains(&name.as_str()) && !is_apart {
        return Some((&CORE, format!("{short} may not depend on {name}")));
    }
    None
}

/// Whether the tests of a crate may use what the crate itself may not. Those of the kit and of
/// the examples may not: they show that it is of use without a site. Nor may those of the
/// template, which goes where there is nothing but the kit.
fn may_reach_further(short: &str) -> bool {
    !ALONE.contains(&short) && !KIT.contains(&short) && !short.starts_with("example-") && short != "site"
}

/// `domain` for `crates/domain`, and `example-newsletter` for `examples/newsletter`.
fn short_name(folder: &str) -> String {
    let last = folder.rsplit('/').next().unwrap_or(folder);
    if folder.starts_with("examples/") { format!("example-{last}") } else { last.to_owned() }
}

/// The line of a manifest that begins with this key.
fn line_naming(manifest: &str, key: &str) -> usize {
    let names_it = |line: &str| {
        let rest = line.trim_start_matches(['"', ' ']).strip_prefix(key);
        rest.is_some_and(|rest| rest.starts_with(['.', ' ', '=', '"']))
    };
    manifest.lines().position(names_it).map_or(1, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::{super::report::assert_found, *};

    fn own(name: &str, for_tests: bool, features: &[&str]) -> Dependency {
        let features = features.iter().map(|&feature| feature.to_owned()).collect();
        Dependency { name: name.to_owned(), is_own: true, for_tests, features }
    }

    fn foreign(name: &str, for_tests: bool) -> Dependency {
        Dependency { name: name.to_owned(), is_own: false, for_tests, features: Vec::new() }
    }

    fn check_one(folder: &str, dependency: Dependency, expected: &[&str]) {
        let short = short_name(folder);
        let name = if short == "xtask" { short } else { format!("fencepost-{short}") };
        let manifest = format!("[dependencies]\n{}.workspace = true\n", dependency.name);
        let member = Member { name, folder: folder.to_owned(), dependencies: vec![dependency], manifest };
        let expected: Vec<_> = expected.iter().map(|rule| (2, *rule)).collect();
        assert_found(&check(&[member]), &expected);
    }

    #[test]
    fn arrows_point_inwards() {
        check_one("crates/ports", own("fencepost-domain", false, &[]), &[]);
        check_one("crates/domain", own("fencepost-ports", false, &[]), &["allowed-dependency"]);
        check_one("crates/ports", own("fencepost-sql", false, &[]), &["allowed-dependency"]);
        check_one("crates/application", own("fencepost-adapter-sqlite", false, &[]), &["allowed-dependency"]);
        check_one("kit/d1", own("fencepost-sqlite", false, &[]), &["allowed-dependency"]);
        check_one("crates/adapter-http", own("fencepost-application", false, &[]), &[]);
        check_one("crates/adapter-http", own("fencepost-sql", false, &[]), &["allowed-dependency"]);
        check_one("crates/app-server", own("fencepost-adapter-sqlite", false, &[]), &[]);
        check_one("crates/simulator", own("fencepost-sql", false, &[]), &[]);
        check_one("crates/plan-store", own("fencepost-sql", false, &[]), &[]);
        check_one("crates/plan-store", own("fencepost-d1", false, &[]), &["allowed-dependency"]);
        check_one("crates/adapter-sqlite", own("fencepost-plan-store", false, &[]), &[]);
        check_one("crates/application", own("fencepost-plan-store", false, &[]), &["allowed-dependency"]);
    }

    #[test]
    fn the_kit_knows_nothing_of_a_site() {
        for for_tests in [false, true] {
            check_one("kit/core", own("fencepost-domain", for_tests, &[]), &["allowed-dependency"]);
            check_one("kit/batch", own("fencepost-sql", for_tests, &[]), &["allowed-dependency"]);
            check_one("kit/batch", own("fencepost-core", for_tests, &[]), &[]);
        }
        check_one("kit/core", own("fencepost-batch", false, &[]), &["allowed-dependency"]);
        check_one("kit/batch", own("fencepost-sqlite", true, &[]), &[]);
        check_one("crates/domain", own("fencepost-core", false, &[]), &[]);
        check_one("crates/domain", own("fencepost-batch", false, &[]), &["allowed-dependency"]);
    }

    #[test]
    fn a_site_of_ones_own_needs_nothing_but_the_kit() {
        for for_tests in [false, true] {
            check_one("templates/site", own("fencepost-sqlite", for_tests, &[]), &[]);
            check_one("templates/site", own("fencepost-domain", for_tests, &[]), &["allowed-dependency"]);
        }
        check_one("templates/site", foreign("worker", false), &[]);
        check_one("crates/app-server", own("fencepost-site", false, &[]), &["allowed-dependency"]);
    }

    #[test]
    fn the_examples_know_nothing_but_the_kit() {
        for for_tests in [false, true] {
            check_one("examples/newsletter", own("fencepost-sqlite", for_tests, &[]), &[]);
            let site = own("fencepost-domain", for_tests, &[]);
            check_one("examples/newsletter", site, &["allowed-dependency"]);
            check_one("kit/d1", own("fencepost-example-newsletter", for_tests, &[]), &["allowed-dependency"]);
        }
        check_one("examples/newsletter", foreign("worker", false), &[]);
    }

    #[test]
    fn tests_may_reach_further_but_never_for_an_app() {
        check_one("crates/application", own("fencepost-adapter-sqlite", true, &[]), &[]);
        check_one("crates/adapter-http", own("fencepost-app-server", true, &[]), &["allowed-dependency"]);
        check_one("crates/simulator", own("fencepost-app-server", false, &[]), &["allowed-dependency"]);
        check_one("crates/app-worker", own("fencepost-contract-worker", true, &[]), &["allowed-dependency"]);
        check_one("xtask", own("fencepost-domain", true, &[]), &["allowed-dependency"]);
    }

    #[test]
    fn the_model_of_the_protocol_stands_alone() {
        check_one("crates/protocol-model", foreign("stateright", false), &[]);
        for for_tests in [false, true] {
            for target in ["fencepost-domain", "fencepost-sql", "fencepost-ports"] {
                check_one("crates/protocol-model", own(target, for_tests, &[]), &["allowed-dependency"]);
            }
            let own = own("fencepost-protocol-model", for_tests, &[]);
            check_one("crates/ports", own, &["allowed-dependency"]);
        }
    }

    #[test]
    fn the_reference_model_is_not_shipped() {
        check_one("crates/app-server", own("fencepost-ports", false, &["memory"]), &["no-test-double-ships"]);
        check_one("crates/app-server", own("fencepost-ports", true, &["memory"]), &[]);
        let faults = |for_tests| own("fencepost-batch", for_tests, &["faults"]);
        check_one("examples/newsletter", faults(false), &["no-test-double-ships"]);
        check_one("examples/newsletter", faults(true), &[]);
        check_one("crates/simulator", own("fencepost-ports", false, &["memory"]), &[]);
        check_one("crates/contract-worker", own("fencepost-ports", false, &["contract"]), &[]);
        check_one(
            "crates/app-worker",
            own("fencepost-ports", false, &["contract"]),
            &["no-test-double-ships"],
        );
    }

    #[test]
    fn the_core_knows_no_runtime() {
        check_one("crates/domain", foreign("time", false), &[]);
        check_one("crates/domain", foreign("serde_json", false), &["pure-domain"]);
        check_one("crates/domain", foreign("proptest", true), &[]);
        check_one("crates/application", foreign("tokio", false), &["runtime-free-core"]);
        check_one("crates/application", foreign("tokio", true), &[]);
        check_one("crates/application", foreign("axum", false), &["runtime-free-core"]);
        check_one("crates/adapter-http", foreign("axum", false), &[]);
        check_one("crates/adapter-http", foreign("hyper", false), &["runtime-free-core"]);
        check_one("crates/adapter-native", foreign("tokio", false), &[]);
    }

    #[test]
    fn javascript_is_known_at_the_edge_only() {
        check_one("kit/d1", foreign("js-sys", false), &[]);
        check_one("crates/app-worker", foreign("worker", false), &[]);
        check_one("crates/contract-worker", foreign("worker", false), &[]);
        check_one("crates/plan-store", foreign("worker", false), &["javascript-at-the-edge"]);
        check_one("crates/adapter-http", foreign("wasm-bindgen", false), &["javascript-at-the-edge"]);
        check_one("crates/adapter-native", foreign("web-sys", true), &["javascript-at-the-edge"]);
    }

    #[test]
    fn names_and_places_are_known() {
        let member = |name: &str, folder: &str| Member {
            name: name.to_owned(),
            folder: folder.to_owned(),
            dependencies: Vec::new(),
            manifest: format!("[package]\nname = {name:?}\n"),
        };
        assert_found(&check(&[member("fencepost-domains", "crates/domain")]), &[(2, "package-name")]);
        assert_found(&check(&[member("fencepost-extras", "crates/extras")]), &[(1, "known-crate")]);
        assert_found(&check(&[member("xtask", "xtask")]), &[]);
    }
}
