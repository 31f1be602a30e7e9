//! The secret of a site, with which it signs what only it may have made.
//!
//! Whoever holds a signed text can show it again; nobody else can make one. All processes
//! and Workers of a site have the same secret, or what one of them signed would lead nowhere
//! at the others.
//!
//! One secret signs for several purposes and, in careless hands, for several environments.
//! So both are signed with every text, and each part is preceded by its length: no text of
//! one purpose is a text of another, and no two parts can run together.
//!
//! The secret is kept as the state of HMAC-SHA256, which was made from it, and not as its
//! text: what is not kept cannot end up in a log. Signatures are compared in constant time,
//! or the time would tell a forger how many digits were right.

use std::{fmt, sync::Arc};

use fencepost_application::Sign;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use crate::hex;

/// The fewest characters of a secret: whoever holds a signature may try as many secrets as
/// they like.
const FEWEST: usize = 32;
/// Begins every signed text, so that nothing else that is signed with the secret is one.
const DOMAIN: &str = "fencepost";

/// The secret of a site.
#[derive(Clone)]
pub struct Secret(Hmac<Sha256>);

impl Secret {
    /// The secret that is spelled `text`.
    ///
    /// # Errors
    /// [`InvalidSecret`] for a text that is too short to be one, or that could be spelled
    /// another way at another place: with spaces, control characters or characters beyond
    /// ASCII.
    pub fn new(text: &str) -> Result<Self, InvalidSecret> {
        if text.len() < FEWEST || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(InvalidSecret);
        }
        Ok(Self(Hmac::new_from_slice(text.as_bytes()).expect("HMAC takes keys of every length")))
    }

    /// The signature of these parts, for a purpose, in an environment: 64 hexadecimal digits.
    pub(crate) fn sign(&self, environment: &str, purpose: &str, parts: &[impl AsRef<str>]) -> String {
        let mut mac = self.0.clone();
        let parts = parts.iter().map(AsRef::as_ref);
        for part in [DOMAIN, environment, purpose].into_iter().chain(parts) {
            mac.update(format!("{}:", part.len()).as_bytes());
            mac.update(part.as_bytes());
        }
        digits(mac)
    }

    /// Whether the other is this one: the same key signs the same, and no text of it is kept
    /// that could be compared.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        const NOTHING: [&str; 0] = [];
        other.has_signed("", "", &NOTHING, &self.sign("", "", &NOTHING))
    }

    /// Signs whole texts for others, who hold the secret as well and know nothing of purposes.
    /// So a secret that does this must do nothing else.
    pub fn into_signer(self) -> Sign {
        Arc::new(move |text| {
            let mut mac = self.0.clone();
            mac.update(text.as_bytes());
            digits(mac)
        })
    }

    /// Whether `signature` is that of these parts. A signature has one spelling.
    pub(crate) fn has_signed(
        &self,
        environment: &str,
        purpose: &str,
        parts: &[impl AsRef<str>],
        signature: &str,
    ) -> bool {
        self.sign(environment, purpose, parts).as_bytes().ct_eq(signature.as_bytes()).into()
    }
}

fn digits(mac: Hmac<Sha256>) -> String {
    hex::encode(&mac.finalize().into_bytes())
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// A text that cannot be a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a secret is one word of at least {FEWEST} visible ASCII characters, such as the output of `openssl rand -hex 32`"
)]
pub struct InvalidSecret;

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn a_secret_is_one_long_visible_word_and_never_shown() {
        assert_eq!(format!("{:?}", Secret::new(TEXT).unwrap()), "Secret(..)");
        let with = |end: &str| format!("{TEXT}{end}");
        for text in ["", &TEXT[1..], &with(" "), &with("\n"), &with("ü"), &" ".repeat(40)] {
            assert_eq!(Secret::new(text).map(drop), Err(InvalidSecret), "{text:?} was accepted");
        }
        assert!(!InvalidSecret.to_string().contains(TEXT));
    }

    /// As computed by `printf … | openssl dgst -sha256 -hmac …`: a change of the signed text
    /// would take every link that is in use.
    #[test]
    fn a_signature_is_hmac_sha256_of_parts_with_their_lengths() {
        let signature = Secret::new(TEXT).unwrap().sign("test", "preview page", &["7", "12", ""]);
        assert_eq!(signature, "4222c3a5440d30d02757f91a0ebc4f895cf83052811d38949e1fbbca81b1da02");
    }

    /// As computed by `printf '%s' '1796342400.{"a":1}' | openssl dgst -sha256 -hmac …`, which
    /// the documentation tells receivers to do.
    #[test]
    fn whole_texts_are_signed_as_others_do_it() {
        let sign = Secret::new(TEXT).unwrap().into_signer();
        assert_eq!(
            sign("1796342400.{\"a\":1}"),
            "d6e1edbd6a8c2f4fc4137b7a1868066627b6ea6e193c6837b4a5db5761cd90c8"
        );
    }

    #[test]
    fn every_part_counts_and_no_two_run_together() {
        let secret = Secret::new(TEXT).unwrap();
        let signature = secret.sign("test", "purpose", &["7", "12"]);
        let check = |environment: &str, purpose: &str, parts: &[&str], signed: bool| {
            let got = secret.has_signed(environment, purpose, parts, &signature);
            assert_eq!(got, signed, "{environment} {purpose} {parts:?}");
        };
        check("test", "purpose", &["7", "12"], true);
        check("tests", "purpose", &["7", "12"], false);
        check("test", "other", &["7", "12"], false);
        check("test", "purpose", &["71", "2"], false);
        check("test", "purpose", &["7", "13"], false);
        check("test", "purpose", &["7"], false);
        check("test", "purpose", &["7", "12", ""], false);
        check("testpurpose", "", &["7", "12"], false);
        let other = Secret::new(&TEXT.replace('0', "1")).unwrap();
        assert!(!other.has_signed("test", "purpose", &["7", "12"], &signature));
        for spelled in [signature.to_uppercase(), signature[1..].to_owned(), format!("{signature}0")] {
            assert!(!secret.has_signed("test", "purpose", &["7", "12"], &spelled), "{spelled}");
        }
    }
}
