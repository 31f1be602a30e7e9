//! Page, item and receipts say the same.

use super::finding;
use crate::sql_texts;

/// The subject of what concerns the puzzle of a page.
const PUZZLE: &str = "'puzzle ' || a.puzzle_id";
/// A page's newest receipt.
const NEWEST: &str = "commit_receipts AS newest ON newest.puzzle_id = a.puzzle_id
  AND newest.content_version = (SELECT max(r.content_version) FROM commit_receipts AS r WHERE r.puzzle_id = a.puzzle_id)";
/// A page and its newest receipt.
const PAGE_AND_NEWEST: [(&str, &str); 2] =
    [("answer_posts", "a.puzzle_id"), ("commit_receipts", "newest.commit_token")];

sql_texts! {
    /// A public page and a published item go together; so do a tombstone and a withdrawn one.
    PAGES_AND_ITEMS = "verifier/pages_and_items", format!("\
{}
FROM publication_items AS i
LEFT JOIN answer_posts AS a ON a.puzzle_id = i.puzzle_id
WHERE CASE
  WHEN a.puzzle_id IS NULL THEN i.state = 'published'
  WHEN a.withdrawn_at IS NULL THEN i.state <> 'published'
  ELSE i.state <> 'withdrawn' END",
        finding(
            "item_does_not_fit_page",
            "'puzzle ' || i.puzzle_id",
            "'the item is ' || i.state || ', but ' || CASE
    WHEN a.puzzle_id IS NULL THEN 'there is no page'
    WHEN a.withdrawn_at IS NULL THEN 'the page is public'
    ELSE 'the page is withdrawn' END",
            &[("publication_items", "i.puzzle_id"), ("answer_posts", "i.puzzle_id")],
        ));
    /// Every page belongs to an item.
    PAGES_WITHOUT_ITEM = "verifier/pages_without_item", format!("\
{}
FROM answer_posts AS a
WHERE NOT EXISTS (SELECT 1 FROM publication_items AS i WHERE i.puzzle_id = a.puzzle_id)",
        finding(
            "page_without_item",
            PUZZLE,
            "'a page exists without an item'",
            &[("answer_posts", "a.puzzle_id"), ("publication_items", "a.puzzle_id")],
        ));
    /// A page carries token and version of its newest receipt.
    PAGES_AND_RECEIPTS = "verifier/pages_and_receipts", format!("\
{}
FROM answer_posts AS a
LEFT JOIN {NEWEST}
WHERE newest.commit_token IS NOT a.commit_token
   OR newest.content_version IS NOT a.content_version",
        finding(
            "page_does_not_fit_receipts",
            PUZZLE,
            "'the page is at version ' || a.content_version || ', its newest receipt of version '
    || coalesce(newest.content_version, 'none')
    || CASE WHEN newest.commit_token IS a.commit_token THEN '' ELSE ' with another token' END",
            &PAGE_AND_NEWEST,
        ));
    /// A page was published when its first receipt says.
    PUBLISHED_AT = "verifier/published_at", format!("\
{}
FROM answer_posts AS a
JOIN commit_receipts AS r ON r.puzzle_id = a.puzzle_id AND r.content_version = 1
WHERE a.published_at <> r.committed_at",
        finding(
            "published_at_does_not_fit_receipt",
            PUZZLE,
            "'published_at is ' || a.published_at || ', and the first receipt of ' || r.committed_at",
            &[("answer_posts", "a.puzzle_id"), ("commit_receipts", "r.commit_token")],
        ));
    /// A page was changed last when its newest receipt says.
    UPDATED_AT = "verifier/updated_at", format!("\
{}
FROM answer_posts AS a
JOIN {NEWEST}
WHERE a.updated_at <> newest.committed_at",
        finding(
            "updated_at_does_not_fit_receipt",
            PUZZLE,
            "'updated_at is ' || a.updated_at || ', and the newest receipt of ' || newest.committed_at",
            &PAGE_AND_NEWEST,
        ));
    /// A page is withdrawn if its newest receipt is one of a withdrawal, and since then.
    WITHDRAWN_AT = "verifier/withdrawn_at", format!("\
{}
FROM answer_posts AS a
JOIN {NEWEST}
WHERE a.withdrawn_at IS NOT CASE newest.kind WHEN 'withdraw' THEN newest.committed_at END",
        finding(
            "withdrawn_at_does_not_fit_receipt",
            PUZZLE,
            "'withdrawn_at is ' || coalesce(a.withdrawn_at, 'empty') || ', and the newest receipt is of kind '
    || newest.kind || ' and of ' || newest.committed_at",
            &PAGE_AND_NEWEST,
        ));
    /// A page that shows a photo is indexable; one without photo never was.
    INDEXABLE = "verifier/indexable", format!("\
{}
FROM answer_posts AS a
WHERE a.indexable <> (a.image_key IS NOT NULL)",
        finding(
            "indexable_without_photo",
            PUZZLE,
            "CASE a.indexable WHEN 1 THEN 'the page is indexable and has no photo'
    ELSE 'the page has its photo and is not indexable' END",
            &[("answer_posts", "a.puzzle_id")],
        ));
}
