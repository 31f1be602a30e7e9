//! What a text is made of: SQL, literals, parameters.

/// A piece of a text.
#[derive(Debug, PartialEq, Eq)]
pub enum Piece<'a> {
    /// SQL as it stands.
    Sql(&'a str),
    /// A literal, with its quotes. Nothing in it is SQL.
    Literal(&'a str),
    /// The parameter `?n`.
    Parameter(usize),
}

/// The pieces of a text.
pub fn pieces(sql: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let (mut is_quoted, mut from) = (false, 0);
    for (at, mark) in sql.match_indices(['\'', '?']) {
        match (mark, is_quoted) {
            ("'", false) => {
                pieces.push(Piece::Sql(&sql[from..at]));
                (is_quoted, from) = (true, at);
            }
            ("'", true) => {
                pieces.push(Piece::Literal(&sql[from..=at]));
                (is_quoted, from) = (false, at + 1);
            }
            (_, false) => {
                let rest = &sql[at + 1..];
                let digits = rest.find(|next: char| !next.is_ascii_digit()).map_or(rest, |end| &rest[..end]);
                pieces.push(Piece::Sql(&sql[from..at]));
                pieces.push(Piece::Parameter(digits.parse().expect("every parameter is numbered")));
                from = at + 1 + digits.len();
            }
            (_, true) => {}
        }
    }
    assert!(!is_quoted, "a literal of {sql} has no end");
    pieces.push(Piece::Sql(&sql[from..]));
    pieces
}

/// What would make a piece something else than a part of one statement with numbered
/// parameters: the end of a statement, a comment, a name in quotes, another parameter.
pub fn foreign(piece: &Piece<'_>) -> Option<&'static str> {
    const FOREIGN: [&str; 6] = [";", "--", "/*", "\"", "`", "$"];
    let Piece::Sql(sql) = piece else { return None };
    FOREIGN.into_iter().find(|mark| sql.contains(mark))
}
