//! The number of a row, by which a list goes on: `?before=17`.
//!
//! Rows are numbered from 1. A number that no row can have is refused here and not by the
//! store, since D1 has no place for an integer beyond 2^53, and would call it a fault.

use url::form_urlencoded;

/// The highest number that every store can hold.
const MOST: i64 = (1 << 53) - 1;

/// The number that a text tells, if a row could have it.
pub(crate) fn row_number(text: &str) -> Option<i64> {
    text.parse().ok().filter(|number| (1..=MOST).contains(number))
}

/// Where a list goes on, by the query of its page. One that cannot be read begins it anew.
pub(crate) fn before(query: Option<&str>) -> Option<i64> {
    let pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.filter(|(name, _)| name == "before").find_map(|(_, number)| row_number(&number))
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
