//! From a row of the bank to the content of a page.
//!
//! Descriptions are Markdown written by the bank's keeper, and are not trusted more
//! than any other input: raw HTML is shown as text, links lead only to the web or to
//! mail, and pictures are left out (the page's strict policy would block them, and the
//! photo is the only picture that the site answers for).

use fencepost_domain::{image::ImageKey, page::AnswerContent, puzzle::Puzzle};
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html};

/// The content of a puzzle's answer page.
pub(crate) fn render(puzzle: &Puzzle, image_key: Option<ImageKey>) -> AnswerContent {
    AnswerContent {
        play_date: puzzle.play_date,
        name: puzzle.name.clone(),
        price_cents: puzzle.price_cents,
        body_html: render_markdown(&puzzle.description),
        image_key,
    }
}

/// Markdown as HTML that is safe to embed.
pub fn render_markdown(markdown: &str) -> String {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let events = Parser::new_ext(markdown, options).filter_map(make_safe);
    let mut html = String::with_capacity(markdown.len() * 3 / 2);
    html::push_html(&mut html, events);
    html
}

fn make_safe(event: Event<'_>) -> Option<Event<'_>> {
    match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Some(Event::Text(raw)),
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        Event::Start(Tag::HtmlBlock) | Event::End(TagEnd::HtmlBlock) => None,
        // Alignment would become an inline style, which the page's policy forbids.
        Event::Start(Tag::Table(columns)) => {
            Some(Event::Start(Tag::Table(vec![pulldown_cmark::Alignment::None; columns.len()])))
        }
        // The page has the one `h1`; a description's headings stand below it.
        Event::Start(Tag::Heading { level, .. }) => Some(Event::Start(Tag::Heading {
            level: below(level),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        })),
        Event::End(TagEnd::Heading(level)) => Some(Event::End(TagEnd::Heading(below(level)))),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url =
                if leads_somewhere_safe(link_type, &dest_url) { dest_url } else { CowStr::Borrowed("#") };
            Some(Event::Start(Tag::Link { link_type, dest_url, title, id }))
        }
        other => Some(other),
    }
}

fn leads_somewhere_safe(link_type: LinkType, url: &str) -> bool {
    // Without the slashes, `https:x` is another page of this site, and so is `https`.
    let begins = |safe: &str| url.get(..safe.len()).is_some_and(|start| start.eq_ignore_ascii_case(safe));
    link_type == LinkType::Email || ["https://", "http://", "mailto:"].into_iter().any(begins)
}

fn below(level: pulldown_cmark::HeadingLevel) -> pulldown_cmark::HeadingLevel {
    use pulldown_cmark::HeadingLevel::{H1, H2, H3, H4, H5, H6};
    match level {
        H1 => H3,
        H2 => H4,
        H3 => H5,
        H4 | H5 | H6 => H6,
    }
}

#[cfg(test)]
mod tests {
    use super::render_markdown;

    fn check(markdown: &str, html: &str) {
        assert_eq!(render_markdown(markdown).trim(), html, "rendering {markdown:?}");
    }

    #[test]
    fn markdown_becomes_html() {
        check("A *fine* teapot.", "<p>A <em>fine</em> teapot.</p>");
        check("# Size\n\n- 1 l", "<h3>Size</h3>\n<ul>\n<li>1 l</li>\n</ul>");
        check(
            "[shop](https://example.org/?a=1&b=2)",
            r#"<p><a href="https://example.org/?a=1&amp;b=2">shop</a></p>"#,
        );
        check("<me@example.org>", r#"<p><a href="mailto:me@example.org">me@example.org</a></p>"#);
    }

    #[test]
    fn a_table_has_no_inline_style() {
        assert!(!render_markdown("|a|b|\n|:-:|-:|\n|1|2|").contains("style"));
    }

    #[test]
    fn nothing_in_a_description_can_act_on_the_page() {
        check("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;");
        check("a <img src=x onerror=alert(1)> b", "<p>a &lt;img src=x onerror=alert(1)&gt; b</p>");
        check("[x](javascript:alert(1))", r##"<p><a href="#">x</a></p>"##);
        check("[x](JaVaScRiPt:alert(1))", r##"<p><a href="#">x</a></p>"##);
        check("[x](data:text/html,1)", r##"<p><a href="#">x</a></p>"##);
        check("[x](HTTPS://example.org/)", r#"<p><a href="HTTPS://example.org/">x</a></p>"#);
        for relative in ["https", "http", "mailto", "https:x", "http:/x", "/x", "//example.org/", "é"] {
            check(&format!("[x]({relative})"), r##"<p><a href="#">x</a></p>"##);
        }
        check("![alt](https://example.org/pixel.gif)", "<p>alt</p>");
        check(
            "[\"><b>](https://example.org/\"onclick=x)",
            "<p><a href=\"https://example.org/%22onclick=x\">\"&gt;&lt;b&gt;</a></p>",
        );
    }
}
