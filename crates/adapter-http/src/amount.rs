//! A price as people type it.
//!
//! A phone in Berlin has a comma where one in Boston has a point, and whoever copies a price
//! brings its currency along. Whatever can mean one thing only is taken as that. What could
//! mean two things, such as `1.899`, is not guessed at: a guess costs one of six.

/// The cents of a price that somebody has typed; `None` for what is no price, or might be
/// two. So large a number that no price is meant comes out as large as numbers get.
pub(crate) fn cents(typed: &str) -> Option<i64> {
    let bare = typed.trim();
    let bare = ["US$", "USD", "$"].iter().find_map(|sign| bare.strip_prefix(sign)).unwrap_or(bare);
    let bare = ["USD", "US$", "$"].iter().find_map(|sign| bare.strip_suffix(sign)).unwrap_or(bare);
    let number = bare.trim();
    let (dollars, cents) = match number.rfind(['.', ',']) {
        Some(at) if number.len() - at <= 3 => (&number[..at], &number[at + 1..]),
        _ => (number, ""),
    };
    let decimal = number[dollars.len()..].chars().next();
    let dollars = ungrouped(dollars, decimal)?;
    if dollars.is_empty() && cents.is_empty() || !is_digits(cents) {
        return None;
    }
    let number = |digits: &str| digits.parse().unwrap_or(i64::MAX);
    let dollars = if dollars.is_empty() { 0 } else { number(&dollars) };
    Some(dollars.saturating_mul(100).saturating_add(match cents.len() {
        0 => 0,
        1 => number(cents) * 10,
        _ => number(cents),
    }))
}

/// Whole dollars without what separates their thousands: a comma or a space. A point does
/// that only in front of a comma: alone, it might be the other point. Nobody begins
/// thousands with a zero, so `0,500` is no five hundred.
fn ungrouped(dollars: &str, decimal: Option<char>) -> Option<String> {
    let mark = if decimal == Some(',') { '.' } else { ',' };
    let Some(separator) = dollars.chars().find(|char| *char == mark || char.is_whitespace()) else {
        return is_digits(dollars).then(|| dollars.to_owned());
    };
    let mut groups = dollars.split(separator);
    let first = groups.next().unwrap_or_default();
    let leads = (1..=3).contains(&first.len()) && !first.starts_with('0');
    let whole = dollars.replace(separator, "");
    (leads && groups.all(|group| group.len() == 3) && is_digits(&whole)).then_some(whole)
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(typed: &str, expected: impl Into<Option<i64>>) {
        assert_eq!(cents(typed), expected.into(), "{typed:?}");
    }

    #[test]
    fn a_price_is_understood_as_it_is_usually_written() {
        check("18.99", 1_899);
        check("18,99", 1_899);
        check("18", 1_800);
        check("18.9", 1_890);
        check("18.", 1_800);
        check(".99", 99);
        check("0.05", 5);
        check("007", 700);
        check("  $18.99 ", 1_899);
        check("$ 18.99", 1_899);
        check("18.99 $", 1_899);
        check("US$18.99", 1_899);
        check("18.99 USD", 1_899);
        check("1,899", 189_900);
        check("1,899.00", 189_900);
        check("1.899,00", 189_900);
        check("1 899.00", 189_900);
        check("1\u{a0}899,00", 189_900);
        check("1\u{202f}000\u{202f}000", 100_000_000);
        check("18.99\u{a0}$", 1_899);
        check("1,000,000", 100_000_000);
    }

    #[test]
    fn what_is_no_price_or_might_be_two_is_not_guessed_at() {
        for typed in [
            "",
            " ",
            "$",
            ".",
            ",",
            "-5",
            "+5",
            "1e3",
            "0x10",
            "eighteen",
            "1.899",
            "1.899.00",
            "1,89,900",
            "1,8999",
            ",899",
            "18.9.9",
            "18..99",
            "18,999.0.0",
            "٣",
            "18.99.",
            "$$5",
            "1,899,00",
            "0,500",
            "00,500.00",
            "0.500,00",
            "18 99",
            "18 99.00",
            "1 8 9 9",
            "18 . 99",
            "18.9 9",
            "1 899,000",
            "1,000 000",
            "$ $ 5",
        ] {
            check(typed, None);
        }
    }

    #[test]
    fn a_number_that_is_no_price_is_too_large_and_nothing_worse() {
        check("99999999999999999999999999", i64::MAX);
        check("92233720368547758.07", i64::MAX);
    }
}
