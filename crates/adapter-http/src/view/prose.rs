//! A description, as it stands on a page.
//!
//! A table may be wider than a phone. It then scrolls by itself, inside a box of its own,
//! and a box that scrolls needs the focus: without it, whoever has no mouse cannot see the
//! columns at its end. That belongs to the page and not to the content, which is published
//! without it, and goes into the feed as it is.

/// Where a table begins and ends. Words like these in a description are escaped, and look
/// otherwise.
const TABLE: [&str; 2] = ["<table>", "</table>"];

/// The content, with a box around each table.
pub(crate) fn on_page(body_html: &str) -> String {
    let [begin, end] = TABLE;
    body_html
        .replace(begin, r#"<div class="wide" role="group" aria-label="Table" tabindex="0"><table>"#)
        .replace(end, "</table></div>")
}

#[cfg(test)]
mod tests {
    use fencepost_application::render_markdown;

    use super::on_page;

    #[test]
    fn a_table_can_be_scrolled_by_keyboard() {
        let page = on_page(&render_markdown("|a|b|\n|-|-|\n|1|2|\n\nIt pours."));
        let begin = r#"<div class="wide" role="group" aria-label="Table" tabindex="0"><table><thead>"#;
        assert!(page.starts_with(begin), "{page}");
        assert!(page.ends_with("</tbody></table></div>\n<p>It pours.</p>\n"), "{page}");
    }

    #[test]
    fn a_description_that_speaks_of_tables_has_none() {
        for said in [
            "a <table> of oak</table>",
            "`<table>`",
            "[x](https://a.example/<table> \"<table>\")",
            "    <table>",
        ] {
            let body_html = render_markdown(said);
            assert_eq!(on_page(&body_html), body_html, "{said}");
        }
    }
}
