//! How a puzzle was played, as bars, as numbers, and in a sentence.
//!
//! The bars are drawn here and not in the browser: the policy of the site allows no script,
//! and no style on an element. So a bar's length is an attribute, in percent of whatever
//! width there is, and everything else is told in `em`: text and bars grow with the
//! reader's font, and the picture becomes as narrow as the page.
//!
//! Who cannot see it gets the numbers in its label, and who prefers numbers in a table.
//! Each bar has its own beside it, so nothing is told by colour or by length alone.

use std::fmt::Write;

use fencepost_domain::results::DayStats;

use crate::view::number::{grouped, share};

/// The height of a row, in tenths of an em: a line of text, and a bar below it.
const ROW: usize = 26;
/// How far below the top of its row the text stands.
const TEXT_AT: usize = 10;
/// How far below the top of its row the bar begins.
const BAR_AT: usize = 14;

/// The length of the longest bar, in tenths of a percent.
const FULL: u64 = 1_000;
/// The length below which no bar falls that stands for anybody.
const VISIBLE: u64 = 10;

/// How a puzzle was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChartText {
    /// In one sentence.
    pub(crate) headline: String,
    /// The bars in words, for whoever cannot see them.
    pub(crate) alternative: String,
    /// The bars, those of games that were won first; none if nobody has reported.
    pub(crate) bars: Vec<Bar>,
    /// How high all bars are together.
    pub(crate) height: String,
}

/// One way in which a game can end, and how many did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bar {
    /// Such as `4`, beside the bar.
    pub(crate) label: String,
    /// Such as `Won with 4 guesses`, in the table.
    pub(crate) ending: String,
    /// Whether it is that of the games that were lost.
    pub(crate) is_lost: bool,
    /// How many players.
    pub(crate) players: String,
    /// Their share of all players.
    pub(crate) share: String,
    /// How long it is, of the width that there is; `None` if it stands for nobody.
    pub(crate) length: Option<String>,
    /// Where its text stands.
    pub(crate) text_at: String,
    /// Where it begins.
    pub(crate) bar_at: String,
}

impl From<DayStats> for ChartText {
    fn from(stats: DayStats) -> Self {
        let won_with = stats.won_with.map(i64::unsigned_abs);
        let lost = stats.lost.unsigned_abs();
        let won: u64 = won_with.iter().sum();
        let players = won + lost;
        let bars = if players == 0 { Vec::new() } else { bars(&won_with, lost) };
        Self {
            headline: headline(&won_with, won, players),
            alternative: alternative(&bars),
            height: em(ROW * bars.len()),
            bars,
        }
    }
}

fn bars(won_with: &[u64], lost: u64) -> Vec<Bar> {
    let players = won_with.iter().sum::<u64>() + lost;
    let longest = won_with.iter().copied().max().unwrap_or_default().max(lost);
    let won = (1..).zip(won_with).map(|(guesses, count)| {
        (guesses.to_string(), format!("Won with {}", guesses_text(guesses)), *count, false)
    });
    let all = won.chain([("Lost".to_owned(), "Lost".to_owned(), lost, true)]);
    let bar = |(at, (label, ending, count, is_lost))| Bar {
        label,
        ending,
        is_lost,
        players: grouped(count),
        share: share(count, players),
        length: length(count, longest).map(|tenths| format!("{}.{}%", tenths / 10, tenths % 10)),
        text_at: em(at * ROW + TEXT_AT),
        bar_at: em(at * ROW + BAR_AT),
    };
    all.enumerate().map(bar).collect()
}

/// How long the bar of `count` is if that of `longest` has full length; `None` for nobody.
fn length(count: u64, longest: u64) -> Option<u64> {
    (count > 0).then(|| (FULL * count / longest).max(VISIBLE))
}

fn em(tenths: usize) -> String {
    format!("{}.{}em", tenths / 10, tenths % 10)
}

fn guesses_text(guesses: usize) -> String {
    format!("{guesses} {}", if guesses == 1 { "guess" } else { "guesses" })
}

fn alternative(bars: &[Bar]) -> String {
    let mut text = "Bar chart.".to_owned();
    for Bar { ending, players, share, .. } in bars {
        write!(text, " {ending}: {players}, {share}.").expect("a String takes everything");
    }
    text
}

fn headline(won_with: &[u64], won: u64, players: u64) -> String {
    let found = match (won, players) {
        (_, 0) => return "Nobody told how their game went, so there is nothing to show.".to_owned(),
        (0, 1) => return "One player told how it went, and did not find the price.".to_owned(),
        (0, _) => return format!("None of {} players found the price.", grouped(players)),
        (1, 1) => "One player told how it went, and found the price".to_owned(),
        _ if won == players => format!("All {} players found the price", grouped(players)),
        _ => format!("{} of {} players found the price", grouped(won), grouped(players)),
    };
    match (how(won_with, won), players) {
        (Some(how), 1) => format!("{found} {how}."),
        (Some(how), _) => format!("{found}, {how}."),
        (None, _) => format!("{found}."),
    }
}

