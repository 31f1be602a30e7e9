//! Instants as an operator looks at them: when, and how long ago or ahead.

use fencepost_domain::time::UnixMillis;

use crate::view::InstantText;

/// An instant, and how far it is from the present.
pub(crate) struct Moment {
    pub(crate) at: InstantText,
    pub(crate) away: String,
}

impl Moment {
    /// This instant, as it looks at `now`.
    pub(crate) fn new(at: UnixMillis, now: UnixMillis) -> Self {
        let ms = at.since(now);
        let away = match ms {
            0 => "now".to_owned(),
            ms if ms > 0 => format!("in {}", span(ms)),
            ms => format!("{} ago", span(ms.saturating_neg())),
        };
        Self { at: at.into(), away }
    }
}

/// A length of time, in its two largest units.
pub(crate) fn span(ms: i64) -> String {
    let seconds = ms / 1_000;
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{} s", seconds),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes:02} min"),
        (1, hours, _) => format!("1 day {hours} h"),
        (days, ..) => format!("{days} days"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_told_in_its_largest_units() {
        let check = |ms, expected| assert_eq!(span(ms), expected, "{ms}");
        check(0, "0 s");
        check(59_999, "59 s");
        check(60_000, "1 min");
        check(3_599_999, "59 min");
        check(3_600_000, "1 h 00 min");
        check(86_399_999, "23 h 59 min");
        check(86_400_000, "1 day 0 h");
        check(200_000_000, "2 days");
    }

    #[test]
    fn an_instant_lies_ahead_or_back() {
        let check = |at, expected: &str| {
            assert_eq!(Moment::new(UnixMillis::new(at), UnixMillis::new(600_000)).away, expected);
        };
        check(600_000, "now");
        check(660_000, "in 1 min");
        check(540_000, "1 min ago");
    }
}
