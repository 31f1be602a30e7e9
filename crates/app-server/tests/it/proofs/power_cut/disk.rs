//! What a disk may have lost, as far as SQLite's own notes tell.
//!
//! The write-ahead log is a header of 32 bytes and frames, each a header of 24 bytes and
//! a page. Beside it, the shared memory (`-shm`) holds the number of frames that are
//! committed, which is written after they were synced, and the number of frames that a
//! checkpoint has begun to move to the main file, which is written after all of them were
//! synced and before the first one is moved. So there are three stretches:
//!
//! - Up to the frames that a checkpoint has begun to move, the log is on the disk. To cut
//!   there would leave a main file that holds half of what was cut, and no disk does that.
//! - From there to the last committed frame, the log is on the disk as well, if the disk
//!   does what it is told to. If it only says so, this may be lost, and must be lost whole.
//! - Beyond it, anything may be there.
//!
//! Formats: <https://www.sqlite.org/walformat.html>.

use std::ops::{Range, RangeInclusive};

use crate::harness::{Dice, Place};

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// Where the shared memory has what: its notes on the log, twice, and those on checkpoints.
const NOTES: usize = 48;
const COMMITTED: usize = 16;
const SALTS: usize = 32;
const MOVED: usize = 96;
const BEGUN_TO_MOVE: usize = 128;
/// How many pages of the main file a checkpoint that was cut off has torn.
const TORN: usize = 8;

/// A way to lose something. [`KINDS`] of them, so that a counter can go through all.
enum Harm {
    /// The log ends early.
    Cut(usize),
    /// Noise, or nothing, where something was being written.
    Garbled(Range<usize>, Filling),
    /// Pages of the main file, which a checkpoint was moving, are half old and half noise.
    TornPages,
}

const KINDS: usize = 8;

#[derive(Clone, Copy)]
enum Filling {
    Noise,
    Zeros,
}

/// What was done to a picture.
pub(super) struct Harmed {
    /// How, for people.
    pub(super) how: String,
    /// Whether the log was cut or garbled, and not the main file.
    pub(super) log: bool,
    /// Whether commits were lost that SQLite had reported.
    pub(super) commits: bool,
}

/// The write-ahead log of a picture, and what may be lost of it.
pub(super) struct Log {
    bytes: Vec<u8>,
    frame: usize,
    /// Up to here, nothing can be lost.
    pub(super) kept: usize,
    /// Whether a checkpoint has begun to move frames that it has not reported as moved.
    pub(super) checkpoint_under_way: bool,
    /// Up to here, transactions are committed.
    pub(super) committed: usize,
    /// Up to here, frames are of this turn of the log, and not left over from an earlier one.
    pub(super) written: usize,
}

impl Log {
    /// Reads the files of a picture that nobody has opened yet; `None` if it has no log, or
    /// one whose whole content is in the main file.
    pub(super) fn of(place: &Place) -> Option<Self> {
        let bytes = std::fs::read(beside(place, "-wal")).ok()?;
        let notes = std::fs::read(beside(place, "-shm")).ok()?;
        let salts = bytes.get(16..24)?;
        // The notes stand there twice. Where they differ, the second one was just written,
        // and no client knows of it.
        let of_this_turn = |at: usize| notes.get(at + SALTS..at + SALTS + salts.len()) == Some(salts);
        if !(of_this_turn(0) && of_this_turn(NOTES)) {
            return None;
        }
        let noted =
            |at: usize| usize::try_from(u32::from_ne_bytes(notes[at..at + 4].try_into().unwrap())).unwrap();
        let page = usize::try_from(u32::from_be_bytes(bytes[8..12].try_into().unwrap())).unwrap();
        let frame = FRAME_HEADER + page;
        let end = |frames: usize| if frames == 0 { 0 } else { HEADER + frames * frame };
        let (committed, begun) =
            (end(noted(COMMITTED).min(noted(NOTES + COMMITTED))), end(noted(BEGUN_TO_MOVE)));
        let follow = bytes[committed.max(HEADER)..].chunks(frame);
        let follow =
            follow.take_while(|frame| frame.get(8..16) == Some(salts)).map(<[u8]>::len).sum::<usize>();
        let written = committed.max(HEADER) + follow;
        let checkpoint_under_way = noted(MOVED) < noted(BEGUN_TO_MOVE);
        Some(Self { bytes, frame, kept: begun.min(committed), checkpoint_under_way, committed, written })
    }

