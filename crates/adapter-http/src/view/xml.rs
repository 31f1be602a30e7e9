//! What XML cannot say.
//!
//! HTML shrugs at a stray control character. XML has no way to write one, not even escaped,
//! and a reader refuses the whole document. A description may have some.

/// The document, with a replacement character for every character that XML forbids.
pub(crate) fn without_forbidden(document: String) -> String {
    if document.chars().all(is_allowed) {
        return document;
    }
    let replaced = |c| if is_allowed(c) { c } else { char::REPLACEMENT_CHARACTER };
    document.chars().map(replaced).collect()
}

/// Whether XML 1.0 has this character.
const fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_forbids_is_replaced_and_nothing_else() {
        let check = |text: &str, expected: &str| assert_eq!(without_forbidden(text.to_owned()), expected);
        check("", "");
        check("a\tb\r\nc é 🫖 \u{7f} \u{fffd} \u{e000}", "a\tb\r\nc é 🫖 \u{7f} \u{fffd} \u{e000}");
        check("a\0b\u{8}\u{b}\u{c}\u{1b}", "a\u{fffd}b\u{fffd}\u{fffd}\u{fffd}\u{fffd}");
        check("\u{fffe}x\u{ffff}", "\u{fffd}x\u{fffd}");
    }
}
