//! Compressed texts in the memory of the process.
//!
//! A strong tag is a hash of what it names. Whatever a text depends on, the revision and the
//! hour included, has had its effect before anybody asks here, so a compressed form is right
//! for as long as its name is: nothing here can be old. One that is not asked for any more,
//! because its page has changed, is the first to go.

use bytes::Bytes;
use quick_cache::Equivalent;

use crate::room::{Bounded, OnHeap, bounded, piece};

/// A compressed page, roughly: what there is room for.
const TYPICAL_TEXT_BYTES: u64 = 2_048;

/// The compressed forms of texts, which take at most so many bytes.
#[derive(Debug)]
pub struct CompressedTexts(Bounded<Kept, Bytes>);

impl CompressedTexts {
    /// Empty, and takes at most `bytes` bytes. What is larger than a part of
    /// that (see `room.rs`) is not kept.
    pub fn new(bytes: u64) -> Self {
        Self(bounded(bytes, TYPICAL_TEXT_BYTES))
    }

    /// How many bytes are taken.
    pub fn bytes(&self) -> u64 {
        self.0.weight()
    }

    /// The compressed form of a text.
    pub fn get(&self, name: &TextName<'_>) -> Option<Bytes> {
        self.0.get(name)
    }

    /// Keeps the compressed form of a text, if there is room, and gives it back.
    pub fn keep(&self, name: &TextName<'_>, compressed: &[u8]) -> Bytes {
        let compressed = Bytes::copy_from_slice(compressed);
        let name = Kept { tag: name.tag.into(), content_type: name.content_type.into() };
        self.0.insert(name, compressed.clone());
        compressed
    }
}

/// What a text is known by: together, they are used for one text only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextName<'a> {
    /// Its strong entity tag, a hash of its bytes.
    pub tag: &'a str,
    /// What it is.
    pub content_type: &'a str,
}

/// The same, while the text is kept. Has the same members in the same order, since it has to
/// have the same hash.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Kept {
    tag: Box<str>,
    content_type: Box<str>,
}

impl Equivalent<Kept> for TextName<'_> {
    fn equivalent(&self, kept: &Kept) -> bool {
        *self == TextName { tag: &kept.tag, content_type: &kept.content_type }
    }
}

impl OnHeap for Kept {
    fn on_heap(&self) -> usize {
        piece(self.tag.len()) + piece(self.content_type.len())
    }
}