    /// Whether something was written that no commit has reported yet.
    pub(super) fn has_more_than_commits(&self) -> bool {
        self.written > self.committed.max(HEADER)
    }

    /// Harms a picture in one of [`KINDS`] ways, at some place that the dice choose.
    pub(super) fn harm(&self, place: &Place, kind: usize, dice: &mut Dice) -> Harmed {
        let harm = self.draw(kind, dice);
        let mut bytes = self.bytes.clone();
        let (how, from) = match harm {
            Harm::Cut(at) => {
                bytes.truncate(at);
                (format!("the log cut at {at}"), Some(at))
            }
            Harm::Garbled(range, filling) => {
                for byte in &mut bytes[range.clone()] {
                    *byte = filling.byte(dice);
                }
                (format!("the log garbled in {range:?}"), Some(range.start))
            }
            Harm::TornPages => (format!("pages {:?} torn", self.tear_pages(place, dice)), None),
        };
        std::fs::write(beside(place, "-wal"), bytes).unwrap();
        let commits = from.is_some_and(|from| from < self.committed);
        let (kept, committed, written) = (self.kept, self.committed, self.written);
        let how = format!("{how}, with {kept} bytes moved, {committed} committed and {written} written");
        Harmed { how, log: from.is_some(), commits }
    }

    fn draw(&self, kind: usize, dice: &mut Dice) -> Harm {
        let anywhere = dice.within(self.kept..=self.written);
        let not_committed = self.committed..=self.written;
        match kind % KINDS {
            0 => Harm::Cut(anywhere),
            1 => Harm::Cut(self.whole_frames(anywhere)),
            2 => Harm::Cut((self.whole_frames(anywhere) + dice.within(1..=FRAME_HEADER)).min(self.written)),
            3 => Harm::Cut(dice.within(not_committed)),
            4 => Harm::Garbled(anywhere..self.written, Filling::Noise),
            5 => self.hole(self.kept..=self.written, Filling::Noise, dice),
            6 => self.hole(not_committed, Filling::Zeros, dice),
            _ => Harm::TornPages,
        }
    }

    /// Some sectors within a range are lost, and what was written after them is there.
    fn hole(&self, range: RangeInclusive<usize>, filling: Filling, dice: &mut Dice) -> Harm {
        let from = dice.within(range);
        let to = dice.within(from..=(from + 2 * self.frame).min(self.written));
        Harm::Garbled(from..to, filling)
    }

    /// The last end of a frame up to `at`, as far as that may be lost.
    fn whole_frames(&self, at: usize) -> usize {
        match at.checked_sub(HEADER) {
            Some(frames) => (HEADER + frames / self.frame * self.frame).max(self.kept),
            None => self.kept,
        }
    }

    /// Tears pages that committed frames hold. Their first half stays, as the first
    /// sectors of a page that was written halfway do.
    fn tear_pages(&self, place: &Place, dice: &mut Dice) -> Vec<usize> {
        let page = self.frame - FRAME_HEADER;
        let mut main = std::fs::read(place.database()).unwrap();
        let frames: Vec<_> =
            self.bytes[..self.committed].get(HEADER..).into_iter().flatten().copied().collect();
        let frames: Vec<_> = frames.chunks_exact(self.frame).collect();
        let mut torn = Vec::new();
        for _ in 0..TORN.min(frames.len()) {
            let frame = frames[dice.within(0..=frames.len() - 1)];
            let number = usize::try_from(u32::from_be_bytes(frame[..4].try_into().unwrap())).unwrap();
            if let Some(bytes) = main.get_mut((number - 1) * page + page / 2..number * page) {
                bytes.iter_mut().for_each(|byte| *byte = Filling::Noise.byte(dice));
                torn.push(number);
            }
        }
        std::fs::write(place.database(), main).unwrap();
        torn
    }
}

impl Filling {
    fn byte(self, dice: &mut Dice) -> u8 {
        match self {
            Self::Noise => u8::try_from(dice.below(256)).unwrap(),
            Self::Zeros => 0,
        }
    }
}

/// A file that SQLite keeps beside the main file.
pub(super) fn beside(place: &Place, suffix: &str) -> std::path::PathBuf {
    let mut name = place.database().into_os_string();
    name.push(suffix);
    name.into()
}
