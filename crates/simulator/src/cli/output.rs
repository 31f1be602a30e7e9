//! Standard output, and progress for whoever sits at a terminal.

use std::{
    io::{self, IsTerminal, Write},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Why there is nothing to handle when a report is put together.
pub(super) const INFALLIBLE: &str = "writing to a string cannot fail";

/// Prints a text. If whoever read it has gone, as `head` does, no more need be said.
pub(super) fn print(text: &str) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// A bar that is seen on a terminal, and measures the time in any case.
pub(super) fn bar(length: u64, doing: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg} {bar:40} {pos}/{len}, {per_sec}")
        .expect("the template is constant and well formed");
    let target =
        if io::stderr().is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    ProgressBar::with_draw_target(Some(length), target).with_style(style).with_message(doing)
}

/// Such as `1,234,567`.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// How many there were in a second.
pub(super) fn per_second(count: u64, took: Duration) -> u64 {
    let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX).max(1);
    count.saturating_mul(1_000) / ms
}

/// Such as `12.3 s`.
pub(super) fn seconds(took: Duration) -> String {
    format!("{:.1} s", took.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_can_be_read() {
        let shown = [0, 999, 1_000, 12_345, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "12,345", "1,234,567"]);
        assert_eq!(per_second(300, Duration::from_millis(1_500)), 200);
        assert_eq!(per_second(3, Duration::ZERO), 3_000);
        assert_eq!(seconds(Duration::from_millis(12_340)), "12.3 s");
    }
}
