//! No SQL outside `crates/sql` and `migrations`. A template of a site has its own.
//!
//! Only string literals are looked at. Upper-case keywords are SQL wherever they stand,
//! as no message for people has a word `SELECT`; lower-case ones only where the literal
//! has the shape of a statement. Tests may write SQL, to plant and to look; this program,
//! which reaches no database, knows the keywords.

use super::{
    migrations::is_migration,
    report::{Rule, Violation, is_test_path},
    tokens::Token,
};

static TEXT: Rule = Rule {
    name: "sql-in-its-place",
    why: "every statement is typed, counted, snapshotted and reviewed in crates/sql, so that both \
          stores run the same text",
};

static TABLES: Rule = Rule {
    name: "tables-in-migrations",
    why: "the schema is made by migrations/NNNN_name.sql alone, the same files for both stores",
};

static FILES: Rule = Rule {
    name: "sql-files-in-their-place",
    why: "an .sql file is a migration or a snapshot of crates/sql; nobody reviews it elsewhere",
};

/// Adapters that run SQLite: they open connections and frame transactions.
const RUNNERS: &[&str] = &["kit/sqlite/", "kit/d1/"];

/// Crates that are tests as a whole. What runs inside workerd is a library that was made a
/// Worker, so it cannot stand in a folder of tests; but it plants and looks, as tests do.
/// So does the simulator: its judge must share no query with what it judges, and it breaks
/// the texts of `crates/sql` on purpose. And what measures the product beside bare SQLite
/// has to speak to it barely.
const TESTS: &[&str] = &["crates/bench/", "crates/contract-worker/", "crates/simulator/"];

/// Each is a whole of its own, with its tables and its statements.
const EXAMPLES: &str = "examples/";

/// The table in which applied migrations are recorded cannot come from a migration.
const MIGRATIONS_TABLE: &str = "d1_migrations";

/// The one table that the kit brings, for migrations of others.
const LEASES_TABLE: &str = "job_leases";

const DEFINITIONS: &[&str] = &["CREATE", "ALTER", "DROP"];

const FRAMES: &[&str] = &["PRAGMA", "BEGIN", "COMMIT", "ROLLBACK", "SAVEPOINT", "RELEASE", "VACUUM"];

pub(super) fn check(path: &str, tokens: &[Token]) -> Vec<Violation> {
    let is_test = is_test_path(path) || TESTS.iter().any(|folder| path.starts_with(folder));
    if is_test || path.starts_with("xtask/") || path.starts_with(EXAMPLES) {
        return Vec::new();
    }
    let mut violations = Vec::new();
    for token in tokens.iter().filter(|token| token.is_literal && !token.in_test) {
        let text = token.text.replace("\\n", " ").replace("\\t", " ").replace("\\\n", " ");
        let Some(keyword) = statement(&text) else { continue };
        if !is_at_home(path, keyword, &text) {
            let rule = if DEFINITIONS.contains(&keyword) { &TABLES } else { &TEXT };
            violations.push(rule.at(path, token.line, format!("a statement: {keyword} …")));
        }
    }
    violations
}

fn is_at_home(path: &str, keyword: &str, text: &str) -> bool {
    let is_sql = ["crates/sql/", "kit/batch/", "templates/"].iter().any(|folder| path.starts_with(folder));
    let is_runner = RUNNERS.iter().any(|folder| path.starts_with(folder));
    if DEFINITIONS.contains(&keyword) {
        let is_ours = path.starts_with("kit/batch/") && text.contains(LEASES_TABLE);
        return is_ours || (is_sql || is_runner) && text.contains(MIGRATIONS_TABLE);
    }
    is_sql || (is_runner && FRAMES.contains(&keyword))
}

/// An `.sql` file must stand where it is looked at.
pub(super) fn check_file(path: &str) -> Option<Violation> {
    let is_in_place = is_migration(path)
        || ["crates/sql/", EXAMPLES].iter().any(|home| path.starts_with(home))
        || is_test_path(path);
    (!is_in_place).then(|| FILES.at(path, 1, "an .sql file"))
}

/// The keyword that makes a literal SQL.
fn statement(text: &str) -> Option<&'static str> {
    upper_case_statement(text).or_else(|| lower_case_statement(text))
}

fn upper_case_statement(text: &str) -> Option<&'static str> {
    const OBJECTS: &[&str] = &["TABLE", "INDEX", "UNIQUE", "VIEW", "TRIGGER", "TEMP", "TEMPORARY", "VIRTUAL"];
    const MODES: &[&str] = &["IMMEDIATE", "EXCLUSIVE", "DEFERRED", "TRANSACTION"];
    let words: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .collect();
    let alone = |at: usize| words.len() == 1 && at == 0;
    words.iter().enumerate().find_map(|(at, word)| {
        let next = words.get(at + 1).copied().unwrap_or_default();
        match *word {
            "SELECT" => Some("SELECT"),
            "INSERT" if matches!(next, "INTO" | "OR") => Some("INSERT"),
            "REPLACE" if next == "INTO" => Some("REPLACE"),
            "UPDATE" if words[at..].contains(&"SET") => Some("UPDATE"),
            "DELETE" if next == "FROM" => Some("DELETE"),
            "WHERE" => Some("WHERE"),
            "CREATE" if OBJECTS.contains(&next) => Some("CREATE"),
            "ALTER" if OBJECTS.contains(&next) => Some("ALTER"),
            "DROP" if OBJECTS.contains(&next) => Some("DROP"),
            "PRAGMA" => Some("PRAGMA"),
            "VACUUM" => Some("VACUUM"),
            "BEGIN" if alone(at) || MODES.contains(&next) => Some("BEGIN"),
            "COMMIT" if alone(at) => Some("COMMIT"),
            "ROLLBACK" if alone(at) => Some("ROLLBACK"),
            "SAVEPOINT" => Some("SAVEPOINT"),
            _ => None,
        }
    })
}

