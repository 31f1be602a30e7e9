//! Who may use the admin API: whoever knows the token.
//!
//! The token is kept as its SHA-256 digest only. Two digests have one length, so comparing
//! them in constant time tells a guesser neither how many characters were right nor how
//! long the token is; and what is not kept cannot end up in a log.

use std::fmt;

use axum::http::{HeaderMap, header};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::{asked::Asked, hex, problem::Problem};

/// The token of the admin API.
#[derive(Clone)]
pub struct AdminToken {
    sha256: [u8; 32],
    is_weak: bool,
}

/// With fewer characters, a token may be guessed.
const FEWEST: usize = 32;

impl AdminToken {
    /// The token that is spelled `text`.
    ///
    /// # Errors
    /// [`InvalidAdminToken`] for a text that no `Authorization` header can carry: an empty
    /// one, or one with spaces, control characters or characters beyond ASCII.
    pub fn new(text: &str) -> Result<Self, InvalidAdminToken> {
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(InvalidAdminToken);
        }
        Ok(Self { sha256: Sha256::digest(text).into(), is_weak: text.len() < FEWEST })
    }

    /// Whether `text` is the token; takes the same time for every wrong one of its length.
    pub fn matches(&self, text: &str) -> bool {
        let sha256: [u8; 32] = Sha256::digest(text).into();
        self.sha256.ct_eq(&sha256).into()
    }
}

impl AdminToken {
    /// Whether it has fewer characters than a token should have. It works all the same: a
    /// site that is tried out on somebody's machine need not be guarded.
    pub fn is_weak(&self) -> bool {
        self.is_weak
    }

    /// What tells this token from another one, without telling it: its digest.
    pub(crate) fn fingerprint(&self) -> String {
        hex::encode(&self.sha256)
    }
}

impl fmt::Debug for AdminToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AdminToken(..)")
    }
}

/// A text that cannot be a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an admin token is one word of visible ASCII characters, such as 32 random hexadecimal digits")]
pub struct InvalidAdminToken;

/// Lets a request pass that carries the token. Runs before anything else of the API looks
/// at the request, so that a stranger does not even learn which addresses there are.
pub(crate) fn require_admin(asked: &Asked) -> Result<(), Problem> {
    let token = asked.app().admin_token.as_ref().ok_or_else(Problem::admin_disabled)?;
    let is_presented = bearer(asked.headers()).is_some_and(|presented| token.matches(presented));
    is_presented.then_some(()).ok_or_else(Problem::unauthorized)
}

/// The one bearer token that a request carries. Two would leave open which one counts.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_one_visible_word_and_never_shown() {
        let token = AdminToken::new("s3cret").unwrap();
        assert!(token.matches("s3cret"));
        for wrong in ["", "s3cre", "s3cret ", "S3CRET", "s3crets"] {
            assert!(!token.matches(wrong), "{wrong:?} was accepted");
        }
        assert_eq!(format!("{token:?}"), "AdminToken(..)");
        for (characters, weak) in [(1, true), (31, true), (32, false), (64, false)] {
            assert_eq!(AdminToken::new(&"x".repeat(characters)).unwrap().is_weak(), weak, "{characters}");
        }
        for text in ["", " ", "two words", "tab\t", "ümlaut", "line\n"] {
            assert!(AdminToken::new(text).is_err(), "{text:?} was accepted");
        }
    }

    fn check(values: &[&str], expected: Option<&str>) {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, value.parse().unwrap());
        }
        assert_eq!(bearer(&headers), expected, "{values:?}");
    }

    #[test]
    fn one_bearer_token_counts() {
        check(&["Bearer abc"], Some("abc"));
        check(&["bearer abc"], Some("abc"));
        check(&["BEARER   abc"], Some("abc"));
        check(&["Bearer"], None);
        check(&["Basic abc"], None);
        check(&["abc"], None);
        check(&[], None);
        check(&["Bearer abc", "Bearer def"], None);
    }
}
