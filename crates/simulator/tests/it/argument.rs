//! The document that argues why a publication happens once, held against the program.
//!
//! `UPDATE_EXPECT=1 cargo test -p fencepost-simulator --test it argument` brings it up to date.

use std::{
    fs,
    path::{Path, PathBuf},
};

use expect_test::expect_file;
use fencepost_ports::contract::CASES;
use fencepost_simulator::{
    argument,
    mutants::{catalogue, proof},
};

const DOCUMENT: &str = "docs/correctness.md";

/// Where the tests are that a clause may name, from the root of the workspace.
const SOURCES: [&str; 2] = ["crates", "xtask/workerd/integration"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A source file, by its path from the root.
struct Source {
    path: String,
    text: String,
}

fn sources() -> Vec<Source> {
    let root = root();
    let mut sources = Vec::new();
    let mut folders: Vec<_> = SOURCES.map(|folder| root.join(folder)).to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_source = path.extension().is_some_and(|it| it == "rs" || it == "mjs");
            if path.is_dir() {
                folders.push(path);
            } else if is_source {
                let text = fs::read_to_string(&path).unwrap();
                let path = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
                sources.push(Source { path, text });
            }
        }
    }
    sources
}

/// Whether a file has the test of this name: a function that is marked as one, a case of
/// the contract, or a scenario.
fn has_test(Source { path, text }: &Source, test: &str, name: &str) -> bool {
    if path.ends_with(".mjs") {
        return text.contains(&format!("export async function {name}("));
    }
    let Some(at) = text.find(&format!("fn {name}(")) else { return false };
    let before = text[..at].trim_end().lines().rev().map(str::trim);
    let mut attributes = before.take_while(|line| *line == "async" || line.starts_with("#["));
    let is_marked = attributes.any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"));
    let is_case = path.starts_with("crates/ports/src/contract/") && CASES.iter().any(|it| it.name == test);
    is_marked || is_case
}

/// The one file that a test is in.
fn file_of(sources: &[Source], test: &str) -> String {
    let (stem, name) = test.split_once("::").unwrap();
    let fits = |source: &&Source| {
        let file = source.path.rsplit('/').next().and_then(|file| file.split('.').next());
        file == Some(stem) && has_test(source, test, name)
    };
    let found: Vec<_> = sources.iter().filter(fits).map(|source| source.path.as_str()).collect();
    match found.as_slice() {
        [path] => (*path).to_owned(),
        [] => panic!("there is no test {test}, which mutants/proofs.rs names"),
        several => panic!("{test} may be any of {several:?}"),
    }
}

/// The document with what stands between a block's marks replaced.
fn with_block(document: &str, name: &str, block: &str) -> String {
    let (opening, closing) = (format!("<!-- {name}: generated -->\n"), format!("<!-- {name}: end -->\n"));
    let parts =
        document.split_once(&opening).and_then(|(before, rest)| Some((before, rest.split_once(&closing)?.1)));
    let (before, after) = parts.unwrap_or_else(|| panic!("{DOCUMENT} has no block {name:?}"));
    format!("{before}{opening}\n{block}\n{closing}{after}")
}

#[test]
fn the_lists_of_the_argument_are_those_of_the_program() {
    let (path, sources) = (root().join(DOCUMENT), sources());
    let document = fs::read_to_string(&path).unwrap();
    let clauses = argument::clauses(|test| format!("../{}", file_of(&sources, test)));
    let document = with_block(&document, "clauses", &clauses);
    let document = with_block(&document, "rules", &argument::rules());
    let document = with_block(&document, "faults", &argument::faults());
    expect_file![path].assert_eq(&document);
}

#[test]
fn every_test_that_a_clause_names_is_there() {
    let sources = sources();
    for it in catalogue() {
        file_of(&sources, proof(it.part, &it.clause));
    }
}

#[test]
fn a_function_is_a_test_if_it_is_marked_as_one() {
    let found = |path: &str, text: &str, test: &str| {
        let source = Source { path: path.to_owned(), text: text.to_owned() };
        has_test(&source, test, test.split_once("::").unwrap().1)
    };
    assert!(found("crates/a/tests/it/b.rs", "#[tokio::test]\nasync fn c() {\n", "b::c"));
    assert!(found("crates/a/src/b.rs", "    #[test]\n    fn c() {\n", "b::c"));
    assert!(found("crates/a/src/b.rs", "#[test]\n#[expect(x, reason = \"y\")]\nfn c() {\n", "b::c"));
    assert!(!found("crates/a/src/b.rs", "#[test]\nfn other() {\n}\n\nfn c() {\n", "b::c"), "a helper");
    assert!(!found("crates/a/src/b.rs", "#[test]\nfn cc() {\n", "b::c"));
    assert!(found("xtask/workerd/integration/b.mjs", "export async function c(", "b::c"));
    let leases = "pub(super) async fn each_key_is_a_lease_of_its_own(";
    let path = "crates/ports/src/contract/cases/leases.rs";
    assert!(found(path, leases, "leases::each_key_is_a_lease_of_its_own"));
    assert!(!found(path, "pub(super) async fn check(", "leases::check"), "no case");
}
