//! What nobody may know at an instant, in the spellings that give it away.
//!
//! Of a puzzle that has not opened that is everything: its name, its description, its price,
//! its photo, and that there is such a number. Of one that is open it is the answer: price
//! and description.
//!
//! A spelling that means something else as well is no sign. The word *lamp* may be the name
//! of tomorrow's item and stand in yesterday's description; 1120 may be a price in cents and
//! a number. So a spelling that is public elsewhere is not looked for, and the report says
//! so: an audit that cries wolf is not read.

use std::collections::BTreeSet;

use fencepost_domain::{id::PuzzleId, time::UnixMillis};

use crate::{
    bank::{Bank, KnownPuzzle, Standing},
    finding::Skipped,
    reading::{Reading, head, tail, words},
};

/// How near to a number stands what tells its meaning, in bytes.
const NEAR: usize = 24;

/// What makes an amount of cents of a number.
const PRICE_MARKS: &[&str] = &["price", "cent", "cost", "amount"];

/// What makes a puzzle of the number after it.
const PUZZLE_MARKS: &[&str] = &["answers/", "play/", "puzzles/", "puzzle", "answer", "\"id\"", "no.", "#"];

/// How few words of a description are too few to be a sign.
const FEWEST_WORDS: usize = 3;

/// One spelling of one secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Secret {
    pub(crate) puzzle_id: PuzzleId,
    /// Such as `the name "A globe"`.
    pub(crate) what: String,
    spelling: Spelling,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Spelling {
    /// As it is, anywhere.
    Verbatim(String),
    /// As words, whatever stands between them.
    Words(String),
    /// A price with its cents divided off.
    Price(String),
    /// A number near to a word for prices.
    Cents(String),
    /// The number of a puzzle behind something that makes it one.
    Number(String),
}

impl Secret {
    /// Whether a request names it itself, so that it is no news in the answer.
    pub(crate) fn is_asked_for(&self, path: &str) -> bool {
        match &self.spelling {
            Spelling::Number(letters) | Spelling::Verbatim(letters) => path.contains(letters.as_str()),
            Spelling::Words(_) | Spelling::Price(_) | Spelling::Cents(_) => false,
        }
    }

    /// The words around it, if the text holds it.
    fn found_in(&self, text: &Reading) -> Option<String> {
        match &self.spelling {
            Spelling::Verbatim(letters) => text.verbatim(letters),
            Spelling::Words(words) => text.has_words(words),
            Spelling::Price(digits) if text.is_style && !digits.starts_with('$') => None,
            Spelling::Price(digits) => text.number(digits, |_, _| true),
            Spelling::Cents(digits) => text.number(digits, |before, after| {
                let near = [tail(before, NEAR), head(after, NEAR)].map(str::to_lowercase);
                PRICE_MARKS.iter().any(|mark| near.iter().any(|text| text.contains(mark)))
            }),
            Spelling::Number(digits) => text.number(digits, |before, _| {
                let before = tail(before, NEAR / 2).to_lowercase();
                PUZZLE_MARKS.iter().any(|mark| before.contains(mark))
            }),
        }
    }
}

/// All that is secret at an instant.
#[derive(Clone, Debug)]
pub(crate) struct Secrets {
    all: Vec<Secret>,
    pub(crate) skipped: BTreeSet<Skipped>,
}

impl Secrets {
    /// What is secret at `now`, on a site that says `nothing` at an address of nothing.
    pub(crate) fn at(bank: &Bank, now: UnixMillis, nothing: &str) -> Self {
        let public = public_text(bank, now, nothing);
        let ids: BTreeSet<_> = bank.puzzles().map(|puzzle| puzzle.id.to_string()).collect();
        let mut secrets = Self { all: Vec::new(), skipped: BTreeSet::new() };
        for secret in bank.puzzles().flat_map(|puzzle| spellings(puzzle, puzzle.standing(now))) {
            let why = match &secret.spelling {
                Spelling::Cents(digits) if ids.contains(digits) => {
                    Some("it is the number of a puzzle as well")
                }
                Spelling::Words(words) if words.trim().is_empty() => Some("it has no words"),
                _ if secret.found_in(&public).is_some() => Some("it is public elsewhere"),
                _ => None,
            };
            match why {
                None => secrets.all.push(secret),
                Some(why) => {
                    let Secret { puzzle_id, what, spelling } = secret;
                    let what = format!("{what}, as {spelling:?}");
                    secrets.skipped.insert(Skipped { puzzle_id, what, why: why.to_owned() });
                }
            }
        }
        secrets
    }

