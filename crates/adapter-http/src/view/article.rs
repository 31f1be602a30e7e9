//! What an answer page tells search engines about itself: an `Article` of schema.org.
//!
//! It stands in the page as a block of data. A browser does not run it, so the policy of
//! [`crate::security_headers`] needs no exception. But a browser looks for the end of the
//! block before anybody reads it as JSON: a name with `</script>` in it would end it early,
//! and go on as HTML. So no `<` stands there as itself.

use fencepost_domain::time::UnixMillis;
use serde_json::{Value, json};

use crate::view::SITE_NAME;

/// The most characters of a headline that search engines take.
const LONGEST_HEADLINE: usize = 110;

/// The block of data of the page at this address, on the site with this origin.
pub(crate) fn json_ld(
    origin: &str,
    address: &str,
    title: &str,
    published_at: UnixMillis,
    updated_at: UnixMillis,
    image: Option<&str>,
) -> String {
    let site = json!({ "@type": "Organization", "name": SITE_NAME, "url": format!("{origin}/") });
    let mut article = json!({
        "@context": "https://schema.org",
        "@type": "Article",
        "headline": headline(title),
        "datePublished": published_at.to_string(),
        "dateModified": updated_at.to_string(),
        "mainEntityOfPage": address,
        "author": site,
        "publisher": site,
    });
    if let Some(image) = image {
        article["image"] = Value::from(image);
    }
    serde_json::to_string(&article).expect("plain data with text keys").replace('<', "\\u003c")
}

fn headline(title: &str) -> String {
    if title.chars().count() <= LONGEST_HEADLINE {
        return title.to_owned();
    }
    title.chars().take(LONGEST_HEADLINE - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_is_cut_where_search_engines_would_cut_it() {
        let check = |length: usize, expected: &str| assert_eq!(headline(&"é".repeat(length)), expected);
        check(110, &"é".repeat(110));
        check(111, &format!("{}…", "é".repeat(109)));
        check(300, &format!("{}…", "é".repeat(109)));
    }
}
