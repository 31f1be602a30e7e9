//! Prices, for people and for machines. The one place that knows the currency.

use crate::view::number::grouped;

/// What stands on a tag whose price nobody is to know yet.
pub(crate) const UNTOLD_PRICE: &str = "$ ?.??";

/// A price, for the attribute and for the text of a `<data>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PriceText {
    /// Such as `1899.00`.
    pub(crate) machine: String,
    /// Such as `$1,899.00`.
    pub(crate) human: String,
}

impl PriceText {
    /// The price of so many cents.
    pub(crate) fn of_cents(cents: i64) -> Self {
        let sign = if cents < 0 { "-" } else { "" };
        let (whole, rest) = (cents.unsigned_abs() / 100, cents.unsigned_abs() % 100);
        Self {
            machine: format!("{sign}{whole}.{rest:02}"),
            human: format!("{sign}${}.{rest:02}", grouped(whole)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(cents: i64, human: &str, machine: &str) {
        let price = PriceText::of_cents(cents);
        assert_eq!((price.human.as_str(), price.machine.as_str()), (human, machine));
    }

    #[test]
    fn cents_become_prices_without_losing_one() {
        check(1, "$0.01", "0.01");
        check(1_899, "$18.99", "18.99");
        check(10_000, "$100.00", "100.00");
        check(99_999, "$999.99", "999.99");
        check(100_000, "$1,000.00", "1000.00");
        check(100_000_000, "$1,000,000.00", "1000000.00");
        check(-5, "-$0.05", "-0.05");
        check(i64::MIN, "-$92,233,720,368,547,758.08", "-92233720368547758.08");
    }
}
