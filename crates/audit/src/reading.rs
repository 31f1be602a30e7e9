//! An answer, read in every way in which somebody could read it.
//!
//! A secret need not stand in an answer letter by letter. JSON escapes it, HTML writes it
//! with entities and puts tags into the middle, an address percent-encodes it. So a text is
//! looked at as it is, decoded, and without its tags; and what consists of words is looked
//! for as words, whatever stands between them.

use percent_encoding::percent_decode_str;

use crate::ask::Answer;

/// How much is shown to either side of what was found, in bytes.
const AROUND: usize = 40;

/// A text in all its readings.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    /// As it is, decoded, and decoded without tags.
    texts: Vec<String>,
    /// The words of the last two, in lower case, each between blanks.
    words: Vec<String>,
    /// Whether its numbers are lengths and not prices.
    pub(crate) is_style: bool,
}

impl Reading {
    pub(crate) fn of(text: &str) -> Self {
        let decoded = decode_entities(&decode_json(&percent_decode_str(text).decode_utf8_lossy()));
        let untagged = without_tags(&decoded);
        let words = vec![words(&decoded), words(&untagged)];
        Self { texts: vec![text.to_owned(), decoded, untagged], words, is_style: false }
    }

    /// The body of an answer; `None` where it is a picture.
    pub(crate) fn of_body(answer: &Answer) -> Option<Self> {
        let content_type = answer.header("content-type").unwrap_or_default();
        if answer.header("content-encoding").is_some_and(|coding| coding != "identity") {
            return None;
        }
        if content_type.starts_with("image/") && !content_type.starts_with("image/svg") {
            return None;
        }
        let is_style = content_type.starts_with("text/css") || content_type.starts_with("image/svg");
        Some(Self { is_style, ..Self::of(&String::from_utf8_lossy(&answer.body)) })
    }

    /// The words around `letters`, where they stand as they are.
    pub(crate) fn verbatim(&self, letters: &str) -> Option<String> {
        self.texts.iter().find_map(|text| text.find(letters).map(|at| around(text, at, letters.len())))
    }

    /// The words around `wanted`, which are words as [`words`] makes them.
    pub(crate) fn has_words(&self, wanted: &str) -> Option<String> {
        self.words.iter().find_map(|text| text.find(wanted).map(|at| around(text, at, wanted.len())))
    }

    /// The words around a number that stands alone, and near to which `is_meant` likes what
    /// comes before and after.
    pub(crate) fn number(&self, digits: &str, is_meant: impl Fn(&str, &str) -> bool) -> Option<String> {
        self.texts.iter().find_map(|text| {
            let places = text.match_indices(digits).map(|(at, _)| at);
            let mut meant = places.filter(|&at| {
                let (before, after) = (&text[..at], &text[at + digits.len()..]);
                stands_alone(before, digits, after) && is_meant(before, after)
            });
            meant.next().map(|at| around(text, at, digits.len()))
        })
    }
}

/// Whether a number is no part of a longer one, nor of a word.
fn stands_alone(before: &str, number: &str, after: &str) -> bool {
    let continues = |mut rest: std::iter::Rev<std::str::Chars<'_>>| match rest.next() {
        Some('.' | ',') => rest.next().is_some_and(|next| next.is_ascii_digit()),
        Some(next) => next.is_alphanumeric(),
        None => false,
    };
    let mut rest = after.chars();
    let goes_on = match rest.next() {
        Some('.' | ',') => rest.next().is_some_and(|next| next.is_ascii_digit()),
        Some(next) => next.is_alphanumeric(),
        None => false,
    };
    !goes_on && (number.starts_with('$') || !continues(before.chars().rev()))
}

/// The words of a text in lower case, each between blanks.
pub(crate) fn words(text: &str) -> String {
    let mut words = String::from(" ");
    for word in text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()) {
        words.extend(word.chars().flat_map(char::to_lowercase));
        words.push(' ');
    }
    words
}

/// The last `most` bytes of a text, or a few less where a letter would be cut.
pub(crate) fn tail(text: &str, most: usize) -> &str {
    let from = (text.len().saturating_sub(most)..=text.len()).find(|&at| text.is_char_boundary(at));
    &text[from.unwrap_or(text.len())..]
}

