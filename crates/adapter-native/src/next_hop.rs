//! Where a redirect leads, and whether it may be followed.
//!
//! Redirects are followed by hand because the client's own policy sees neither the
//! addresses that its resolver refuses nor those written as digits.

use reqwest::{StatusCode, header::HeaderValue};
use url::Url;

/// Whether an answer with this status sends the client elsewhere.
pub(crate) fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// The address that an answer of `from` with this `Location` sends the client to.
///
/// # Errors
///
/// Why it must not be followed, as the end of a sentence that begins with the address.
pub(crate) fn next_hop(from: &Url, location: Option<&HeaderValue>) -> Result<Url, String> {
    let Some(location) = location else {
        return Err("redirects without saying where to".to_owned());
    };
    // Browsers read these bytes as UTF-8 too, although the standard allows ASCII only.
    let to = std::str::from_utf8(location.as_bytes())
        .ok()
        .and_then(|location| from.join(location).ok())
        .ok_or("redirects to something that is not an address")?;
    match (from.scheme(), to.scheme()) {
        ("https", "http") => Err("redirects from https to http".to_owned()),
        (_, "http" | "https") => Ok(to),
        (_, other) => Err(format!("redirects to an address with the scheme {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(from: &str, location: &[u8], expected: Result<&str, &str>) {
        let from = Url::parse(from).unwrap();
        let location = HeaderValue::from_bytes(location).unwrap();
        let actual = next_hop(&from, Some(&location));
        assert_eq!(actual.as_ref().map(Url::as_str).map_err(String::as_str), expected);
    }

    #[test]
    fn a_redirect_leads_where_a_browser_would_go() {
        check("https://a.example/x/y.png", b"z.png", Ok("https://a.example/x/z.png"));
        check("https://a.example/x/y.png", b"/z.png", Ok("https://a.example/z.png"));
        check("https://a.example/x", b"//b.example/z", Ok("https://b.example/z"));
        check("http://a.example/x", b"https://b.example/z", Ok("https://b.example/z"));
        check("http://a.example/x", b"http://b.example/z", Ok("http://b.example/z"));
        check("https://a.example/x", "/käse.png".as_bytes(), Ok("https://a.example/k%C3%A4se.png"));
    }

    #[test]
    fn a_redirect_never_leaves_the_web_or_gives_up_encryption() {
        check("https://a.example/x", b"http://a.example/x", Err("redirects from https to http"));
        check(
            "https://a.example/x",
            b"file:///etc/passwd",
            Err("redirects to an address with the scheme file"),
        );
        check("http://a.example/x", b"data:image/png,", Err("redirects to an address with the scheme data"));
    }

    #[test]
    fn a_redirect_to_nowhere_is_refused() {
        check("http://a.example/x", b"http://[", Err("redirects to something that is not an address"));
        check("http://a.example/x", b"\xFF", Err("redirects to something that is not an address"));
        let from = Url::parse("http://a.example/x").unwrap();
        assert_eq!(next_hop(&from, None), Err("redirects without saying where to".to_owned()));
    }
}
