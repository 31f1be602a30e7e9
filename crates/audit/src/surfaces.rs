//! Everything that a stranger could ask for.
//!
//! Addresses that do not exist on a site are asked for all the same: they are answered like
//! any address of nothing, and are looked over once they do exist.

use std::collections::BTreeSet;

use fencepost_domain::{
    game::{CLOSE_CENTS, CLOSE_PERCENT, CORRECT_CENTS, Guess, Verdict},
    puzzle::MAX_PRICE_CENTS,
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::{
    ask::Question,
    bank::{Bank, KnownPuzzle},
};

/// Addresses without a number.
const GENERAL: &[&str] = &[
    "/",
    "/answers",
    "/answers?before=2199-12-31",
    "/feed.xml",
    "/sitemap.xml",
    "/robots.txt",
    "/api/openapi.json",
    "/healthz",
    "/readyz",
    "/metrics",
    "/admin",
    "/admin/actions",
    "/admin/items/new",
    "/admin/api/actions",
    "/admin/api/runs",
    "/admin/api/items",
    "/admin/api/status",
    "/admin/api/doctor",
    "/admin/api/outbox",
    "/admin/api/export/bank",
    "/admin/api/export/ledger",
    "/admin/export/bank",
    "/admin/api/verify",
    "/favicon.ico",
    "/?utm_source=audit",
    "/nowhere",
];

/// Other spellings of the address of a number, and addresses that a later version may have.
const SPELLINGS: &[&str] = &[
    "/answers/0{id}",
    "/answers/+{id}",
    "/answers/-{id}",
    "/answers/{id}/",
    "/answers//{id}",
    "/answers/{id}.0",
    "/answers/{id}.json",
    "/answers/{id}x",
    "/answers/{id}%20",
    "/answers/%20{id}",
    "/answers/{id}%00",
    "/Answers/{id}",
    "/answers/{id}/photo",
    "/answers/{id}?preview=x",
    "/answers?id={id}",
    "/answers?before={id}",
    "/play/0{id}",
    "/play/{id}/",
    "/play/{id}?preview=x",
    "/images/{id}",
    "/images/{id}.webp",
    "/api/puzzles/{id}",
    "/api/puzzles/0{id}/stats",
    "/api/puzzles/{id}x/stats",
    "/api/puzzles/{id}/stats/",
    "/admin/api/items/{id}",
    "/admin/items/{id}/edit",
];

/// The addresses of what is public, or pretends to be.
pub(crate) fn addresses<'a>(told: impl Iterator<Item = &'a KnownPuzzle>) -> BTreeSet<String> {
    let mut all: BTreeSet<_> = GENERAL.iter().map(|&path| path.to_owned()).collect();
    for puzzle in told {
        let id = puzzle.id;
        all.extend(
            ["/answers/{id}", "/play/{id}", "/api/puzzles/{id}/stats", "/admin/api/items/{id}"]
                .map(|path| path.replace("{id}", &id.to_string())),
        );
        all.extend(puzzle.photo_key.iter().map(|key| format!("/images/{key}")));
    }
    all
}

/// The ways to look at one address.
pub(crate) fn looks(path: &str) -> Vec<Question> {
    let get = || Question::new("GET", path);
    vec![
        Question::new("HEAD", path),
        Question::new("OPTIONS", path),
        get().with("if-none-match", "*"),
        get().with("if-none-match", "\"x\""),
        get().with("if-modified-since", "Fri, 01 Jan 2100 00:00:00 GMT"),
        get().with("range", "bytes=0-15"),
        get().with("range", "bytes=-64"),
        get().with("accept-encoding", "gzip, br"),
        get().with("accept", "application/json"),
    ]
}