fn lower_case_statement(text: &str) -> Option<&'static str> {
    let text = text.trim_start_matches(['b', 'c', 'r', '#', '"', ' ']).to_ascii_lowercase();
    let compares = text.contains(['=', '*', ',', '(']);
    match text.split_whitespace().next()? {
        "select" if text.contains(" from ") && compares => Some("SELECT"),
        "insert" if text.starts_with("insert into ") => Some("INSERT"),
        "update" if text.contains(" set ") && text.contains('=') => Some("UPDATE"),
        "delete" if text.starts_with("delete from ") => Some("DELETE"),
        "create" if text.starts_with("create table ") => Some("CREATE"),
        "pragma" => Some("PRAGMA"),
        _ => None,
    }
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
    fn statements_stand_in_the_sql_crate() {
        let text = "fn f() {\n    run(\"SELECT 1\\nFROM puzzles\");\n}";
        check_text("crates/sql/src/a.rs", text, &[]);
        check_text("kit/sqlite/src/a.rs", text, &[(2, "sql-in-its-place")]);
        check_text("crates/app-server/src/a.rs", text, &[(2, "sql-in-its-place")]);
        check_text("crates/adapter-sqlite/tests/it/a.rs", text, &[]);
        check_text("crates/contract-worker/src/a.rs", text, &[]);
        check_text("crates/simulator/src/a.rs", text, &[]);
        check_text("templates/site/src/a.rs", text, &[]);
        check_text("crates/app-worker/src/a.rs", text, &[(2, "sql-in-its-place")]);
        check_text("examples/newsletter/src/a.rs", text, &[]);
    }

    #[test]
    fn every_kind_of_statement_is_seen() {
        for literal in [
            "\"INSERT INTO t VALUES (1)\"",
            "\"INSERT OR IGNORE INTO t VALUES (1)\"",
            "r#\"UPDATE t SET a = 1\"#",
            "\"DELETE FROM t\"",
            "\"PRAGMA journal_mode = WAL\"",
            "\"BEGIN IMMEDIATE\"",
            "\"COMMIT\"",
            "\" AND EXISTS (SELECT 1)\"",
            "\"select a, b from t\"",
            "r\"delete from t\"",
            "\"update t set a = 1\"",
        ] {
            let text = format!("const A: &str = {literal};");
            check_text("crates/application/src/a.rs", &text, &[(1, "sql-in-its-place")]);
        }
    }

    #[test]
    fn prose_is_no_statement() {
        for literal in [
            "\"Select a puzzle from the list\"",
            "\"DELETE and UPDATE are refused\"",
            "\"the commit was ROLLBACK material\"",
            "\"update the settings and set a token\"",
            "\"created\"",
        ] {
            check_text(
                "crates/application/src/a.rs",
                &format!("/// SELECT a FROM b\nconst A: &str = {literal};"),
                &[],
            );
        }
    }

    #[test]
    fn tables_are_made_by_migrations() {
        let text = "const A: &str = \"CREATE TABLE IF NOT EXISTS extra (id INTEGER) STRICT\";";
        check_text("crates/sql/src/a.rs", text, &[(1, "tables-in-migrations")]);
        check_text("templates/site/src/a.rs", text, &[(1, "tables-in-migrations")]);
        check_text("kit/sqlite/src/a.rs", text, &[(1, "tables-in-migrations")]);
        check_text("crates/sql/src/a.rs", &text.replace("extra", "d1_migrations"), &[]);
        check_text(
            "crates/application/src/a.rs",
            &text.replace("extra", "d1_migrations"),
            &[(1, "tables-in-migrations")],
        );
    }

    #[test]
    fn the_runners_may_frame_a_transaction() {
        for statement in ["PRAGMA journal_mode = WAL", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"] {
            let text = format!("const A: &str = {statement:?};");
            check_text("kit/sqlite/src/a.rs", &text, &[]);
            check_text("crates/adapter-native/src/a.rs", &text, &[(1, "sql-in-its-place")]);
        }
    }

    #[test]
    fn unit_tests_may_plant() {
        check_text("crates/ports/src/a.rs", "#[cfg(test)]\nmod tests { const A: &str = \"SELECT 1\"; }", &[]);
    }

    #[test]
    fn sql_files_are_migrations_or_snapshots() {
        assert!(check_file("migrations/0001_a.sql").is_none());
        assert!(check_file("templates/site/migrations/0001_a.sql").is_none());
        assert!(check_file("templates/site/src/a.sql").is_some());
        assert!(check_file("crates/sql/tests/output/claim.sql").is_none());
        assert!(check_file("examples/newsletter/migrations/0001_a.sql").is_none());
        assert!(check_file("crates/app-server/src/seed.sql").is_some());
    }
}
