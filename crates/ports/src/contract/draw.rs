//! Choices for random histories.

use fencepost_domain::{
    action::{ActionKind, Entry},
    ledger::Ending,
};

use super::steps::{editor, token};

/// Choices that follow from a seed (SplitMix64).
pub(super) struct Draw(u64);

impl Draw {
    pub(super) const fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// A number from 0 to `below - 1`.
    pub(super) fn number(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % below
    }

    pub(super) fn one_in(&mut self, chances: u64) -> bool {
        self.number(chances) == 0
    }

    pub(super) fn small(&mut self, below: i64) -> i64 {
        let below = u64::try_from(below).expect("choices are counted");
        i64::try_from(self.number(below)).expect("choices are few")
    }

    pub(super) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        let count = u64::try_from(choices.len()).expect("choices are few");
        choices[usize::try_from(self.number(count)).expect("choices are few")]
    }
}

/// Something that somebody does, or does again.
pub(super) fn draw_entry(draw: &mut Draw, number: usize, action: ActionKind) -> Entry {
    let number = if draw.one_in(8) { number / 2 } else { number };
    Entry { token: token(&format!("a{number}")), deed: editor().does(action) }
}

pub(super) fn draw_photo(draw: &mut Draw) -> Option<u8> {
    draw.of(&[None, Some(1), Some(2), Some(1)])
}

pub(super) fn draw_ending(draw: &mut Draw) -> Ending {
    match draw.number(4) {
        0 => Ending::Restore,
        1 => Ending::Wait { delay_ms: 1_000 },
        2 => Ending::Fail { delay_ms: 60_000 },
        _ => Ending::Block { reason: "a reason".to_owned() },
    }
}
