//! Attributes and macros that hide something.

use super::{
    report::{Rule, Violation},
    tokens::{Token, find},
};

static IGNORE: Rule =
    Rule { name: "no-ignored-test", why: "a test that does not run proves nothing; mend it or delete it" };

static ALLOW: Rule = Rule {
    name: "expect-not-allow",
    why: "write #[expect(lint, reason = \"…\")]: it says why, and complains once it is no longer needed",
};

static UNFINISHED: Rule =
    Rule { name: "no-unfinished-code", why: "what is merged is finished, and prints nothing by accident" };

const UNFINISHED_MACROS: &[&str] = &["todo", "unimplemented", "dbg"];

pub(super) fn check(path: &str, tokens: &[Token]) -> Vec<Violation> {
    let mut violations = Vec::new();
    for word in UNFINISHED_MACROS {
        for found in find(tokens, &format!("{word} ! (")) {
            violations.push(UNFINISHED.at(path, found[0].line, format!("`{word}!`")));
        }
    }
    for start in attribute_starts(tokens) {
        for (rule, word) in [(&IGNORE, "ignore"), (&ALLOW, "allow")] {
            if let Some(token) = attribute(&tokens[start..], word) {
                violations.push(rule.at(path, token.line, format!("`#[{word}]`")));
            }
        }
    }
    violations
}

/// The indices of the first token within each `#[…]` and `#![…]`.
fn attribute_starts(tokens: &[Token]) -> impl Iterator<Item = usize> {
    let is =
        |at: usize, text: &str| tokens.get(at).is_some_and(|token| !token.is_literal && token.text == text);
    (0..tokens.len()).filter(move |&at| is(at, "#")).filter_map(move |at| {
        let bracket = if is(at + 1, "!") { at + 2 } else { at + 1 };
        is(bracket, "[").then_some(bracket + 1)
    })
}

/// The token `word`, if this attribute is so named, or is a `cfg_attr` that may become so.
fn attribute<'a>(tokens: &'a [Token], word: &str) -> Option<&'a Token> {
    let first = tokens.first()?;
    if first.text == word {
        return Some(first);
    }
    if first.text != "cfg_attr" {
        return None;
    }
    let mut depth = 0_i32;
    for pair in tokens.windows(2) {
        let [before, token] = pair else { continue };
        match before.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
        if depth == 1 && before.text == "," && token.text == word {
            return Some(token);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{
        super::{report::assert_found, tokens},
        *,
    };

    fn check_text(text: &str, expected: &[(usize, &str)]) {
        assert_found(&check("crates/a/tests/it/a.rs", &tokens::read(text).unwrap_or_default()), expected);
    }

    #[test]
    fn tests_are_not_ignored() {
        check_text("#[test]\n#[ignore]\nfn f() {}", &[(2, "no-ignored-test")]);
        check_text("#[ignore = \"slow\"]\nfn f() {}", &[(1, "no-ignored-test")]);
        check_text("#[cfg_attr(windows, ignore)]\nfn f() {}", &[(1, "no-ignored-test")]);
        check_text("// #[ignore]\nfn ignore() { \"#[ignore]\"; }", &[]);
    }

    #[test]
    fn lints_are_expected_not_allowed() {
        check_text("#[allow(dead_code)]\nfn f() {}", &[(1, "expect-not-allow")]);
        check_text("#![allow(dead_code, reason = \"later\")]", &[(1, "expect-not-allow")]);
        check_text("#[cfg_attr(test, allow(dead_code))]\nfn f() {}", &[(1, "expect-not-allow")]);
        check_text("#[expect(dead_code, reason = \"read by a macro\")]\nfn f() {}", &[]);
        check_text("#[cfg_attr(feature = \"mock\", automock)]\nfn allow() {}", &[]);
    }

    #[test]
    fn nothing_is_left_undone() {
        check_text("fn f() {\n    todo!()\n}", &[(2, "no-unfinished-code")]);
        check_text("fn f() { dbg!(1); }", &[(1, "no-unfinished-code")]);
        check_text("fn todo() { \"todo!()\"; }", &[]);
    }
}
