//! Texts that differ from those of the plans in a few places.

use std::{borrow::Cow, collections::BTreeMap};

use fencepost_sql::{SqlText, catalog};

/// What is replaced in the plans' texts, by their names.
#[derive(Clone, Debug, Default)]
pub(crate) struct SqlEdits {
    edits: BTreeMap<&'static str, Vec<Edit>>,
    texts: BTreeMap<&'static str, String>,
}

#[derive(Clone, Debug)]
struct Edit {
    old: Cow<'static, str>,
    new: Cow<'static, str>,
    places: usize,
}

impl SqlEdits {
    /// The text `name` with `old` replaced by `new`.
    ///
    /// # Panics
    /// If `old` is not there, or more than once: the mutant would not be what it is called.
    pub(crate) fn one(name: &str, old: impl Into<Cow<'static, str>>, new: &'static str) -> Self {
        Self::default().and_one(name, old, new)
    }

    /// The same, and one more place.
    pub(crate) fn and_one(self, name: &str, old: impl Into<Cow<'static, str>>, new: &'static str) -> Self {
        self.and_all(name, old, new, 1)
    }

    /// The same, and every one of the `places` in which `old` stands.
    pub(crate) fn and_all(
        mut self,
        name: &str,
        old: impl Into<Cow<'static, str>>,
        new: &'static str,
        places: usize,
    ) -> Self {
        let edit = Edit { old: old.into(), new: new.into(), places };
        self.edits.entry(text_named(name).name()).or_default().push(edit);
        self.spelled()
    }

    /// Both together.
    pub(crate) fn and(mut self, other: Self) -> Self {
        for (name, edits) in other.edits {
            self.edits.entry(name).or_default().extend(edits);
        }
        self.spelled()
    }

    fn spelled(mut self) -> Self {
        self.texts = self.edits.iter().map(|(name, edits)| (*name, apply(name, edits))).collect();
        self
    }

    /// Whether every text is as it is.
    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// What is run in the place of a text.
    pub(crate) fn text<'a>(&'a self, text: &'a SqlText) -> &'a str {
        self.texts.get(text.name()).map_or_else(|| text.sql(), String::as_str)
    }
}

fn text_named(name: &str) -> &'static SqlText {
    let text = catalog::texts().into_iter().find(|text| text.name() == name);
    text.unwrap_or_else(|| panic!("there is no text {name}"))
}

fn apply(name: &str, edits: &[Edit]) -> String {
    edits.iter().fold(text_named(name).sql().to_owned(), |text, Edit { old, new, places }| {
        assert_eq!(text.matches(&**old).count(), *places, "{old:?} in {name}:\n{text}");
        text.replace(&**old, new)
    })
}
