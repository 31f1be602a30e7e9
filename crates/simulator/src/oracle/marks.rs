//! Marks in the content, by which the oracle knows what a page shows.
//!
//! The name of a puzzle says which it is and which edit of it, and so does its description,
//! in other letters, and so does its price. Whatever is served can be searched for them.

/// An edit of a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mark {
    pub(crate) puzzle: i64,
    pub(crate) edit: i64,
}

/// What is found in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Found {
    /// The name, which is known as soon as the puzzle opens.
    Name(Mark),
    /// The description or the price, which belong to the answer.
    Secret(Mark),
}

/// The mark in a name (`z`) or in a description (`y`).
pub(crate) fn spell(letter: char, mark: Mark) -> String {
    format!("{letter}{}e{}{letter}", mark.puzzle, mark.edit)
}

/// The price that tells the edit: $701,000.07 is edit 7 of puzzle 1.
pub(crate) const fn price_cents(mark: Mark) -> i64 {
    70_000_000 + mark.puzzle * 100_000 + mark.edit
}

/// The mark in a name that was read from the database.
pub(crate) fn read(name: &str) -> Option<Mark> {
    find(name.as_bytes()).into_iter().find_map(|found| match found {
        Found::Name(mark) => Some(mark),
        Found::Secret(_) => None,
    })
}

/// Every mark in a text, once.
pub(crate) fn find(text: &[u8]) -> Vec<Found> {
    let mut found = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        let rest = &text[at + 1..];
        match byte {
            b'z' | b'y' => {
                if let Some(mark) = lettered(rest, *byte) {
                    found.push(if *byte == b'z' { Found::Name(mark) } else { Found::Secret(mark) });
                }
            }
            b'7' => found.extend(priced(rest).map(Found::Secret)),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// `3e17z` after a `z`.
fn lettered(rest: &[u8], letter: u8) -> Option<Mark> {
    let (puzzle, rest) = number(rest)?;
    let (edit, rest) = number(rest.strip_prefix(b"e")?)?;
    (rest.first() == Some(&letter)).then_some(Mark { puzzle, edit })
}

/// `03000.17` or `03,000.17` after a `7`.
fn priced(rest: &[u8]) -> Option<Mark> {
    let [b'0', puzzle @ b'0'..=b'9', rest @ ..] = rest else { return None };
    let rest = rest.strip_prefix(b",").unwrap_or(rest).strip_prefix(b"000.")?;
    let [tens @ b'0'..=b'9', ones @ b'0'..=b'9', ..] = rest else { return None };
    let digit = |byte: &u8| i64::from(byte - b'0');
    Some(Mark { puzzle: digit(puzzle), edit: 10 * digit(tens) + digit(ones) })
}

fn number(text: &[u8]) -> Option<(i64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&text[..digits]).ok()?.parse().ok()?;
    Some((number, &text[digits..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_spelled_is_found_wherever_it_stands() {
        let mark = Mark { puzzle: 3, edit: 17 };
        let text = format!("<h1>A lamp {}</h1> $703,000.17 703000.17 {}", spell('z', mark), spell('y', mark));
        assert_eq!(find(text.as_bytes()), [Found::Name(mark), Found::Secret(mark)]);
        assert_eq!(price_cents(mark), 70_300_017);
        for nothing in ["", "z", "zz", "z3", "z3e", "z3e17", "zebra", "70", "703", "7,000.00", "z3e17y"] {
            assert_eq!(find(nothing.as_bytes()), [], "{nothing}");
        }
    }
}
