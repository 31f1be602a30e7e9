//! What people do, and who answers for it.
//!
//! A job does what is due, and nobody has to answer for that. Everything else happens
//! because somebody wants it, and leaves a trace: who, when and why. So whatever changes
//! something for a person takes an [`Actor`], and cannot be called without one.
//!
//! The trace is written in the batch of the change. It is the batch's first statement, with
//! the whole guard, and every later one depends on it: what is not traced does not happen.
//! A commit has a guard and a token of its own, and its trace depends on that token instead.
//! Either way, an attempt that changes nothing leaves no trace.

use std::{collections::BTreeMap, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    id::{CommitToken, PuzzleId},
    time::UnixMillis,
};

/// The name of somebody who acts, as it stands on what they did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ActorName(String);

impl ActorName {
    /// The most characters that a name has.
    pub const LONGEST: usize = 40;

    /// The name that somebody has typed; `None` for none, and for one that is too long or
    /// cannot be shown.
    pub fn read(typed: &str) -> Option<Self> {
        read(typed, Self::LONGEST).map(Self)
    }

    /// The name itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ActorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for ActorName {
    type Err = ActorError;

    fn from_str(typed: &str) -> Result<Self, ActorError> {
        Self::read(typed).ok_or(ActorError::Name)
    }
}

/// Why somebody did something, in their own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason(String);

impl Reason {
    /// The most characters that a reason has.
    pub const LONGEST: usize = 500;

    /// The words themselves.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Reason {
    type Err = ActorError;

    fn from_str(typed: &str) -> Result<Self, ActorError> {
        read(typed, Self::LONGEST).map(Self).ok_or(ActorError::Reason)
    }
}

fn read(typed: &str, longest: usize) -> Option<String> {
    let text = typed.trim();
    let fits = !text.is_empty() && text.chars().count() <= longest;
    (fits && !text.chars().any(char::is_control)).then(|| text.to_owned())
}

/// Why somebody cannot be put on record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActorError {
    /// The name.
    #[error("a name has 1 to {max} characters, on one line", max = ActorName::LONGEST)]
    Name,
    /// The reason.
    #[error("a reason has 1 to {max} characters, on one line", max = Reason::LONGEST)]
    Reason,
}

/// Somebody who acts, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// Who.
    pub name: ActorName,
    /// Why, if they say so.
    pub reason: Option<Reason>,
}

impl Actor {
    /// Somebody who acts for a reason, if they give one; nothing but blanks is none.
    ///
    /// # Errors
    /// A name or a reason that cannot be put on record.
    pub fn new(name: &str, reason: Option<&str>) -> Result<Self, ActorError> {
        let reason = reason.filter(|reason| !reason.trim().is_empty());
        Ok(Self { name: name.parse()?, reason: reason.map(str::parse).transpose()? })
    }

    /// What this one does.
    pub fn does(&self, action: ActionKind) -> Deed {
        Deed { actor: self.clone(), action }
    }
}

/// The kinds of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// A page, or an item that is not out, is taken back.
    Withdraw,
    /// A withdrawal is undone.
    Reinstate,
    /// A page is brought up to the bank; or an item is published at once.
    Republish,
    /// An item may be tried again at once.
    Retry,
    /// A due instant is moved.
    Reschedule,
    /// All that makes content public is stopped.
    Pause,
    /// It goes on.
    Resume,
    /// Puzzles are imported.
    Import,
    /// One puzzle of the bank is made or changed.
    Edit,
    /// A job is run.
    Run,
    /// A link to a preview is made.
    PreviewLink,
    /// The quota of a day is set.
    SetQuota,
    /// The policy of catching up is set.
    SetPolicy,
    /// An event that nobody has received may be sent again.
    Resend,
}

impl ActionKind {
    /// Every kind.
    pub const ALL: [Self; 14] = [
        Self::Withdraw,
        Self::Reinstate,
        Self::Republish,
        Self::Retry,
        Self::Reschedule,
        Self::Pause,
        Self::Resume,
        Self::Import,
        Self::Edit,
        Self::Run,
        Self::PreviewLink,
        Self::SetQuota,
        Self::SetPolicy,
        Self::Resend,
    ];

