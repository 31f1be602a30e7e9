//! What lies behind an error of a library.

use std::error::Error;

/// `problem`, its source, the source of that, and so on.
pub(crate) fn causes<'a>(
    problem: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(problem), |&cause| cause.source())
}

/// What came of a request that was not answered, as the end of a sentence.
pub(crate) fn trouble(problem: &reqwest::Error) -> &'static str {
    if problem.is_dns() {
        "could not be found by its name"
    } else if problem.is_connect() {
        "could not be connected to"
    } else {
        "broke off"
    }
}

/// What started it. The layers above only say who was asked.
pub(crate) fn root_cause(problem: &(dyn Error + 'static)) -> String {
    causes(problem).last().map(ToString::to_string).unwrap_or_default()
}
