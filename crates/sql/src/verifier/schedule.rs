//! What is to come will come, when it should.

use super::finding;
use crate::sql_texts;

sql_texts! {
    /// Every puzzle has an item.
    PUZZLES_WITHOUT_ITEM = "verifier/puzzles_without_item", format!("\
{}
FROM puzzles AS p
WHERE NOT EXISTS (SELECT 1 FROM publication_items AS i WHERE i.puzzle_id = p.puzzle_id)",
        finding(
            "puzzle_without_item",
            "'puzzle ' || p.puzzle_id",
            "'the puzzle will never be published'",
            &[("puzzles", "p.puzzle_id"), ("publication_items", "p.puzzle_id")],
        ));
    /// No answer is due before the end of play.
    SCHEDULE = "verifier/schedule", format!("\
{}
FROM puzzles AS p
JOIN publication_items AS i ON i.puzzle_id = p.puzzle_id
WHERE i.due_at < p.playable_until",
        finding(
            "due_before_end_of_play",
            "'puzzle ' || p.puzzle_id",
            "'the answer is due at ' || i.due_at || ', play ends at ' || p.playable_until",
            &[("publication_items", "i.puzzle_id"), ("puzzles", "p.puzzle_id")],
        ));
    /// Every instant at which an answer changes by itself is in the calendar.
    CALENDAR = "verifier/calendar", format!("\
{}
FROM (SELECT puzzle_id, opens_at AS instant FROM puzzles
      UNION
      SELECT puzzle_id, playable_until FROM puzzles
      UNION
      SELECT puzzle_id, due_at FROM publication_items) AS it
WHERE NOT EXISTS (SELECT 1 FROM visibility_instants AS v WHERE v.instant = it.instant)",
        finding(
            "instant_not_in_calendar",
            "'puzzle ' || it.puzzle_id",
            "'its answer changes at ' || it.instant || ', which visibility_instants does not have'",
            &[("puzzles", "it.puzzle_id"), ("visibility_instants", "it.instant")],
        ));
}
