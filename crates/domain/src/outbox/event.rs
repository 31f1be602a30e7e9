//! Events: what they are called, and what they tell of.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize, Serializer};

use crate::{
    commit::{CommitKind, Receipt},
    episode::{Edge, Episode},
    id::{ContentVersion, PuzzleId},
    revision::Revision,
    time::UnixMillis,
};

/// What happened to a page, or to an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A page appeared.
    Published,
    /// A page has new content.
    Updated,
    /// A page was taken back.
    Withdrawn,
    /// A page is there again.
    Reinstated,
    /// There is something that a person should look at.
    AlertRaised,
    /// It is over.
    AlertCleared,
}

impl EventKind {
    /// Every kind.
    pub const ALL: [Self; 6] = [
        Self::Published,
        Self::Updated,
        Self::Withdrawn,
        Self::Reinstated,
        Self::AlertRaised,
        Self::AlertCleared,
    ];
    /// The kinds that tell of pages.
    pub const PAGES: [Self; 4] = [Self::Published, Self::Updated, Self::Withdrawn, Self::Reinstated];

    /// The word that is stored, and sent.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Updated => "updated",
            Self::Withdrawn => "withdrawn",
            Self::Reinstated => "reinstated",
            Self::AlertRaised => "alert_raised",
            Self::AlertCleared => "alert_cleared",
        }
    }

    /// What a commit of this kind is told as.
    pub const fn of(kind: CommitKind) -> Self {
        match kind {
            CommitKind::Publish => Self::Published,
            CommitKind::Update => Self::Updated,
            CommitKind::Withdraw => Self::Withdrawn,
            CommitKind::Reinstate => Self::Reinstated,
        }
    }

    /// What this edge of an alert is told as.
    pub const fn of_edge(edge: Edge) -> Self {
        match edge {
            Edge::Raised => Self::AlertRaised,
            Edge::Cleared => Self::AlertCleared,
        }
    }

    /// What it tells of.
    pub const fn topic(self) -> Topic {
        match self {
            Self::Published => Topic::Page(CommitKind::Publish),
            Self::Updated => Topic::Page(CommitKind::Update),
            Self::Withdrawn => Topic::Page(CommitKind::Withdraw),
            Self::Reinstated => Topic::Page(CommitKind::Reinstate),
            Self::AlertRaised => Topic::Alert(Edge::Raised),
            Self::AlertCleared => Topic::Alert(Edge::Cleared),
        }
    }
}

/// What a kind of event tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// A page that was changed like this.
    Page(CommitKind),
    /// An alert that began or ended.
    Alert(Edge),
}

impl FromStr for EventKind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(())
    }
}

/// The name of an event, and the key by which a receiver knows it again: `publish-1121-v1`,
/// or `alert-7-raised`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EventId(String);

impl EventId {
    /// The name of the event of a commit.
    pub fn of(receipt: &Receipt) -> Self {
        Self(format!("{}-{}-v{}", receipt.kind.as_str(), receipt.puzzle_id, receipt.content_version))
    }

    /// The name of the event of an alert.
    pub fn of_alert(episode: i64, edge: Edge) -> Self {
        Self(format!("alert-{episode}-{}", edge.as_str()))
    }

    /// The name as it is stored, and sent.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text that is no name of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name of an event has 1 to 100 letters, digits and hyphens")]
pub struct InvalidEventId;

impl FromStr for EventId {
    type Err = InvalidEventId;

    fn from_str(text: &str) -> Result<Self, InvalidEventId> {
        Self::try_from(text.to_owned())
    }
}

impl TryFrom<String> for EventId {
    type Error = InvalidEventId;

    fn try_from(text: String) -> Result<Self, InvalidEventId> {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        if is_plain && (1..=100).contains(&text.len()) { Ok(Self(text)) } else { Err(InvalidEventId) }
    }
}

impl From<EventId> for String {
    fn from(id: EventId) -> Self {
        id.0
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its name, and its key.
    pub event_id: EventId,
    /// Of what.
    pub subject: Subject,
    /// When it happened.
    pub happened_at: UnixMillis,
}

/// What an event is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Subject {
    /// A page.
    Page(PageChange),
    /// An alert.
    Alert(AlertEdge),
}

/// A change of what is published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PageChange {
    /// Which change.
    #[serde(skip)]
    pub change: CommitKind,
    /// Of the page of which puzzle.
    pub puzzle_id: PuzzleId,
    /// The page's version since.
    pub content_version: ContentVersion,
    /// The site's revision since.
    pub revision: Revision,
}

impl PageChange {
    /// Whether everybody may see the page afterwards.
    pub const fn leaves_it_public(&self) -> bool {
        !matches!(self.change, CommitKind::Withdraw)
    }
}

