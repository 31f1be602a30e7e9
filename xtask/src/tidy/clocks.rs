//! No clock and no randomness outside the apps and the adapters of one target.
//!
//! Clippy bans the clocks by path wherever its settings reach; this rule also sees
//! what clippy has no type for, and cannot be switched off by an attribute.

use super::{
    report::{Rule, Violation, is_test_path},
    tokens::{Token, find},
};

static CLOCK: Rule = Rule {
    name: "no-clock",
    why: "the database's clock decides, so that skew between machines cannot matter; \
          inside, time is an argument",
};

static RANDOMNESS: Rule = Rule {
    name: "no-randomness",
    why: "owners, tokens and seeds are arguments, drawn at the edge, so that every run can be repeated",
};

/// Where a clock may be read: to measure, never to decide.
const CLOCK_EDGE: &[&str] = &[
    "crates/app-",
    "kit/sqlite/",
    "kit/d1/",
    "crates/bench/",
    "crates/protocol-model/src/main.rs",
    "xtask/",
];

/// Where randomness may be drawn.
const RANDOM_EDGE: &[&str] = &["crates/app-", "kit/core/src/random_tokens.rs", "xtask/"];

const CLOCKS: &[&str] = &[
    "SystemTime : : now",
    "Instant : : now",
    "Timestamp : : now",
    "Zoned : : now",
    "Utc : : now",
    "Local : : now",
    "OffsetDateTime : : now_utc",
    "UNIX_EPOCH . elapsed",
];

const ENTROPY: &[&str] = &[
    "getrandom : :",
    "getrandom (",
    "fastrand : :",
    "Uuid : : new_v4",
    "Uuid : : now_v7",
    "OsRng",
    "thread_rng (",
    "from_entropy (",
    "from_os_rng (",
    "rand : : rng (",
    "rand : : random",
];

/// A seeded generator: the simulator's only.
const GENERATOR: &str = "rand : :";

pub(super) fn check(path: &str, tokens: &[Token]) -> Vec<Violation> {
    if is_test_path(path) {
        return Vec::new();
    }
    let generator = (!path.starts_with("crates/simulator/")).then_some(GENERATOR);
    let randomness: Vec<_> = ENTROPY.iter().copied().chain(generator).collect();
    let mut violations: Vec<Violation> = Vec::new();
    for (rule, edge, patterns) in [(&CLOCK, CLOCK_EDGE, CLOCKS), (&RANDOMNESS, RANDOM_EDGE, &randomness)] {
        if edge.iter().any(|folder| path.starts_with(folder)) {
            continue;
        }
        for pattern in patterns {
            for found in find(tokens, pattern).filter(|found| !found[0].in_test) {
                let line = found[0].line;
                if violations.iter().all(|violation| violation.line != line) {
                    violations.push(rule.at(
                        path,
                        line,
                        format!("`{}` is read here", pattern.replace(' ', "")),
                    ));
                }
            }
        }
    }
    violations
}

#[cfg(test)]
mod tests {
    use super::{
        super::{report::assert_found, tokens},
        *,
    };

    fn check_text(path: &str, text: &str, expected: &[(usize, &str)]) {
        assert_found(&check(path, &tokens::read(text).unwrap_or_default()), expected);
    }

    #[test]
    fn clocks_are_read_at_the_edge_only() {
        let text = "// Instant::now()\nfn f() {\n    let a = std::time::Instant::now();\n}";
        check_text("crates/application/src/a.rs", text, &[(3, "no-clock")]);
        check_text("crates/adapter-http/src/a.rs", text, &[(3, "no-clock")]);
        check_text("kit/sqlite/src/a.rs", text, &[]);
        check_text("crates/app-server/src/a.rs", text, &[]);
        check_text("crates/application/tests/it/a.rs", text, &[]);
        check_text("crates/domain/src/a.rs", "fn f() { OffsetDateTime::now_utc(); }", &[(1, "no-clock")]);
        check_text("crates/domain/src/a.rs", "fn f() { SystemTime::now(); }", &[(1, "no-clock")]);
        check_text("crates/domain/src/a.rs", "#[cfg(test)]\nmod tests { fn f() { Instant::now(); } }", &[]);
    }

    #[test]
    fn randomness_is_drawn_at_the_edge_only() {
        check_text("crates/ports/src/a.rs", "fn f() { getrandom::fill(b); }", &[(1, "no-randomness")]);
        check_text("crates/ports/src/a.rs", "fn f() { Uuid::new_v4(); }", &[(1, "no-randomness")]);
        check_text("crates/adapter-sqlite/src/a.rs", "fn f() { Uuid::new_v4(); }", &[(1, "no-randomness")]);
        check_text("crates/app-server/src/a.rs", "fn f() { getrandom::fill(b); }", &[]);
        check_text("crates/ports/src/a.rs", "use rand::Rng;", &[(1, "no-randomness")]);
        check_text("crates/ports/src/a.rs", "/// As `rand::random` would.\nfn brand() { strand::f() }", &[]);
    }

    #[test]
    fn the_simulator_draws_from_its_seed_alone() {
        check_text("crates/simulator/src/a.rs", "use rand::{Rng, SeedableRng};", &[]);
        check_text("crates/simulator/src/a.rs", "fn f() { rand::random() }", &[(1, "no-randomness")]);
        check_text("crates/simulator/src/a.rs", "fn f() { Instant::now() }", &[(1, "no-clock")]);
    }
}
