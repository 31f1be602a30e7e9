//! No word of the game in the kit.
//!
//! That no crate of the kit depends on one of the site, the graph sees to. A name or a comment
//! needs no dependency: a column that only the site has, an essay that explains a lease by a
//! puzzle. Whoever reads the kit without the site cannot make sense of it.
//!
//! Words that are English as well, such as *answer* and *page*, are not looked for: stores answer,
//! and readers ask for pages.

use super::{
    report::{Rule, Source, Violation},
    tokens::Token,
};

static WORDS: Rule = Rule {
    name: "no-game-in-the-kit",
    why: "the kit is for whatever is published; say it of orders, invoices or issues, or move it to crates/",
};

const KIT: &str = "kit/";

/// What means the site wherever it stands, in comments too. Written as words, in the singular.
const EVERYWHERE: &[&str] = &[
    "puzzle",
    "quota",
    "player",
    "answer post",
    "answer page",
    "bank version",
    "content version",
    "daily result",
    "operator action",
    "play date",
    "price cent",
    "publication item",
    "publication ledger",
    "publication revision",
    "puzzle bank",
    "site state",
    "source image",
];

/// What is a word of the game as a name or as text, and plain English in a comment.
const IN_CODE: &[&str] = &["bank", "game", "guess", "guesse", "play"];

pub(super) fn check(source: &Source, tokens: &[Token]) -> Vec<Violation> {
    let path = source.path.as_str();
    if !path.starts_with(KIT) {
        return Vec::new();
    }
    let lines = (1..).zip(source.text.lines()).map(|(line, text)| (line, text, EVERYWHERE));
    let names = tokens.iter().map(|token| (token.line, token.text.as_str(), IN_CODE));
    lines
        .chain(names)
        .filter_map(|(line, text, list)| {
            let words = words(text);
            let found = list.iter().find(|word| words.contains(&format!(" {word} ")))?;
            Some(WORDS.at(path, line, format!("{found:?} is a word of the game")))
        })
        .collect()
}

/// The words of a text or name, in lower case and in the singular, with a blank around each. What
/// has a mark of punctuation in between does not belong together.
fn words(text: &str) -> String {
    let mut words = String::from(" ");
    let mut was_small = false;
    for mark in text.chars() {
        let is_new = mark.is_ascii_uppercase() && was_small;
        if is_new || !mark.is_ascii_alphanumeric() {
            end_word(&mut words);
        }
        if mark.is_ascii_alphanumeric() {
            words.push(mark.to_ascii_lowercase());
        } else if !matches!(mark, ' ' | '_' | '-') {
            words.push_str("| ");
        }
        was_small = mark.is_ascii_lowercase() || mark.is_ascii_digit();
    }
    end_word(&mut words);
    words
}

fn end_word(words: &mut String) {
    if words.ends_with(' ') {
        return;
    }
    if words.ends_with('s') && !words.ends_with("ss") {
        words.pop();
    }
    words.push(' ');
}

#[cfg(test)]
mod tests {
    use super::{
        super::{report::assert_found, tokens},
        *,
    };

    fn check_text(path: &str, text: &str, expected: &[(usize, &str)]) {
        let source = Source { path: path.to_owned(), text: text.to_owned() };
        assert_found(&check(&source, &tokens::read(text).unwrap_or_default()), expected);
    }

    #[test]
    fn names_texts_and_comments_of_the_kit_know_no_game() {
        for text in [
            "struct PuzzleId(i64);",
            "const A: &str = \"answer_posts\";",
            "/// The `bank_version` of a row.\nconst A: i64 = 1;",
            "//! As a puzzle's page.",
            "// Daily results\nfn f() {}",
            "fn f(content_version: i64) {}",
            "fn f() { guess(1) }",
            "const GUESSES: i64 = 6;",
            "struct GameState;",
        ] {
            let line = 1;
            check_text("kit/batch/src/a.rs", text, &[(line, "no-game-in-the-kit")]);
        }
    }

    #[test]
    fn plain_english_is_no_game() {
        for text in [
            "//! Nothing breaks where it guesses wrong, whatever role it plays.",
            "/// The store's answer, and the page that a reader asked for.\nfn answer(page: i64) {}",
            "fn display(banked: bool, guesswork: bool, replay: bool) {}",
            "/// The version of the content, by which the source of an image is found.\nfn f() {}",
        ] {
            check_text("kit/core/src/a.rs", text, &[]);
        }
    }

    #[test]
    fn the_site_may_speak_of_its_game() {
        check_text("crates/domain/src/a.rs", "struct PuzzleId(i64);", &[]);
        check_text("kit/sqlite/tests/it/a.rs", "fn f(quota: i64) {}", &[(1, "no-game-in-the-kit")]);
    }
}
