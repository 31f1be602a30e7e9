//! The name of an item, as a heading.

/// From this length on, in characters, a name is set smaller, so that it does not push the
/// rest of its page away.
const LONG: usize = 48;

/// The name of an item, as a heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameText(String);

impl NameText {
    /// The name itself.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether it is set smaller.
    pub(crate) fn is_long(&self) -> bool {
        self.0.chars().count() >= LONG
    }
}

impl From<String> for NameText {
    fn from(name: String) -> Self {
        Self(name)
    }
}
