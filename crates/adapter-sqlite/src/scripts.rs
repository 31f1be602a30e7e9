//! The texts of batches, in the frame of a transaction.
//!
//! A text depends on nothing but the list of its statements, of which there are a few dozen.
//! Each is derived once.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use fencepost_sql::{Statement, script::script};

/// The texts of batches that end in the same way.
#[derive(Debug)]
pub(crate) struct Scripts {
    end: &'static str,
    /// By the names of their statements: the catalog has none twice.
    derived: Mutex<HashMap<Vec<&'static str>, Arc<str>>>,
}

impl Scripts {
    /// Of batches that are kept.
    pub(crate) fn kept() -> Self {
        Self { end: ";\nCOMMIT", derived: Mutex::default() }
    }

    /// Of batches that are left open, to be rolled back.
    pub(crate) fn undone() -> Self {
        Self { end: "", derived: Mutex::default() }
    }

    /// The text of these statements.
    pub(crate) fn of<'a>(&self, statements: impl Iterator<Item = &'a Statement> + Clone) -> Arc<str> {
        let names: Vec<_> = statements.clone().map(|statement| statement.text().name()).collect();
        let mut derived = self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        let derive = || format!("BEGIN IMMEDIATE;\n{}{}", script(statements), self.end).into();
        Arc::clone(derived.entry(names).or_insert_with(derive))
    }
}
