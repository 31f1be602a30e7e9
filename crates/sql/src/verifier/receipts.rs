//! The receipts of one puzzle tell a story that can have happened.

use super::{finding, finding_of};
use crate::sql_texts;

/// The subject of what concerns the puzzle of a receipt.
const PUZZLE: &str = "'puzzle ' || r.puzzle_id";
/// Two receipts of a puzzle, one after the other.
const PAIRS: &str = "commit_receipts AS r
JOIN commit_receipts AS earlier ON earlier.puzzle_id = r.puzzle_id
  AND earlier.content_version = r.content_version - 1";
/// Both rows of a pair.
const BOTH: [(&str, &str); 2] =
    [("commit_receipts", "earlier.commit_token"), ("commit_receipts", "r.commit_token")];

sql_texts! {
    /// Every receipt belongs to a page.
    RECEIPTS_WITHOUT_PAGE = "verifier/receipts_without_page", format!("\
{}
FROM commit_receipts AS r
WHERE NOT EXISTS (SELECT 1 FROM answer_posts AS a WHERE a.puzzle_id = r.puzzle_id)",
        finding(
            "receipt_without_page",
            PUZZLE,
            "'the receipt of revision ' || r.revision || ' has no page'",
            &[("commit_receipts", "r.commit_token"), ("answer_posts", "r.puzzle_id")],
        ));
    /// The versions of a page are 1 to the number of its receipts. No two have one version,
    /// so their count and the highest of the versions tell.
    VERSIONS = "verifier/versions", format!("\
{}
FROM commit_receipts AS r
GROUP BY r.puzzle_id
HAVING min(r.content_version) <> 1
    OR max(r.content_version) <> count(*)",
        finding_of(
            "'versions_not_dense'",
            PUZZLE,
            "'there are ' || count(*) || ' receipts, of the versions ' || min(r.content_version) || ' to '
    || max(r.content_version)",
            "json_group_array(json_array('commit_receipts', r.commit_token))",
        ));
    /// Later versions have later revisions.
    ORDER = "verifier/order", format!("\
{}
FROM {PAIRS}
WHERE r.revision < earlier.revision",
        finding(
            "revision_fell",
            PUZZLE,
            "'version ' || r.content_version || ' was committed at revision ' || r.revision
    || ', and the version before it at revision ' || earlier.revision",
            &BOTH,
        ));
    /// A page is published once, by its first commit, and changed by later ones.
    PUBLISHED_ONCE = "verifier/published_once", format!("\
{}
FROM commit_receipts AS r
WHERE (r.kind = 'publish') <> (r.content_version = 1)",
        finding(
            "published_not_once",
            PUZZLE,
            "'the receipt of version ' || r.content_version || ' is of kind ' || r.kind",
            &[("commit_receipts", "r.commit_token")],
        ));
    /// Only what is public is updated or withdrawn, and only what is withdrawn is reinstated.
    KINDS = "verifier/kinds", format!("\
{}
FROM {PAIRS}
WHERE (earlier.kind = 'withdraw' AND r.kind IN ('update', 'withdraw'))
   OR (earlier.kind <> 'withdraw' AND r.kind = 'reinstate')",
        finding(
            "kind_out_of_order",
            PUZZLE,
            "'version ' || r.content_version || ' is of kind ' || r.kind || ', after one of kind ' || earlier.kind",
            &BOTH,
        ));
    /// The fences of a key never fall.
    FENCES = "verifier/fences", format!("\
{}
FROM {PAIRS}
WHERE r.fence < earlier.fence",
        finding(
            "fence_fell",
            PUZZLE,
            "'version ' || r.content_version || ' was committed under fence ' || r.fence
    || ', and the version before it under fence ' || earlier.fence",
            &BOTH,
        ));
    /// A lease's fence is never below that of a receipt.
    LEASES = "verifier/leases", format!("\
{}
FROM commit_receipts AS r
LEFT JOIN job_leases AS l ON l.key = 'publication:' || r.puzzle_id
GROUP BY r.puzzle_id
HAVING l.fence IS NULL OR l.fence < max(r.fence)",
        finding(
            "lease_fence_fell",
            PUZZLE,
            "'the lease is at fence ' || coalesce(l.fence, 'none') || ', but a receipt has fence ' || max(r.fence)",
            &[("job_leases", "'publication:' || r.puzzle_id"), ("commit_receipts", "r.commit_token")],
        ));
    /// Nothing was published before its embargo ended.
    EMBARGO = "verifier/embargo", format!("\
{}
FROM commit_receipts AS r
JOIN publication_items AS i ON i.puzzle_id = r.puzzle_id
WHERE r.kind = 'publish'
  AND r.committed_at < i.due_at",
        finding(
            "published_early",
            PUZZLE,
            "'the page was published at ' || r.committed_at || ', due at ' || i.due_at",
            &[("commit_receipts", "r.commit_token"), ("publication_items", "i.puzzle_id")],
        ));
}
