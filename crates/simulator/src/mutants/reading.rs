//! What readers are shown: the predicate of visibility, on every page.

use super::{Mutation, Part, SqlEdits};

/// The index of public pages, which serves no query for others.
const PUBLIC_ONLY: &str = " INDEXED BY answer_posts_public";

pub(super) fn mutations() -> Vec<Mutation> {
    let new = |clause: String, danger, edits| Mutation::new(Part::Reading, clause, danger, edits);
    let mut all = Vec::new();
    let lists = [
        ("answer_posts/home", 1),
        ("answer_posts/list", 1),
        ("answer_posts/feed", 1),
        ("answer_posts/sitemap", 1),
        ("answer_posts/shows_image", 0),
    ];
    for (name, indexed) in lists {
        all.push(new(
            format!("{name}: due"),
            "after the clock has jumped back, an answer is public before its time",
            SqlEdits::one(name, "AND i.due_at <= ?1", ""),
        ));
        all.push(new(
            format!("{name}: not withdrawn"),
            "what was taken back is still shown",
            SqlEdits::one(name, "a.withdrawn_at IS NULL AND i.state = 'published'", "true").and_all(
                name,
                PUBLIC_ONLY,
                "",
                indexed,
            ),
        ));
    }
    all.push(new(
        "answer_posts/answer: due neighbours".to_owned(),
        "an answer is named before its time",
        SqlEdits::default().and_all("answer_posts/answer", "AND i.due_at <= ?1", "", 2),
    ));
    all.push(new(
        "answer_posts/answer: public neighbours".to_owned(),
        "what was taken back is still named",
        SqlEdits::default()
            .and_all("answer_posts/answer", "b.withdrawn_at IS NULL AND i.state = 'published'", "true", 2)
            .and_all("answer_posts/answer", PUBLIC_ONLY, "", 2),
    ));
    all.push(new(
        "answer_posts/home: the puzzle has opened".to_owned(),
        "tomorrow's puzzle is shown today",
        SqlEdits::one("answer_posts/home", "p.opens_at <= ?1 AND", ""),
    ));
    all.push(new(
        "answer_posts/shows_image: the puzzle has opened".to_owned(),
        "tomorrow's photo is shown today",
        SqlEdits::one("answer_posts/shows_image", "p.opens_at <= ?1 AND", ""),
    ));
    all
}
