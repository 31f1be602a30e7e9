//! What stands in a text outside of its literals.

/// What would make a text something else than one statement with numbered parameters: the end
/// of a statement, a comment, a name in quotes, another parameter. SQLite reads no further than
/// to a NUL, and would leave the rest of the statement out, with its condition.
const FOREIGN: [&str; 10] = ["\0", ";", "--", "/*", "\"", "`", "[", "$", ":", "@"];

/// The pieces between the literals. A quote that is doubled ends one literal and begins
/// another, which is as good.
///
/// # Panics
/// If a literal has no end.
#[track_caller]
pub(crate) fn outside_of_literals(sql: &str) -> impl Iterator<Item = &str> {
    assert!(sql.matches('\'').count().is_multiple_of(2), "a literal of {sql} has no end");
    sql.split('\'').step_by(2)
}

/// What does not belong into a text, if there is any of it.
pub(crate) fn foreign(sql: &str) -> Option<&'static str> {
    FOREIGN.into_iter().find(|mark| outside_of_literals(sql).any(|piece| piece.contains(mark)))
}

/// The numbers of the parameters, as often as they stand there.
///
/// # Panics
/// If one has no number.
pub(crate) fn parameters(sql: &str) -> impl Iterator<Item = usize> {
    outside_of_literals(sql).flat_map(|piece| piece.split('?').skip(1)).map(move |rest| {
        let digits = rest.find(|next: char| !next.is_ascii_digit()).map_or(rest, |end| &rest[..end]);
        digits.parse().unwrap_or_else(|_| panic!("a parameter has no number, such as ?8: {sql}"))
    })
}
