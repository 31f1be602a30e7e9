//! What a deployment calls itself: the words that every target reads the same way.

use url::Url;

/// The name of an environment. Part of every cache key, and compared with `production`:
/// one spelling only.
///
/// # Errors
/// What to write instead.
pub fn environment(text: &str) -> Result<String, String> {
    let is_word = (1..=32).contains(&text.len())
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'));
    if is_word {
        Ok(text.to_owned())
    } else {
        Err("write a word of 1 to 32 lower-case letters, digits, - and _, such as production".to_owned())
    }
}

/// The name of a process or a Worker, among those that share a store. It begins the names
/// of the owners of leases.
///
/// # Errors
/// What to write instead.
pub fn instance(text: &str) -> Result<String, String> {
    let is_word = (1..=64).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if is_word {
        Ok(text.to_owned())
    } else {
        Err("write a word of 1 to 64 letters, digits, -, _ and ., such as site-new".to_owned())
    }
}

/// A site's public address: scheme and host.
///
/// # Errors
/// What to write instead.
pub fn origin(text: &str) -> Result<String, String> {
    let refuse = || "write scheme and host only, such as https://prices.example".to_owned();
    let url = Url::parse(text).map_err(|_| refuse())?;
    let bare = matches!(url.scheme(), "http" | "https")
        && url.path() == "/"
        && url.query().is_none()
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    if bare { Ok(url.origin().ascii_serialization()) } else { Err(refuse()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_is_one_plain_word() {
        for good in ["production", "pr-17", "a_b"] {
            assert_eq!(environment(good).as_deref(), Ok(good));
        }
        for bad in ["Production", "", "a b", "é", &"a".repeat(33)] {
            assert!(environment(bad).is_err(), "{bad:?} was accepted");
        }
    }

    #[test]
    fn an_instance_is_one_plain_word() {
        for good in ["site-old", "Server-4711", "0.1.0-3f2a"] {
            assert_eq!(instance(good).as_deref(), Ok(good));
        }
        for bad in ["", "a/b", "a b", "é", &"a".repeat(65)] {
            assert!(instance(bad).is_err(), "{bad:?} was accepted");
        }
    }

    #[test]
    fn an_origin_has_no_path() {
        let check = |text, expected| assert_eq!(origin(text).ok().as_deref(), expected, "{text}");
        check("https://a.example", Some("https://a.example"));
        check("http://A.example:80/", Some("http://a.example"));
        check("http://127.0.0.1:8787", Some("http://127.0.0.1:8787"));
        for bad in [
            "",
            "a.example",
            "https://a.example/x",
            "ftp://a.example",
            "https://a.example/?q",
            "https://me@a.example",
        ] {
            check(bad, None);
        }
    }
}
