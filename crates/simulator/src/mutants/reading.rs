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
    for (name, shown) in [("answer_posts/home", "puzzle"), ("answer_posts/shows_image", "photo")] {
        let dangers = match shown {
            "puzzle" => ["yesterday's puzzle is still shown", "a puzzle is shown that was taken back"],
            _ => {
                ["a photo is shown that no page shows", "the photo of a puzzle is shown that was taken back"]
            }
        };
        let (over, back) = (" AND p.playable_until > ?1", " AND i.state <> 'withdrawn'");
        all.push(new(format!("{name}: the puzzle is not over"), dangers[0], SqlEdits::one(name, over, "")));
        all.push(new(
            format!("{name}: the puzzle was not taken back"),
            dangers[1],
            SqlEdits::one(name, back, ""),
        ));
    }
    all.push(new(
        "answer_posts/shows_image: the photo is that of the bank's row".to_owned(),
        "a photo is shown that was replaced",
        SqlEdits::one("answer_posts/shows_image", " AND p.image_url = m.image_url", ""),
    ));
    all.push(new(
        "answer_posts/sitemap: indexable".to_owned(),
        "search engines are told of a page that they may not keep",
        SqlEdits::one("answer_posts/sitemap", "AND a.indexable = 1", ""),
    ));
    all.push(new(
        "answer_posts/shows_image: the puzzle has opened".to_owned(),
        "tomorrow's photo is shown today",
        SqlEdits::one("answer_posts/shows_image", "p.opens_at <= ?1 AND", ""),
    ));
    all
}
