//! Every text as a file that is reviewed like code.

use std::{collections::BTreeSet, fs, path::PathBuf};

use expect_test::expect_file;
use fencepost_sql::catalog;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/output")
}

fn file_name(name: &str) -> String {
    format!("{}.sql", name.replace('/', "__"))
}

#[test]
fn every_text_is_as_it_was_reviewed() {
    for text in catalog::texts() {
        expect_file![folder().join(file_name(text.name()))].assert_eq(&format!("{}\n", text.sql()));
    }
}

#[test]
fn no_reviewed_text_is_left_over() {
    let known: BTreeSet<_> = catalog::texts().into_iter().map(|text| file_name(text.name())).collect();
    let files: BTreeSet<_> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(files, known);
}

#[test]
fn names_are_unique() {
    let texts = catalog::texts();
    let names: BTreeSet<_> = texts.iter().map(|text| text.name()).collect();
    assert_eq!(names.len(), texts.len());
}
