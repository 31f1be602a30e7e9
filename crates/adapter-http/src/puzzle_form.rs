//! A puzzle as somebody types it into a form.
//!
//! It is judged as an import of one row, so that a form takes what an import takes. What was
//! typed is kept as it was typed: whoever is refused mends it, and types nothing twice.
//!
//! A browser sends lines that end as on a typewriter, and the bank has them as they were
//! imported. A description that differs in nothing else is the bank's, or to open a form and
//! save it would be a change.

use fencepost_application::short_hash;
use fencepost_domain::{
    id::{BankVersion, PuzzleId},
    puzzle::{Complaint, ImportFile, ImportRow, MAX_PRICE_CENTS, Puzzle, PuzzleRow, validate_import},
    sorting::sort_by_key,
    time::PlayDate,
};

use crate::{amount, view::PriceText};

/// A puzzle as it was typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TypedPuzzle {
    /// Its number.
    pub(crate) id: String,
    /// Its date of play.
    pub(crate) date: String,
    /// What is to be guessed.
    pub(crate) name: String,
    /// Its price, in dollars.
    pub(crate) price: String,
    /// About it, in Markdown.
    pub(crate) description: String,
    /// Where its photo comes from.
    pub(crate) photo: String,
}

/// The fields of the form, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PuzzleField {
    Id,
    Date,
    Price,
    Name,
    Description,
    Photo,
}

impl PuzzleField {
    /// What the form calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Date => "date",
            Self::Name => "name",
            Self::Price => "price",
            Self::Description => "description",
            Self::Photo => "photo",
        }
    }
}

/// What is wrong with a field, for whoever typed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldComplaint {
    pub(crate) field: PuzzleField,
    pub(crate) message: String,
}

impl TypedPuzzle {
    /// What a form has for a puzzle of the bank.
    pub(crate) fn of(puzzle: &Puzzle) -> Self {
        Self {
            id: puzzle.puzzle_id.to_string(),
            date: puzzle.play_date.to_string(),
            name: puzzle.name.clone(),
            price: PriceText::of_cents(puzzle.price_cents).machine,
            description: puzzle.description.clone(),
            photo: puzzle.image_url.clone().unwrap_or_default(),
        }
    }

    /// What a form has for a puzzle that follows `last`.
    pub(crate) fn after(last: Option<(PuzzleId, PlayDate)>) -> Self {
        let Some((id, date)) = last else { return Self::default() };
        let next = PlayDate::from_utc_day(date.utc_day().next());
        Self {
            id: PuzzleId::try_from(id.get() + 1).map(|id| id.to_string()).unwrap_or_default(),
            date: next.map(|date| date.to_string()).unwrap_or_default(),
            ..Self::default()
        }
    }

    /// The row that it is, to replace the version `expected` of the bank, which has `stored`.
    ///
    /// # Errors
    /// Every complaint, in the order of the fields.
    pub(crate) fn row(
        &self,
        expected: BankVersion,
        stored: Option<&Puzzle>,
    ) -> Result<PuzzleRow, Vec<FieldComplaint>> {
        let photo = self.photo.trim();
        let row = ImportRow {
            // No puzzle has the number 0, and nothing costs nothing.
            id: self.id.trim().parse().unwrap_or(0),
            play_date: self.date.trim().to_owned(),
            name: self.name.clone(),
            price_cents: amount::cents(&self.price).unwrap_or(0),
            description: self.description_as_in(stored),
            image_url: (!photo.is_empty()).then(|| photo.to_owned()),
            expected_version: Some(expected.get()),
        };
        let rows = validate_import(ImportFile { puzzles: vec![row] });
        rows.map(|mut rows| rows.remove(0)).map_err(|complaints| {
            let mut complaints: Vec<_> = complaints.into_iter().map(FieldComplaint::from).collect();
            sort_by_key(&mut complaints, |complaint| complaint.field as u8);
            complaints
        })
    }

    fn description_as_in(&self, stored: Option<&Puzzle>) -> String {
        let typed = with_plain_lines(&self.description);
        match stored {
            Some(puzzle) if with_plain_lines(&puzzle.description) == typed => puzzle.description.clone(),
            _ => typed,
        }
    }
}