    /// The word that is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Withdraw => "withdraw",
            Self::Reinstate => "reinstate",
            Self::Republish => "republish",
            Self::Retry => "retry",
            Self::Reschedule => "reschedule",
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Import => "import",
            Self::Edit => "edit",
            Self::Run => "run",
            Self::PreviewLink => "preview_link",
            Self::SetQuota => "set_quota",
            Self::SetPolicy => "set_policy",
            Self::Resend => "resend",
        }
    }
}

impl FromStr for ActionKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(())
    }
}

/// What somebody does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deed {
    /// Who, and why.
    pub actor: Actor,
    /// What.
    pub action: ActionKind,
}

/// A deed with the mark by which it is done once, however often a store is asked to: an
/// action whose mark is on record has been done, and is not done again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The mark, never used before.
    pub token: CommitToken,
    /// The deed.
    pub deed: Deed,
}

/// One number or word of what an action led to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum DetailValue {
    /// A number: a version, a count, an instant.
    Number(i64),
    /// A word, such as a state.
    Word(String),
}

impl fmt::Display for DetailValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

impl From<i64> for DetailValue {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for DetailValue {
    fn from(word: &str) -> Self {
        Self::Word(word.to_owned())
    }
}

/// What an action led to, by name; `None` where there was nothing before, or is nothing now.
pub type Details = BTreeMap<String, Option<DetailValue>>;

/// An action, as recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoggedAction {
    /// Its place in the order of all actions, whatever the clock said then.
    pub number: i64,
    /// Its mark; that of the receipt, if it changed a page.
    pub token: CommitToken,
    /// When, by the store's clock.
    pub at: UnixMillis,
    /// Who.
    pub actor: String,
    /// What.
    pub action: ActionKind,
    /// Whose answer it was about, if it was about one.
    pub puzzle_id: Option<PuzzleId>,
    /// Why, if they said so.
    pub reason: Option<String>,
    /// What it led to.
    pub detail: Details,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_a_reason_are_short_and_can_be_shown() {
        let longest = "é".repeat(ActorName::LONGEST);
        for (typed, name) in [(" Ada ", Some("Ada")), (longest.as_str(), Some(longest.as_str()))] {
            assert_eq!(ActorName::read(typed).as_ref().map(ActorName::as_str), name);
        }
        for typed in ["", "  ", "A\nda", "A\0", &"a".repeat(ActorName::LONGEST + 1)] {
            assert_eq!(ActorName::read(typed), None, "{typed:?}");
            assert_eq!(typed.parse::<ActorName>(), Err(ActorError::Name));
        }
        let reason = |typed: &str| Actor::new("Ada", Some(typed)).map(|actor| actor.reason.map(|it| it.0));
        let longest = "x".repeat(Reason::LONGEST);
        assert_eq!(reason(" a typo "), Ok(Some("a typo".to_owned())));
        assert_eq!(reason(&longest), Ok(Some(longest.clone())));
        assert_eq!(reason("  "), Ok(None), "blanks are no reason");
        assert_eq!(reason(&format!("{longest}x")), Err(ActorError::Reason));
        assert_eq!(reason("a\tb"), Err(ActorError::Reason));
        assert_eq!(Actor::new(" ", None), Err(ActorError::Name));
        assert_eq!(ActorError::Name.to_string(), "a name has 1 to 40 characters, on one line");
    }

    #[test]
    fn every_action_has_a_word_of_its_own() {
        for kind in ActionKind::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        assert_eq!("".parse::<ActionKind>(), Err(()));
    }

    #[test]
    fn details_are_plain_numbers_and_words() {
        let text = r#"{"from":7,"nothing":null,"to":"scheduled"}"#;
        let details: Details = serde_json::from_str(text).unwrap();
        assert_eq!(details["from"], Some(7.into()));
        assert_eq!(details["to"], Some("scheduled".into()));
        assert_eq!(serde_json::to_string(&details).unwrap(), text);
        let shown = details.values().flatten().map(DetailValue::to_string).collect::<Vec<_>>();
        assert_eq!(shown, ["7", "scheduled"]);
    }
}
