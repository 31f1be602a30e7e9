//! The number of a row, by which a list goes on: `?before=17`.
//!
//! Rows are numbered from 1. A number that no row can have is refused here and not by the
//! store, since D1 has no place for an integer beyond 2^53, and would call it a fault.

/// The highest number that every store can hold.
const MOST: i64 = (1 << 53) - 1;

/// The number that a text tells, if a row could have it.
pub(crate) fn row_number(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number| (1..=MOST).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_a_number_that_every_store_can_hold() {
        let check = |text: &str, expected: Option<i64>| assert_eq!(row_number(text), expected, "{text}");
        check("1", Some(1));
        check("9007199254740991", Some(MOST));
        check("9007199254740992", None);
        check("9223372036854775808", None);
        check("0", None);
        check("-9223372036854775808", None);
        check("1.0", None);
        check("", None);
    }
}