fn with_plain_lines(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// By which a form tells that this very row was looked at.
pub(crate) fn fingerprint(row: &PuzzleRow) -> String {
    let text = serde_json::to_string(row).expect("a row is plain data");
    short_hash(text.as_bytes(), 16)
}

impl From<Complaint> for FieldComplaint {
    fn from(complaint: Complaint) -> Self {
        let (field, message) = match complaint.field {
            "id" => (PuzzleField::Id, "A number is whole, and begins at 1.".to_owned()),
            "play_date" => {
                let message = "A date of play lies between 2000-01-01 and 2199-12-31.".to_owned();
                (PuzzleField::Date, message)
            }
            "name" => (PuzzleField::Name, sentence(&complaint.message)),
            "price_cents" => {
                let [least, most] = [1, MAX_PRICE_CENTS].map(|cents| PriceText::of_cents(cents).human);
                (PuzzleField::Price, format!("A price lies between {least} and {most}, such as 18.99."))
            }
            "image_url" => (PuzzleField::Photo, sentence(&complaint.message)),
            _ => (PuzzleField::Description, sentence(&complaint.message)),
        };
        Self { field, message }
    }
}

/// A complaint that stands by itself. The domain complains in English, so it begins with a
/// letter whose capital no table has to tell.
fn sentence(message: &str) -> String {
    let mut sentence = format!("{message}.");
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    sentence
}

#[cfg(test)]
mod tests {
    use fencepost_domain::time::UnixMillis;

    use super::*;

    fn lamp() -> Puzzle {
        Puzzle {
            puzzle_id: 7.try_into().unwrap(),
            play_date: "2026-11-28".parse().unwrap(),
            opens_at: UnixMillis::new(0),
            playable_until: UnixMillis::new(1),
            name: "A lamp".to_owned(),
            price_cents: 1_899,
            description: "Brass.\r\n\r\n- tall\n".to_owned(),
            image_url: Some("https://example.org/lamp.webp".to_owned()),
            bank_version: BankVersion::new(3),
        }
    }

    fn check(change: impl FnOnce(&mut TypedPuzzle), expected: &[(PuzzleField, &str)]) {
        let mut typed = TypedPuzzle::of(&lamp());
        change(&mut typed);
        let complaints = typed.row(BankVersion::new(3), None).err().unwrap_or_default();
        let told: Vec<_> = complaints.iter().map(|it| (it.field, it.message.as_str())).collect();
        assert_eq!(told, expected, "{typed:?}");
    }

    #[test]
    fn a_form_that_nobody_has_touched_changes_nothing() {
        let lamp = lamp();
        let sent =
            TypedPuzzle { description: "Brass.\r\n\r\n- tall\r\n".to_owned(), ..TypedPuzzle::of(&lamp) };
        let row = sent.row(lamp.bank_version, Some(&lamp)).unwrap();
        assert!(row.equals(&lamp), "{row:?}");
        assert_eq!(row.expected_version, Some(BankVersion::new(3)));
        let new = sent.row(BankVersion::NONE, None).unwrap();
        assert_eq!(new.description, "Brass.\n\n- tall\n");
    }

    #[test]
    fn what_is_wrong_is_told_of_its_field_and_in_the_order_of_the_form() {
        const ID: (PuzzleField, &str) = (PuzzleField::Id, "A number is whole, and begins at 1.");
        const DATE: (PuzzleField, &str) =
            (PuzzleField::Date, "A date of play lies between 2000-01-01 and 2199-12-31.");
        const NAME: (PuzzleField, &str) = (PuzzleField::Name, "A name has 1 to 200 characters.");
        const PRICE: (PuzzleField, &str) =
            (PuzzleField::Price, "A price lies between $0.01 and $1,000,000.00, such as 18.99.");
        check(|_| (), &[]);
        check(|typed| typed.price = "$1,899".to_owned(), &[]);
        check(|typed| typed.photo = "  ".to_owned(), &[]);
        for id in ["", "x", "0", "-1", "1.5", "99999999999999999999"] {
            check(|typed| typed.id = id.to_owned(), &[ID]);
        }
        check(|typed| typed.date = String::new(), &[DATE]);
        check(|typed| typed.date = "2026-02-30".to_owned(), &[DATE]);
        check(|typed| typed.name = " ".to_owned(), &[NAME]);
        for price in ["", "0", "1.899", "a lot", "1000000.01", "99999999999999999999"] {
            check(|typed| typed.price = price.to_owned(), &[PRICE]);
        }
        let long = "A description has at most 20000 bytes.";
        check(|typed| typed.description = "x".repeat(20_001), &[(PuzzleField::Description, long)]);
        let photo = "An image comes over https or http, not ftp.";
        check(|typed| typed.photo = "ftp://example.org/".to_owned(), &[(PuzzleField::Photo, photo)]);
        check(|typed| *typed = TypedPuzzle::default(), &[ID, DATE, PRICE, NAME]);
    }

    #[test]
    fn a_new_puzzle_follows_the_last_one() {
        let after = |last| {
            let typed = TypedPuzzle::after(last);
            (typed.id, typed.date)
        };
        let last = (7.try_into().unwrap(), "2026-12-31".parse().unwrap());
        assert_eq!(after(Some(last)), ("8".to_owned(), "2027-01-01".to_owned()));
        assert_eq!(after(None), (String::new(), String::new()));
        let last = ((1 << 53) - 1).try_into().unwrap();
        assert_eq!(after(Some((last, "2199-12-31".parse().unwrap()))), (String::new(), String::new()));
    }

    #[test]
    fn a_row_that_differs_in_anything_was_not_looked_at() {
        let row = TypedPuzzle::of(&lamp()).row(BankVersion::new(3), None).unwrap();
        let same = fingerprint(&row);
        assert_eq!(fingerprint(&row.clone()), same);
        for other in [
            PuzzleRow { price_cents: 1_900, ..row.clone() },
            PuzzleRow { image_url: None, ..row.clone() },
            PuzzleRow { expected_version: Some(BankVersion::new(4)), ..row },
        ] {
            assert_ne!(fingerprint(&other), same, "{other:?}");
        }
    }
}
