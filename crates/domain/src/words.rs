//! The words of the closed sets.
//!
//! A word is stored in a column and read back, and the same word stands in reports. So each
//! member has one, in every spelling that the code has of it, and no two share it.

use std::{fmt::Debug, str::FromStr};

use serde::{
    Deserialize,
    de::{IntoDeserializer, value},
};

use crate::{
    alert::AlertKind,
    commit::CommitKind,
    guard::Predicate,
    image::ImageState,
    job::Job,
    ledger::ItemState,
    outbox::{EventKind, EventState},
    outcome::Outcome,
    results::GameOutcome,
};

/// Checks that what is read from a word is whose word it is.
#[track_caller]
fn check<T: Copy + Debug + PartialEq>(
    all: &[T],
    word: impl Fn(T) -> &'static str,
    read: impl Fn(&'static str) -> Option<T>,
) {
    for member in all {
        assert_eq!(read(word(*member)), Some(*member));
    }
    for unknown in ["", "no_such_word"] {
        assert_eq!(read(unknown), None, "{unknown:?}");
    }
}

fn parsed<T: FromStr>(word: &str) -> Option<T> {
    word.parse().ok()
}

fn deserialized<T: Deserialize<'static>>(word: &'static str) -> Option<T> {
    T::deserialize(IntoDeserializer::<value::Error>::into_deserializer(word)).ok()
}

#[test]
fn a_word_that_is_stored_reads_back() {
    check(&ItemState::ALL, ItemState::as_str, parsed);
    check(&CommitKind::ALL, CommitKind::as_str, parsed);
    check(&[ImageState::Ready, ImageState::Failed], ImageState::as_str, parsed);
    check(&[Job::Publish, Job::Compensate], Job::as_str, parsed);
    check(&[GameOutcome::Won, GameOutcome::Lost], GameOutcome::as_str, parsed);
    check(&EventKind::ALL, EventKind::as_str, parsed);
    check(&EventState::ALL, EventState::as_str, parsed);
    check(&AlertKind::ALL, AlertKind::as_str, parsed);
}

#[test]
fn reports_have_the_words_that_are_stored() {
    check(&ItemState::ALL, ItemState::as_str, deserialized);
    check(&CommitKind::ALL, CommitKind::as_str, deserialized);
    check(&[ImageState::Ready, ImageState::Failed], ImageState::as_str, deserialized);
    check(&[Job::Publish, Job::Compensate], Job::as_str, deserialized);
    check(&EventKind::ALL, EventKind::as_str, deserialized);
    check(&EventState::ALL, EventState::as_str, deserialized);
    check(&AlertKind::ALL, AlertKind::as_str, deserialized);
    check(&Outcome::ALL, Outcome::as_str, deserialized);
    check(&Predicate::ALL, Predicate::as_str, deserialized);
}

#[test]
fn an_outcome_is_told_by_its_word() {
    assert_eq!(format!("[{:>10}]", Outcome::LeaseHeld), "[lease_held]");
    assert_eq!(format!("[{:<10}]", Outcome::NotDue), "[not_due   ]");
}
