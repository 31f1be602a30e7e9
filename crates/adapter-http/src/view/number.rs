//! Numbers for people.

/// Digits in groups of three, such as `50,000`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What share of `whole` a `part` is, in percent. Only nothing is 0%, and only all of it is
/// 100%: what rounding would call so is `<1%` or `>99%`.
pub(crate) fn share(part: u64, whole: u64) -> String {
    let whole = whole.max(1);
    match (200 * part + whole) / (2 * whole) {
        _ if part == 0 => "0%".to_owned(),
        _ if 100 * part < whole => "<1%".to_owned(),
        100.. if part < whole => ">99%".to_owned(),
        percent => format!("{percent}%"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_told_in_threes() {
        for (number, text) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (50_000, "50,000"), (1_234_567, "1,234,567")]
        {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn a_share_is_never_rounded_to_nothing_or_to_all() {
        for (part, whole, text) in [
            (0, 0, "0%"),
            (0, 7, "0%"),
            (1, 50_000, "<1%"),
            (499, 50_000, "<1%"),
            (500, 50_000, "1%"),
            (1, 100, "1%"),
            (1, 3, "33%"),
            (2, 3, "67%"),
            (1, 8, "13%"),
            (198, 200, "99%"),
            (199, 200, ">99%"),
            (49_999, 50_000, ">99%"),
            (50_000, 50_000, "100%"),
            (1, 1, "100%"),
        ] {
            assert_eq!(share(part, whole), text, "{part} of {whole}");
        }
    }
}
