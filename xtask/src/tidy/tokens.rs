//! Rust source as a flat row of tokens: comments gone, literals whole, and each token
//! knowing its line and whether it belongs to tests.

use std::str::FromStr;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::report::Rule;

pub(super) static UNREADABLE: Rule =
    Rule { name: "readable-rust", why: "a file that is not Rust cannot be checked for anything else" };

/// One token.
#[derive(Debug)]
pub(super) struct Token {
    /// As written; a bracket counts as a token.
    pub(super) text: String,
    pub(super) line: usize,
    pub(super) is_literal: bool,
    /// Within an item under `#[cfg(test)]`.
    pub(super) in_test: bool,
}

/// Why a text is not Rust.
pub(super) struct Problem {
    pub(super) line: usize,
    pub(super) message: String,
}

/// Reads a source file. Documentation is left out: it is prose.
pub(super) fn read(text: &str) -> Result<Vec<Token>, Problem> {
    let stream = TokenStream::from_str(text)
        .map_err(|error| Problem { line: error.span().start().line, message: error.to_string() })?;
    let mut tokens = Vec::new();
    flatten(stream, false, &mut tokens);
    Ok(tokens)
}

/// The places where `pattern` stands. Its tokens are divided by blanks.
pub(super) fn find<'a>(tokens: &'a [Token], pattern: &str) -> impl Iterator<Item = &'a [Token]> {
    let pattern: Vec<String> = pattern.split(' ').map(str::to_owned).collect();
    tokens.windows(pattern.len()).filter(move |window| {
        window.iter().zip(&pattern).all(|(token, word)| !token.is_literal && token.text == *word)
    })
}

fn flatten(stream: TokenStream, in_test: bool, tokens: &mut Vec<Token>) {
    let mut trees = stream.into_iter().peekable();
    let mut item_in_test = false;
    while let Some(tree) = trees.next() {
        let in_test = in_test || item_in_test;
        let line = tree.span().start().line;
        let code = |text: String| Token { text, line, is_literal: false, in_test };
        match tree {
            TokenTree::Group(group) if is_documentation(&group) && follows_hash(tokens) => {}
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                tokens.push(code(open.to_owned()));
                flatten(group.stream(), in_test, tokens);
                tokens.push(Token { line: group.span_close().end().line, ..code(close.to_owned()) });
                // The item under `#[cfg(test)]` ends with its body.
                item_in_test &= group.delimiter() != Delimiter::Brace;
            }
            TokenTree::Punct(punct) => {
                item_in_test |= punct.as_char() == '#' && is_attribute(trees.peek(), "cfg(test)");
                item_in_test &= punct.as_char() != ';';
                tokens.push(code(punct.as_char().to_string()));
            }
            TokenTree::Ident(ident) => tokens.push(code(ident.to_string())),
            TokenTree::Literal(literal) => {
                tokens.push(Token { is_literal: true, ..code(literal.to_string()) });
            }
        }
    }
}

fn is_attribute(tree: Option<&TokenTree>, text: &str) -> bool {
    let Some(TokenTree::Group(group)) = tree else { return false };
    let words: String = group.stream().to_string().split_whitespace().collect();
    group.delimiter() == Delimiter::Bracket && words == text
}

fn is_documentation(group: &Group) -> bool {
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket && matches!(first, Some(TokenTree::Ident(word)) if word == "doc")
}

fn follows_hash(tokens: &[Token]) -> bool {
    let mut before = tokens.iter().rev().map(|token| token.text.as_str());
    match before.next() {
        Some("#") => true,
        Some("!") => before.next() == Some("#"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_documentation_are_no_tokens() {
        let tokens =
            read("//! Essay.\n// Note.\n/// Doc.\nfn f() { /* todo!() */ \"// text\"; }").map_err(drop);
        let code: Vec<_> = tokens.unwrap().into_iter().filter(|token| token.line == 4).collect();
        let words: Vec<_> = code.iter().map(|token| token.text.as_str()).collect();
        assert_eq!(words.join(" "), "fn f ( ) { \"// text\" ; }");
    }

    #[test]
    fn documentation_is_left_out_wherever_it_stands() {
        for text in ["//! SELECT", "/// SELECT\nfn f() {}", "#[doc = \"SELECT\"]\nfn f() {}"] {
            let tokens = read(text).map_err(drop).unwrap();
            assert!(tokens.iter().all(|token| !token.is_literal), "{tokens:?}");
        }
    }

    #[test]
    fn an_item_under_cfg_test_ends_with_its_body() {
        let text = "#[cfg(test)] mod tests { fn planted() {} }\n#[cfg(test)] use a; fn shipped() {}";
        let tokens = read(text).unwrap_or_default();
        let in_test = |word: &str| tokens.iter().find(|token| token.text == word).map(|token| token.in_test);
        assert_eq!(in_test("planted"), Some(true));
        assert_eq!(in_test("shipped"), Some(false));
    }

    #[test]
    fn a_text_that_is_not_rust_is_reported_with_its_line() {
        assert_eq!(read("fn f() {}\nfn g( {").err().map(|problem| problem.line), Some(2));
    }
}
