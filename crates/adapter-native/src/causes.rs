//! What lies behind an error of a library.

use std::error::Error;

/// `problem`, its source, the source of that, and so on.
pub(crate) fn causes<'a>(
    problem: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(problem), |&cause| cause.source())
}

/// What started it. The layers above only say who was asked.
pub(crate) fn root_cause(problem: &(dyn Error + 'static)) -> String {
    causes(problem).last().map(ToString::to_string).unwrap_or_default()
}
