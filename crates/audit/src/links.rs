//! The addresses that an answer leads on to.

/// What every address of the site begins with, and few of other sites do. An absolute link is
/// followed by its path, since a site may not know the address under which it is audited.
const OWN: &[&str] =
    &["/answers", "/play", "/images", "/assets", "/api/puzzles", "/feed", "/sitemap", "/robots.txt"];

/// The paths, with their queries, that a text links to on its own site, in order.
pub(crate) fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut before = ' ';
    for piece in text.split_inclusive(['"', '\'', '<', '>', ' ', '\n']) {
        let link = piece.trim_end_matches(['"', '\'', '<', '>', ' ', '\n']);
        let path = if matches!(before, '"' | '\'')
            && link.len() > 1
            && link.starts_with('/')
            && !link.starts_with("//")
        {
            Some(link)
        } else {
            path_of_absolute(link).filter(|path| OWN.iter().any(|own| path.starts_with(own)))
        };
        if let Some(path) = path {
            let path = path.split('#').next().unwrap_or_default().replace("&amp;", "&");
            if !links.contains(&path) {
                links.push(path);
            }
        }
        before = piece.chars().next_back().unwrap_or(before);
    }
    links
}

fn path_of_absolute(link: &str) -> Option<&str> {
    let rest = link.strip_prefix("https://").or_else(|| link.strip_prefix("http://"))?;
    rest.find('/').map(|at| &rest[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_in_pages_feeds_and_sitemaps() {
        let check = |text: &str, expected: &[&str]| assert_eq!(links(text), expected, "{text}");
        check(
            r#"<a href="/answers/1">x</a><img src='/images/a.webp'></p>"#,
            &["/answers/1", "/images/a.webp"],
        );
        check(r#"<a href="/answers?before=2026-11-28&amp;x=1#main">"#, &["/answers?before=2026-11-28&x=1"]);
        check("<loc>https://prices.example/answers/7</loc>", &["/answers/7"]);
        check(r#"<link href="https://prices.example/feed.xml"/>"#, &["/feed.xml"]);
        check(r#"<a href="https://elsewhere.example/about">, //x.example/play "//x.example/play""#, &[]);
        check(r#"<a href="/answers/1"><a href="/answers/1">"#, &["/answers/1"]);
    }
}