/// How most of the games were won that were; `None` if more than two ways are as common.
fn how(won_with: &[u64], won: u64) -> Option<String> {
    let most = won_with.iter().copied().max()?;
    let common: Vec<usize> =
        (1..).zip(won_with).filter(|(_, count)| **count == most).map(|(guesses, _)| guesses).collect();
    match common[..] {
        [guesses] if won == 1 => Some(format!("with {}", guesses_text(guesses))),
        [guesses] if won == most => Some(format!("all with {}", guesses_text(guesses))),
        [guesses] => Some(format!("most often with {}", guesses_text(guesses))),
        [fewer, more] => Some(format!("most often with {fewer} or {}", guesses_text(more))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(won_with: [i64; 6], lost: i64) -> ChartText {
        DayStats { won_with, lost }.into()
    }

    #[track_caller]
    fn check_lengths(won_with: [i64; 6], lost: i64, expected: [Option<&str>; 7]) {
        let chart = chart(won_with, lost);
        let lengths: Vec<_> = chart.bars.iter().map(|bar| bar.length.as_deref()).collect();
        assert_eq!(lengths, expected);
    }

    #[test]
    fn the_largest_bar_has_full_length_and_the_others_their_part_of_it() {
        let [full, half] = [Some("100.0%"), Some("50.0%")];
        check_lengths(
            [0, 100, 200, 0, 0, 1],
            50,
            [None, half, full, None, None, Some("1.0%"), Some("25.0%")],
        );
        check_lengths([1, 0, 0, 0, 0, 0], 2, [half, None, None, None, None, None, full]);
        check_lengths([3, 3, 3, 3, 3, 3], 3, [full; 7]);
        check_lengths([2, 3, 0, 0, 0, 0], 0, [Some("66.6%"), full, None, None, None, None, None]);
    }

    #[test]
    fn one_result_is_one_bar() {
        check_lengths([0, 0, 0, 0, 0, 0], 1, [None, None, None, None, None, None, Some("100.0%")]);
        check_lengths([0, 0, 0, 1, 0, 0], 0, [None, None, None, Some("100.0%"), None, None, None]);
    }

    #[test]
    fn nobody_is_too_few_to_be_seen() {
        let least = Some("1.0%");
        check_lengths(
            [1, 1, 499, 500, 49_995 - 1_000, 0],
            4,
            [least, least, least, Some("1.0%"), Some("100.0%"), None, least],
        );
    }

    #[test]
    fn a_full_puzzle_is_told_in_full() {
        let chart = chart([0, 0, 49_999, 0, 0, 0], 1);
        let told = |at: usize| (chart.bars[at].players.as_str(), chart.bars[at].share.as_str());
        assert_eq!([told(2), told(3), told(6)], [("49,999", ">99%"), ("0", "0%"), ("1", "<1%")]);
        assert_eq!(chart.headline, "49,999 of 50,000 players found the price, all with 3 guesses.");
    }

    #[test]
    fn without_results_there_are_no_bars() {
        let chart = chart([0; 6], 0);
        assert_eq!(chart.bars, []);
        assert_eq!(chart.headline, "Nobody told how their game went, so there is nothing to show.");
    }

    #[test]
    fn rows_do_not_touch_and_fit_into_the_height() {
        let chart = chart([1; 6], 1);
        let places: Vec<_> =
            chart.bars.iter().map(|bar| (bar.text_at.as_str(), bar.bar_at.as_str())).collect();
        assert_eq!(places[..2], [("1.0em", "1.4em"), ("3.6em", "4.0em")]);
        assert_eq!((places[6], chart.height.as_str()), (("16.6em", "17.0em"), "18.2em"));
    }

    #[test]
    fn whoever_cannot_see_the_bars_is_told_all_of_them() {
        assert_eq!(
            chart([1, 0, 200, 0, 0, 3], 4).alternative,
            "Bar chart. Won with 1 guess: 1, <1%. Won with 2 guesses: 0, 0%. Won with 3 guesses: 200, 96%. \
             Won with 4 guesses: 0, 0%. Won with 5 guesses: 0, 0%. Won with 6 guesses: 3, 1%. Lost: 4, 2%."
        );
    }

    #[test]
    fn a_sentence_tells_how_many_found_the_price_and_how() {
        let check = |won_with: [i64; 6], lost: i64, expected: &str| {
            assert_eq!(chart(won_with, lost).headline, expected, "{won_with:?} {lost}");
        };
        check(
            [10, 42, 60, 120, 50, 30],
            188,
            "312 of 500 players found the price, most often with 4 guesses.",
        );
        check([3, 1, 0, 0, 0, 0], 1, "4 of 5 players found the price, most often with 1 guess.");
        check([3, 3, 0, 0, 0, 0], 1, "6 of 7 players found the price, most often with 1 or 2 guesses.");
        check([0, 2, 2, 2, 0, 0], 1, "6 of 7 players found the price.");
        check([0, 2, 0, 0, 0, 0], 1, "2 of 3 players found the price, all with 2 guesses.");
        check([1, 0, 0, 0, 0, 0], 1, "1 of 2 players found the price, with 1 guess.");
        check([0, 1, 1, 0, 0, 0], 0, "All 2 players found the price, most often with 2 or 3 guesses.");
        check([0, 0, 0, 0, 0, 2], 0, "All 2 players found the price, all with 6 guesses.");
        check([0, 0, 0, 1, 0, 0], 0, "One player told how it went, and found the price with 4 guesses.");
        check([0; 6], 1, "One player told how it went, and did not find the price.");
        check([0; 6], 1_500, "None of 1,500 players found the price.");
    }
}