    /// The secrets that a text holds, each with the words around it.
    pub(crate) fn found_in<'a>(&'a self, text: &'a Reading) -> impl Iterator<Item = (&'a Secret, String)> {
        self.all.iter().filter_map(|secret| secret.found_in(text).map(|evidence| (secret, evidence)))
    }
}

/// Everything that may be read somewhere.
fn public_text(bank: &Bank, now: UnixMillis, nothing: &str) -> Reading {
    let mut text = nothing.to_owned();
    for puzzle in bank.puzzles() {
        let standing = puzzle.standing(now);
        if standing != Standing::Hidden {
            let (id, photo) = (puzzle.id, puzzle.photo_key.as_deref().unwrap_or_default());
            text += &format!("\nplay/{id} {}\n{photo}\n{}\n", puzzle.name, puzzle.due_at);
        }
        if standing == Standing::Told {
            let prices = puzzle.price_cents.map(prices).unwrap_or_default();
            let cents = puzzle.price_cents.map(|cents| format!("price {cents}")).unwrap_or_default();
            let image_url = puzzle.image_url.as_deref().unwrap_or_default();
            text += &format!("{}\n{}\n{cents}\n{image_url}\n", puzzle.description, prices.join("\n"));
        }
    }
    Reading::of(&text)
}

fn spellings(puzzle: &KnownPuzzle, standing: Standing) -> Vec<Secret> {
    let mut all = Vec::new();
    let mut secret = |what: String, spelling| all.push(Secret { puzzle_id: puzzle.id, what, spelling });
    if standing == Standing::Told {
        return all;
    }
    if let Some(cents) = puzzle.price_cents {
        let prices = prices(cents);
        let what = format!("the price {}", prices[0]);
        let tenths =
            (cents % 100 != 0 && cents % 10 == 0).then(|| prices[1].trim_end_matches('0').to_owned());
        prices.into_iter().for_each(|price| secret(what.clone(), Spelling::Price(price)));
        tenths
            .into_iter()
            .chain([cents.to_string()])
            .for_each(|number| secret(what.clone(), Spelling::Cents(number)));
    }
    for part in parts(&puzzle.description) {
        secret(format!("the description's {:?}", part.trim()), Spelling::Words(part));
    }
    if standing == Standing::Open {
        return all;
    }
    secret(format!("the name {:?}", puzzle.name), Spelling::Words(words(&puzzle.name)));
    secret(format!("the number {}", puzzle.id), Spelling::Number(puzzle.id.to_string()));
    secret(format!("the due instant {}", puzzle.due_at), Spelling::Verbatim(puzzle.due_at.to_string()));
    for address in puzzle.image_url.iter().chain(&puzzle.photo_key) {
        secret(format!("the photo's {address}"), Spelling::Verbatim(address.clone()));
    }
    all
}

/// A price as people and machines write it; the first is how the site does, and the second
/// the same without the currency.
fn prices(cents: i64) -> Vec<String> {
    let (whole, rest) = (cents / 100, cents % 100);
    let mut grouped = whole.to_string();
    let mut at = grouped.len();
    while at > 3 {
        at -= 3;
        grouped.insert(at, ',');
    }
    let mut all = vec![
        format!("${grouped}.{rest:02}"),
        format!("{whole}.{rest:02}"),
        format!("${whole}.{rest:02}"),
        format!("{grouped}.{rest:02}"),
        format!("{whole},{rest:02}"),
        format!("{},{rest:02}", grouped.replace(',', ".")),
    ];
    if rest == 0 {
        all.extend([format!("${grouped}"), format!("${whole}")]);
    }
    let mut known = BTreeSet::new();
    all.retain(|price| known.insert(price.clone()));
    all
}

