//! Looks a running site over for anything that it tells before its time.
//!
//! The other tests ask whether the code keeps the embargo where somebody thought of it. This
//! crate asks a site, from outside, and knows nothing of how it is made: it is told what the
//! bank holds, derives from that what nobody may know yet (`secrets`), asks for everything
//! that a stranger could ask for (`surfaces`), plays, and looks for three things.
//!
//! - **A byte of a secret**, in a body or in a header, in any spelling a page could use.
//! - **A difference** between a puzzle that has not opened and a number that was never used
//!   (`compare`). Status, headers, body and size of both have to be the same, or the
//!   difference itself tells that there is something.
//! - **Something that comes with an answer** and is there before it: the answer's page, and how
//!   others have guessed.
//!
//! A site goes on while it is asked. So every answer carries the stretch of time in which it
//! was made, by the site's own clock, and is held only against what was secret in all of it:
//! an answer that may have been made a millisecond after the instant is not accused.
//!
//! Nothing here sends a request, reads a clock or waits. Whoever wants an audit brings an
//! [`Ask`], which does; the tests bring one that calls the router itself, with a clock that
//! stands still.

mod ask;
pub use ask::{Answer, Ask, AskError, Question, Window};

mod bank;
pub use bank::{Bank, BankError, KnownPuzzle};

mod reading;

mod secrets;

mod surfaces;

mod links;

mod compare;

mod finding;
pub use finding::{Finding, Kind, Report, Skipped};

mod walk;
pub use walk::{Depth, Games, walk};
