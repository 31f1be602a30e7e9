//! What is left out of a schedule, by number, and how that is written on a command line.
//!
//! `0-2,7` are four stimuli. `12.1-3,40.5` are four faults: three of actor 12, one of 40.

use std::{collections::BTreeSet, fmt::Write};

use crate::world::FaultId;

/// What is left out, by number, to see whether it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Omissions {
    /// Stimuli.
    pub stimuli: BTreeSet<usize>,
    /// Faults: who was hit, and at which of his opportunities.
    pub faults: BTreeSet<FaultId>,
}

impl Omissions {
    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.stimuli.is_empty() && self.faults.is_empty()
    }

    /// The stimuli as they are written.
    pub fn spelled_stimuli(&self) -> String {
        spell(self.stimuli.iter().map(|number| (None, *number)))
    }

    /// The faults as they are written.
    pub fn spelled_faults(&self) -> String {
        spell(self.faults.iter().map(|(actor, number)| (Some(*actor), *number)))
    }

    /// Stimuli that were written.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn read_stimuli(text: &str) -> Result<BTreeSet<usize>, String> {
        let mut stimuli = BTreeSet::new();
        for word in words(text) {
            let (first, last) = range(word).ok_or_else(|| wrong(word, "3 or 5-9"))?;
            stimuli.extend(first..=last);
        }
        Ok(stimuli)
    }

    /// Faults that were written.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn read_faults(text: &str) -> Result<BTreeSet<FaultId>, String> {
        let mut faults = BTreeSet::new();
        for word in words(text) {
            let read = || {
                let (actor, numbers) = word.split_once('.')?;
                Some((actor.parse().ok()?, range(numbers)?))
            };
            let (actor, (first, last)): (usize, _) = read().ok_or_else(|| wrong(word, "12.3 or 12.3-7"))?;
            let numbers = u32::try_from(first)
                .and_then(|first| Ok((first, u32::try_from(last)?)))
                .map_err(|_| wrong(word, "12.3 or 12.3-7"))?;
            faults.extend((numbers.0..=numbers.1).map(|number| (actor, number)));
        }
        Ok(faults)
    }
}

/// Far more than any schedule has; a range of more is a slip of the pen.
const MOST: usize = 1_000_000;

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty())
}

/// `5-9`, or `5` as `5-5`.
fn range(word: &str) -> Option<(usize, usize)> {
    let (first, last) = word.split_once('-').unwrap_or((word, word));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last && last < MOST).then_some((first, last))
}

fn wrong(word: &str, right: &str) -> String {
    format!("{word:?} is none; write {right}, and commas in between")
}

/// Ranges of numbers that follow each other, in ascending order.
fn spell<N: Copy + PartialEq + TryInto<u64> + std::fmt::Display>(
    numbers: impl Iterator<Item = (Option<usize>, N)>,
) -> String {
    let mut ranges: Vec<(Option<usize>, N, N)> = Vec::new();
    for (of, number) in numbers {
        match ranges.last_mut() {
            Some((before, _, last)) if *before == of && follows(*last, number) => *last = number,
            _ => ranges.push((of, number, number)),
        }
    }
    let mut text = String::new();
    for (of, first, last) in ranges {
        let comma = if text.is_empty() { "" } else { "," };
        let of = of.map_or_else(String::new, |actor| format!("{actor}."));
        let end = if first == last { String::new() } else { format!("-{last}") };
        write!(text, "{comma}{of}{first}{end}").expect("writing to a string cannot fail");
    }
    text
}

fn follows<N: TryInto<u64>>(last: N, number: N) -> bool {
    match (last.try_into(), number.try_into()) {
        (Ok(last), Ok(number)) => last.checked_add(1) == Some(number),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(stimuli: &[usize], faults: &[FaultId], spelled: (&str, &str)) {
        let omissions = Omissions {
            stimuli: stimuli.iter().copied().collect(),
            faults: faults.iter().copied().collect(),
        };
        assert_eq!((omissions.spelled_stimuli().as_str(), omissions.spelled_faults().as_str()), spelled);
        assert_eq!(Omissions::read_stimuli(spelled.0), Ok(omissions.stimuli));
        assert_eq!(Omissions::read_faults(spelled.1), Ok(omissions.faults));
    }

    #[test]
    fn what_was_written_is_read_again() {
        check(&[], &[], ("", ""));
        check(&[3], &[(12, 3)], ("3", "12.3"));
        check(
            &[0, 1, 2, 7, 9, 10],
            &[(12, 1), (12, 2), (13, 3), (40, 5)],
            ("0-2,7,9-10", "12.1-2,13.3,40.5"),
        );
    }

    #[test]
    fn what_cannot_be_read_is_answered_with_what_can() {
        for wrong in ["x", "1.2", "9-5", "-3", "3-", "5-99999999999"] {
            let error = Omissions::read_stimuli(wrong).unwrap_err();
            assert!(error.contains(wrong) && error.contains("5-9"), "{error}");
        }
        for wrong in ["3", "x.1", "3.x", "3.5-2", "3.9999999999"] {
            let error = Omissions::read_faults(wrong).unwrap_err();
            assert!(error.contains(wrong) && error.contains("12.3-7"), "{error}");
        }
    }
}