/// The beginning or the end of an alert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AlertEdge {
    /// Which of the two.
    #[serde(skip)]
    pub edge: Edge,
    /// The alert, as it was when it began.
    #[serde(rename = "alert")]
    pub episode: Episode,
}

impl Event {
    /// The puzzle whose page it tells of, if it tells of one.
    pub const fn puzzle_id(&self) -> Option<PuzzleId> {
        match &self.subject {
            Subject::Page(page) => Some(page.puzzle_id),
            Subject::Alert(_) => None,
        }
    }

    /// The event of a commit.
    pub fn of(receipt: &Receipt) -> Self {
        Self {
            event_id: EventId::of(receipt),
            subject: Subject::Page(PageChange {
                change: receipt.kind,
                puzzle_id: receipt.puzzle_id,
                content_version: receipt.content_version,
                revision: receipt.revision,
            }),
            happened_at: receipt.committed_at,
        }
    }

    /// The event of the beginning or the end of an alert.
    pub fn of_alert(episode: Episode, edge: Edge, happened_at: UnixMillis) -> Self {
        Self {
            event_id: EventId::of_alert(episode.number, edge),
            subject: Subject::Alert(AlertEdge { edge, episode }),
            happened_at,
        }
    }

    /// Its kind.
    pub const fn kind(&self) -> EventKind {
        match &self.subject {
            Subject::Page(page) => EventKind::of(page.change),
            Subject::Alert(alert) => EventKind::of_edge(alert.edge),
        }
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'a> {
            event_id: &'a EventId,
            kind: EventKind,
            #[serde(flatten)]
            subject: &'a Subject,
            happened_at: UnixMillis,
        }
        let Self { event_id, subject, happened_at } = self;
        Shown { event_id, kind: self.kind(), subject, happened_at: *happened_at }.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{CommitToken, Fence, OwnerId};

    #[test]
    fn an_event_is_named_after_its_commit() {
        let check = |kind: CommitKind, name: &str| {
            let receipt = Receipt {
                commit_token: CommitToken::new("t"),
                puzzle_id: PuzzleId::try_from(1_121).unwrap(),
                kind,
                owner_id: OwnerId::new("press"),
                fence: Fence::new(1),
                content_version: ContentVersion::new(3),
                revision: Revision::new(7),
                committed_at: UnixMillis::new(9),
            };
            assert_eq!(EventId::of(&receipt).as_str(), name);
            assert_eq!(name.parse(), Ok(EventId::of(&receipt)), "it is an address, too");
        };
        check(CommitKind::Publish, "publish-1121-v3");
        check(CommitKind::Update, "update-1121-v3");
        check(CommitKind::Withdraw, "withdraw-1121-v3");
        check(CommitKind::Reinstate, "reinstate-1121-v3");
    }

    #[test]
    fn what_is_no_name_is_refused() {
        for text in ["", "a b", "publish/1", "ü", "a\n", "%31", &"a".repeat(101)] {
            assert_eq!(text.parse::<EventId>(), Err(InvalidEventId), "{text:?}");
        }
        assert!("a".repeat(100).parse::<EventId>().is_ok());
    }

    #[test]
    fn only_a_withdrawn_page_is_not_public_afterwards() {
        let is_public = |change| {
            let (content_version, revision) = (ContentVersion::new(1), Revision::new(1));
            let puzzle_id = PuzzleId::try_from(1).unwrap();
            PageChange { change, puzzle_id, content_version, revision }.leaves_it_public()
        };
        let public: Vec<_> = CommitKind::ALL.into_iter().filter(|change| is_public(*change)).collect();
        assert_eq!(public, [CommitKind::Publish, CommitKind::Update, CommitKind::Reinstate]);
    }

    #[test]
    fn a_kind_tells_of_what_it_was_made_of() {
        for kind in EventKind::ALL {
            let back = match kind.topic() {
                Topic::Page(change) => EventKind::of(change),
                Topic::Alert(edge) => EventKind::of_edge(edge),
            };
            assert_eq!(back, kind);
            assert_eq!(EventKind::PAGES.contains(&kind), matches!(kind.topic(), Topic::Page(_)));
        }
    }

    #[test]
    fn an_event_of_an_alert_is_named_after_its_episode_and_its_edge() {
        for (edge, name) in [(Edge::Raised, "alert-7-raised"), (Edge::Cleared, "alert-7-cleared")] {
            assert_eq!(EventId::of_alert(7, edge).as_str(), name);
            assert_eq!(name.parse(), Ok(EventId::of_alert(7, edge)), "it is an address, too");
        }
    }
}