/// The parts of a description that stay together when Markdown becomes HTML, as words, but
/// for those that are too short to be a sign; if all are, the whole of it.
fn parts(description: &str) -> Vec<String> {
    let parts = description.split(['\n', '[', ']', '(', ')', '|', '<', '>', '.', '!', '?', ';']);
    let parts = parts.map(words).filter(|part| part.split_whitespace().count() >= FEWEST_WORDS);
    let parts: BTreeSet<_> = parts.collect();
    if parts.is_empty() && !description.trim().is_empty() {
        return vec![words(description)];
    }
    parts.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fencepost_domain::puzzle::ImportFile;

    /// Three puzzles: one told, one open and one to come, at noon of 28 November 2026.
    fn found(text: &str) -> Vec<String> {
        let rows = r#"{"puzzles": [
            {"id": 1, "play_date": "2026-11-26", "name": "Lamp", "price_cents": 500, "description": "It is a lamp."},
            {"id": 2, "play_date": "2026-11-28", "name": "Clock", "price_cents": 123450, "description": "It **ticks** and ticks [all day](https://a.example). Loudly!"},
            {"id": 30, "play_date": "2026-11-29", "name": "Old globe", "price_cents": 1899, "description": "It turns and turns."}
        ]}"#;
        let file: ImportFile = serde_json::from_str(rows).unwrap();
        let bank = Bank::of_import(file, 600_000).unwrap();
        let now = "2026-11-28T12:00:00Z".parse().unwrap();
        let secrets = Secrets::at(&bank, now, "There is nothing here");
        let text = Reading::of(text);
        let mut found: Vec<_> = secrets.found_in(&text).map(|(secret, _)| secret.what.clone()).collect();
        found.dedup();
        found
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(found(text), expected, "{text}");
    }

    #[test]
    fn a_price_is_known_by_every_spelling() {
        let price = ["the price $1,234.50"];
        for text in ["$1,234.50", "1234.50", "1.234,50 €", r#""price": 1234.5"#, r#""price_cents":123450"#]
        {
            check(text, &price);
        }
        for text in ["$5.00", "1234.5", "123450", "$1,234.51", "No. 123450"] {
            check(text, &[]);
        }
    }

    #[test]
    fn of_an_open_puzzle_the_answer_is_secret_and_of_a_future_one_everything() {
        check("Clock, /answers/2, due 2026-11-29T00:10:00Z", &[]);
        check("<p>It <strong>ticks</strong> <a href=\"https://a.example\">all day</a>", &[]);
        check("<p>It <strong>ticks</strong> and ticks", &["the description's \"it ticks and ticks\""]);
        check("<h1>Old <b>Globe</b>", &["the name \"Old globe\""]);
        check("<p>It <em>turns</em> and turns", &["the description's \"it turns and turns\""]);
        check("<a href=\"/answers/30\">", &["the number 30"]);
        check("\"puzzle_id\":30,", &["the number 30"]);
        check("30 minutes, width=\"30\", /answers/301", &[]);
        check("2026-11-30T00:10:00Z", &["the due instant 2026-11-30T00:10:00Z"]);
    }

    #[test]
    fn what_is_public_elsewhere_is_no_sign_and_is_told() {
        let rows = r#"{"puzzles": [
            {"id": 1, "play_date": "2026-11-26", "name": "Lamp", "price_cents": 500, "description": "Like a clock."},
            {"id": 2, "play_date": "2026-11-29", "name": "Clock", "price_cents": 500}
        ]}"#;
        let bank = Bank::of_import(serde_json::from_str(rows).unwrap(), 0).unwrap();
        let secrets = Secrets::at(&bank, "2026-11-28T12:00:00Z".parse().unwrap(), "");
        let whats: BTreeSet<_> = secrets.all.iter().map(|secret| secret.what.as_str()).collect();
        assert_eq!(whats, ["the due instant 2026-11-30T00:00:00Z", "the number 2"].into());
        assert!(secrets.skipped.iter().any(|skipped| skipped.what.starts_with("the name \"Clock\"")));
        assert!(secrets.skipped.iter().any(|skipped| skipped.what.starts_with("the price $5.00")));
    }
}