/// The first `most` bytes of a text, or a few less where a letter would be cut.
pub(crate) fn head(text: &str, most: usize) -> &str {
    let to = (0..=most.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    &text[..to.unwrap_or(0)]
}

fn around(text: &str, at: usize, length: usize) -> String {
    let (before, after) = (tail(&text[..at], AROUND), head(&text[at + length..], AROUND));
    format!("…{before}{}{after}…", &text[at..at + length])
}

/// A text without what looks like tags. Comments are no tags: they can be read.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        let is_tag = tag[1..].starts_with(|next: char| next.is_ascii_alphabetic() || next == '/');
        match tag.find('>') {
            Some(end) if is_tag => rest = &tag[end + 1..],
            _ => {
                out.push('<');
                rest = &tag[1..];
            }
        }
    }
    out + rest
}

/// A text with its JSON escapes resolved; what is none stays.
fn decode_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        let unicode = escape.strip_prefix('u').and_then(|digits| digits.get(..4));
        let letter = unicode.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
        rest = if let Some(letter) = letter {
            out.push(letter);
            &escape[5..]
        } else if escape.starts_with(['"', '\\', '/']) {
            out.push_str(&escape[..1]);
            &escape[1..]
        } else if escape.starts_with(['n', 'r', 't']) {
            out.push(' ');
            &escape[1..]
        } else {
            out.push('\\');
            escape
        };
    }
    out + rest
}

/// A text with the entities that a template writes resolved; what is none stays.
fn decode_entities(text: &str) -> String {
    /// The longest entity that is resolved, without its semicolon.
    const LONGEST: usize = 8;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let entity = &rest[at + 1..];
        let end = entity.bytes().take(LONGEST + 1).position(|byte| byte == b';');
        let letter = end.and_then(|end| named(&entity[..end]));
        rest = match (letter, end) {
            (Some(letter), Some(end)) => {
                out.push(letter);
                &entity[end + 1..]
            }
            _ => {
                out.push('&');
                entity
            }
        };
    }
    out + rest
}

fn named(entity: &str) -> Option<char> {
    if let Some(number) = entity.strip_prefix('#') {
        let hex = number.strip_prefix(['x', 'X']);
        let code = hex.map_or_else(|| number.parse(), |digits| u32::from_str_radix(digits, 16));
        return char::from_u32(code.ok()?);
    }
    match entity {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        "dollar" => Some('$'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_every_disguise() {
        let check = |text: &str, found: bool| {
            let wanted = words("Lamp & *shade*");
            assert_eq!(Reading::of(text).has_words(&wanted).is_some(), found, "{text}");
        };
        check("<h1>Lamp &amp; shade</h1>", true);
        check("<p>lamp &#38; <em>shade</em>", true);
        check("<!-- Lamp & <b>Shade</b> -->", true);
        check(r#"{"name":"Lamp \u0026 shade"}"#, true);
        check("&lt;p&gt;Lamp &amp;amp; &lt;em&gt;shade&lt;/em&gt;", false);
        check("&lt;p&gt;Lamp &lt;em&gt;shade&lt;/em&gt;", true);
        check("/play/1120-lamp-shade", true);
        check("?q=Lamp%20%26%20shade", true);
        check("Lampshade", false);
        check("a lamp without shade", false);
        check("clamp shade", false);
    }

    #[test]
    fn a_number_is_found_where_it_stands_alone() {
        let check = |text: &str, number: &str, found: bool| {
            assert_eq!(Reading::of(text).number(number, |_, _| true).is_some(), found, "{number} in {text}");
        };
        check("$18.99", "18.99", true);
        check("18.99.", "18.99", true);
        check("US$18.99", "$18.99", true);
        check("value=\"18.99\"", "18.99", true);
        check("118.99", "18.99", false);
        check("18.991", "18.99", false);
        check("1,018.99 and 2.18.99", "18.99", false);
        check("18.99.1", "18.99", false);
        check("a18.99", "18.99", false);
        check("18.99rem", "18.99", false);
        check("&#36;18.99", "$18.99", true);
    }

    #[test]
    fn texts_are_cut_between_letters() {
        assert_eq!((tail("äöü", 3), head("äöü", 3)), ("ü", "ä"));
        assert_eq!((tail("ab", 9), head("ab", 9)), ("ab", "ab"));
        assert_eq!(around("so Grün ist es", 3, 5), "…so Grün ist es…");
    }

    #[test]
    fn what_is_no_escape_stays() {
        for text in ["100 %", "a & b", "&unknown;", r"C:\path \u12", "<3 > 2", "&", "\\", "<"] {
            assert_eq!(Reading::of(text).texts[2], text, "{text}");
        }
    }
}