/// Everything that is asked about a number, to be held against the same about another.
pub(crate) fn about_number(id: &str) -> Vec<Question> {
    let mut all = Vec::new();
    for form in ["/answers/{id}", "/play/{id}", "/api/puzzles/{id}/stats"] {
        let path = form.replace("{id}", id);
        all.push(Question::new("GET", &path));
        all.extend(looks(&path));
        all.push(post(&path, "{}"));
        // And once more, when all of these may have been kept.
        all.push(Question::new("GET", &path));
    }
    all.extend(SPELLINGS.iter().map(|form| Question::new("GET", form.replace("{id}", id))));
    let encoded = id.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    all.push(Question::new("GET", format!("/answers/{encoded}")));
    all.extend(GUESSES.iter().map(|body| post(&format!("/api/puzzles/{id}/guess"), body)));
    let game = format!("{id}.1h-1h-1h-1h-1h-1h.{SESSION}.{}", "0".repeat(64));
    let forms = FORMS.iter().map(|form| form.replace("{game}", &game));
    all.extend(forms.map(|form| post_form(id, &form)));
    all.push(post(&format!("/api/puzzles/{id}/guess"), &format!(r#"{{"guess_cents":1,"game":"{game}"}}"#)));
    all.push(post("/api/results", &format!(r#"{{"game":"{game}"}}"#)));
    let result = format!(r#"{{"puzzle_id":{id},"session_id":"{SESSION}","outcome":"won","guesses_used":1}}"#);
    all.push(post("/api/results", &result));
    all
}

/// Forms of a game that begins, or might, from a guess to what is none.
pub(crate) fn forms(id: &str) -> impl Iterator<Item = Question> {
    FORMS.iter().map(move |form| post_form(id, form))
}

/// A guess by the form, in the game that stands on a page, if one does. `session` is who plays
/// if none does.
pub(crate) fn guess_by_form(id: &str, session: &str, cents: i64, page: &[u8]) -> Question {
    let (dollars, cents) = (cents / 100, cents % 100);
    let game = match game_on(page) {
        Some(game) => format!("game={game}"),
        None => format!("session_id={SESSION}-{session}"),
    };
    post_form(id, &format!("guess={dollars}.{cents:02}&{game}"))
}

/// A look at the game that stands on a page, by the form without a guess.
pub(crate) fn look_by_form(id: &str, page: &[u8]) -> Option<Question> {
    game_on(page).map(|game| post_form(id, &format!("game={game}")))
}

/// The token of the game on a page.
fn game_on(page: &[u8]) -> Option<String> {
    let page = String::from_utf8_lossy(page);
    let (_, rest) = page.split_once("data-game=\"")?;
    let token = rest.split('"').next()?;
    Some(utf8_percent_encode(token, NON_ALPHANUMERIC).to_string())
}

/// A guess that is judged like this, and is no price of the bank: what a player has typed is no
/// news to them.
pub(crate) fn judged(price: i64, bank: &Bank, wanted: impl Fn(Verdict) -> bool) -> Option<i64> {
    let least_close = (price * CLOSE_PERCENT / 100).max(CLOSE_CENTS);
    let steps = (1..=CORRECT_CENTS).chain((0..CORRECT_CENTS).map(|less| least_close - less));
    let mut guesses = steps.flat_map(|step| [price + step, price - step]).chain([1, MAX_PRICE_CENTS]);
    guesses.find(|&cents| {
        let verdict = Guess::try_from(cents).map(|guess| guess.verdict(price));
        verdict.is_ok_and(&wanted) && bank.puzzles().all(|puzzle| puzzle.price_cents != Some(cents))
    })
}

/// The first guesses at a puzzle that is known.
pub(crate) fn guesses(id: &str) -> impl Iterator<Item = Question> {
    GUESSES.iter().map(move |body| post(&format!("/api/puzzles/{id}/guess"), body))
}

/// A guess of so many cents, with which a game begins.
pub(crate) fn first_guess(id: &str, cents: i64) -> Question {
    let body = format!(r#"{{"guess_cents":{cents},"session_id":"{SESSION}"}}"#);
    post(&format!("/api/puzzles/{id}/guess"), &body)
}

/// The next guess of the game that came with an answer; `None` if none did.
pub(crate) fn next_guess(id: &str, answer: &[u8]) -> Option<Question> {
    let answer: Value = serde_json::from_slice(answer).ok()?;
    let game = answer["game"].as_str()?;
    Some(post(&format!("/api/puzzles/{id}/guess"), &format!(r#"{{"guess_cents":1,"game":"{game}"}}"#)))
}

/// Who plays for the audit.
const SESSION: &str = "fencepost-audit-session";

/// Guesses, as they should be and not.
const GUESSES: &[&str] = &[
    r#"{"guess_cents":1,"session_id":"fencepost-audit-session"}"#,
    r#"{"guess_cents":0}"#,
    r#"{"guess_cents":1,"price_cents":1}"#,
];

/// Forms, as they should be and not. None of them ends a game.
const FORMS: &[&str] = &[
    "guess=0.01",
    "guess=0%2C01&session_id=fencepost-audit-session",
    "",
    "guess=eighteen",
    "guess=0",
    "guess=0.01&game={game}",
    "game={game}",
    "guess=0.01&game=x",
];

/// Everything that is asked about a photo, to be held against the same about another.
pub(crate) fn about_photo(key: &str) -> Vec<Question> {
    let path = format!("/images/{key}");
    let get = || Question::new("GET", &path);
    let mut all = vec![get(), get().with("if-none-match", format!("\"{key}\""))];
    all.extend(looks(&path));
    all.push(get());
    all
}

fn post(path: &str, body: &str) -> Question {
    let question = Question::new("POST", path).with("content-type", "application/json");
    Question { body: Some(body.to_owned()), ..question }
}

fn post_form(id: &str, form: &str) -> Question {
    let form_type = "application/x-www-form-urlencoded";
    let question = Question::new("POST", format!("/play/{id}")).with("content-type", form_type);
    Question { body: Some(form.to_owned()), ..question }
}

/// A number that no bank has reached.
pub(crate) const NOBODYS: &str = "999999999999999";

/// Numbers that no known puzzle has, those of as many digits as `id` first, so that an answer
/// that repeats the number is as long.
pub(crate) fn unused_beside(id: i64, bank: &Bank) -> impl Iterator<Item = String> {
    let digits = id.to_string().len();
    let ends = (digits..16).map(|digits| "9".repeat(digits).parse().unwrap_or(i64::MAX));
    let all = ends.flat_map(|end: i64| (end / 10 + 1..=end).rev());
    all.filter(|id| !bank.has(*id)).map(|id| id.to_string())
}

/// The numbers next to known ones that no puzzle has.
pub(crate) fn around<'a>(puzzles: impl Iterator<Item = &'a KnownPuzzle>, bank: &Bank) -> BTreeSet<i64> {
    let near = puzzles.flat_map(|puzzle| [-2, -1, 1, 2].map(|step| puzzle.id.get() + step));
    near.filter(|id| !bank.has(*id)).collect()
}

/// Two keys of photos that there are not, as long as `key` and of the same format.
pub(crate) fn photos_beside(key: &str) -> [String; 2] {
    let turned = |by: u32| -> String {
        let (digest, format) = key.split_at(key.find('.').unwrap_or(key.len()));
        let turn = |digit: char| match digit
            .to_digit(16)
            .and_then(|value| char::from_digit((value + by) % 16, 16))
        {
            Some(turned) => turned,
            None => digit,
        };
        digest.chars().map(turn).collect::<String>() + format
    };
    [turned(3), turned(7)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_beside_is_as_long_and_nobodys() {
        let rows = r#"{"puzzles": [
            {"id": 9, "play_date": "2026-11-26", "name": "A", "price_cents": 5},
            {"id": 98, "play_date": "2026-11-28", "name": "B", "price_cents": 5}
        ]}"#;
        let bank = Bank::of_import(serde_json::from_str(rows).unwrap(), 0).unwrap();
        let check = |id, expected: [&str; 2]| {
            assert_eq!(unused_beside(id, &bank).take(2).collect::<Vec<_>>(), expected, "{id}");
        };
        check(3, ["8", "7"]);
        check(50, ["99", "97"]);
        check(1120, ["9999", "9998"]);
        assert_eq!(unused_beside(3, &bank).nth(8).as_deref(), Some("99"));
        assert_eq!(around(bank.puzzles(), &bank), [7, 8, 10, 11, 96, 97, 99, 100].into());
    }

    #[test]
    fn a_guess_of_every_kind_is_found_for_every_price() {
        for price in [1, 5, 6, 30, 100, 500, 2_599, 123_450, 99_999_999, MAX_PRICE_CENTS] {
            let row = format!(
                r#"{{"puzzles": [{{"id": 9, "play_date": "2026-11-26", "name": "A", "price_cents": {price}}}]}}"#
            );
            let bank = Bank::of_import(serde_json::from_str(&row).unwrap(), 0).unwrap();
            let check = |wanted: fn(Verdict) -> bool| {
                let cents = judged(price, &bank, wanted).unwrap();
                assert!(cents != price && wanted(Guess::try_from(cents).unwrap().verdict(price)), "{cents}");
            };
            check(|verdict| verdict == Verdict::Correct);
            check(|verdict| verdict.is_close() && verdict != Verdict::Correct);
            check(|verdict| !verdict.is_close());
        }
    }

    #[test]
    fn the_game_on_a_page_is_gone_on_with() {
        let page = br#"<section id="game" data-game="7.1h.someone-or-other.ab">"#;
        let next = guess_by_form("7", "lost", 205, page);
        assert_eq!(next.body.as_deref(), Some("guess=2.05&game=7%2E1h%2Esomeone%2Dor%2Dother%2Eab"));
        let first = guess_by_form("7", "lost", 1, b"");
        assert_eq!(first.body.as_deref(), Some("guess=0.01&session_id=fencepost-audit-session-lost"));
        assert_eq!(look_by_form("7", b""), None);
    }

    #[test]
    fn the_photo_beside_is_as_long_and_another() {
        assert_eq!(photos_beside("0f.webp"), ["32.webp", "76.webp"]);
    }
}
